import { z } from 'zod/v4';

const where = z.enum(['scan', 'hosted', 'files', 'page']);
export type FaultPlace = z.infer<typeof where>;

/** When a fault strikes. */
const trigger = {
	on: where,
	/** How often it strikes. */
	times: z.union([z.number().int().positive(), z.literal('always')]).default(1),
	/** How many requests pass before it strikes. */
	skip: z.number().int().nonnegative().default(0),
	matchDocumentSha256: z.string().optional(),
};

function kind<Kind extends string, Settings extends z.ZodRawShape>(name: Kind, settings: Settings) {
	return z.object({ ...trigger, kind: z.literal(name), ...settings }).strict();
}

/** Seconds, or a date as HTTP has it. */
const retryAfter = z.union([z.number(), z.string()]);

/** Body of `POST /_sandbox/faults`. */
export const faultSchema = z.discriminatedUnion('kind', [
	kind('latency', { ms: z.number().nonnegative() }),
	/** Waits until `POST /_sandbox/release`. */
	kind('held', {}),
	kind('unauthorized', {}),
	kind('tooManyRequests', { retryAfter: retryAfter.optional() }),
	kind('serverError', {}),
	kind('status', {
		status: z.number().int().min(300).max(599),
		retryAfter: retryAfter.optional(),
		/** What it is answered with. */
		body: z.unknown().optional(),
	}),
	kind('html', {}),
	kind('truncated', {}),
	kind('broken', {}),
	kind('noAnswer', {}),
	kind('redirect', {
		location: z.string(),
		status: z.number().int().min(300).max(399).default(302),
	}),
	kind('wrongShape', {}),
]);
export type Fault = z.infer<typeof faultSchema>;
export type LatencyFault = Extract<Fault, { kind: 'latency' }>;
type HeldFault = Extract<Fault, { kind: 'held' }>;
export type AnswerFault = Exclude<Fault, LatencyFault | HeldFault>;

/** What strikes one request: how long it waits, and what spoils its answer. */
export interface Strike {
	latencyMs: number;
	/** Resolves when a request that is held is released. */
	held?: Promise<void>;
	fault?: AnswerFault;
}

/** A request that is held. */
interface Hold {
	documentSha256?: string;
	release: () => void;
}

/** Faults that wait for requests. Latencies add up; of the others the first one strikes. */
export class FaultList {
	private armed: ArmedFault[] = [];

	private holds: Hold[] = [];

	add(fault: Fault): void {
		this.armed.push(new ArmedFault(fault));
	}

	/** Takes what strikes the next request of a place. */
	take(place: FaultPlace, documentSha256?: string): Strike {
		const strike: Strike = { latencyMs: 0 };
		for (const armed of this.armed) {
			const { fault } = armed;
			const onlyDelays = fault.kind === 'latency' || fault.kind === 'held';
			if (strike.fault && !onlyDelays) continue;
			if (!armed.strikes(place, documentSha256)) continue;
			if (fault.kind === 'latency') strike.latencyMs += fault.ms;
			else if (fault.kind === 'held') strike.held = this.hold(documentSha256);
			else strike.fault = fault;
		}
		return strike;
	}

	/** Lets requests that are held go on: those for one document, or all. */
	release(documentSha256?: string): void {
		const released = this.holds.filter(
			(hold) => documentSha256 === undefined || hold.documentSha256 === documentSha256,
		);
		this.holds = this.holds.filter((hold) => !released.includes(hold));
		for (const { release } of released) release();
	}

	private async hold(documentSha256?: string): Promise<void> {
		await new Promise<void>((release) => this.holds.push({ documentSha256, release }));
	}
}

class ArmedFault {
	private passed = 0;
	private struck = 0;

	constructor(readonly fault: Fault) {}

	strikes(place: FaultPlace, documentSha256?: string): boolean {
		const { on, matchDocumentSha256, skip, times } = this.fault;
		if (on !== place) return false;
		if (matchDocumentSha256 && matchDocumentSha256 !== documentSha256) return false;
		if (this.passed < skip) {
			this.passed += 1;
			return false;
		}
		if (times !== 'always' && this.struck >= times) return false;
		this.struck += 1;
		return true;
	}
}
