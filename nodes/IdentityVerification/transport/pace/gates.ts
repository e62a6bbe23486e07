import { createHash } from 'node:crypto';

import { realClock } from './clock';
import type { Clock } from './clock';
import { Gate } from './gate';
import { KEPT_MS } from './lane';

/** Requests with the same host, traffic, credential and API key share a gate. */
export interface Account {
	host: string;
	/** Calls, or downloads of files. */
	traffic: 'calls' | 'files';
	credentialId: string;
	apiKey: string;
}

/** The gates of this n8n process, one for each account. */
export class Gates {
	private readonly gates = new Map<string, Gate>();

	private sweptAt: number;

	constructor(private readonly clock: Clock = realClock) {
		this.sweptAt = clock.now();
	}

	/** How many gates are in memory. */
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

	/** Forgets unused gates once in a while and not at each request, because there can be many. */
	private sweep(): void {
		const now = this.clock.now();
		if (now - this.sweptAt <= KEPT_MS) return;
		this.sweptAt = now;
		for (const [key, gate] of this.gates) if (gate.isForgettable(now)) this.gates.delete(key);
	}
}

/**
 * The credential's ID alone isn't enough, because a credential with expressions can lead to several
 * API keys. The key itself is only kept as a digest.
 */
function keyOf({ host, traffic, credentialId, apiKey }: Account): string {
	const digest = createHash('sha256').update(apiKey).digest('base64');
	return JSON.stringify([host, traffic, credentialId, digest]);
}
