import { createHash } from 'crypto';

import { realClock } from './clock';
import type { Clock } from './clock';
import { Gate } from './gate';
import { KEPT_MS } from './lane';

/** Whose requests share a pace. */
export interface Account {
	/** A host, or the files at one. */
	service: string;
	credentialId: string;
	apiKey: string;
}

/** The gates of this n8n process, one for each account at a service. */
export class Gates {
	private readonly gates = new Map<string, Gate>();

	private sweptAt: number;

	constructor(private readonly clock: Clock = realClock) {
		this.sweptAt = clock.now();
	}

	/** How many are kept. */
	get size(): number {
		return this.gates.size;
	}

	gateTo(account: Account): Gate {
		this.sweep();
		const key = keyOf(account);
		const gate = this.gates.get(key) ?? new Gate(this.clock);
		this.gates.set(key, gate);
		return gate;
	}

	/** Once in a while, for all requests together: there can be as many gates as accounts. */
	private sweep(): void {
		const now = this.clock.now();
		if (now - this.sweptAt <= KEPT_MS) return;
		this.sweptAt = now;
		for (const [key, gate] of this.gates) if (gate.isForgettable(now)) this.gates.delete(key);
	}
}

/** With the key's digest: a credential can have expressions, and lead to several accounts. */
function keyOf({ service, credentialId, apiKey }: Account): string {
	const digest = createHash('sha256').update(apiKey).digest('base64');
	return JSON.stringify([service, credentialId, digest]);
}
