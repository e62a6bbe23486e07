import type { RequestEnd } from '../../../nodes/IdentityVerification/transport/pace/lane';
import type { JumpingClock } from './jumpingClock';
import type { Receiver } from './simulation';

/** A service: how long it takes to answer, and what it refuses. */
export interface ServiceModel {
	/** In milliseconds, by how many requests were accepted so far. */
	latencyMs(accepted: number): number;
	/** In milliseconds, for an endpoint with a profile that is slower than the others. */
	latencyOf?(lane: string): number | undefined;
	/** Requests that it accepts in a second; as many can be saved up. */
	perSecond?: number;
	/** How many requests it works on at once. */
	mostOpen?: number;
	/** While that many are open, another one fails. */
	failsAbove?: number;
	/** How requests end at a time in milliseconds, such as in an outage; undefined if it works. */
	failureOf?(lane: string, ms: number): RequestEnd | undefined;
	/** How long a refusal or a failure takes. */
	refusalMs?: number;
}

const GOLDEN_RATIO = 1.618;

/** A service that answers after that many milliseconds. */
export function steady(latencyMs: number, model: Partial<ServiceModel> = {}): ServiceModel {
	return { latencyMs: () => latencyMs, ...model };
}

/** Latencies around one, evenly spread. */
export function uneven(ms: number): ServiceModel['latencyMs'] {
	return (accepted) => ms * (0.7 + 0.06 * ((7 * accepted) % 11));
}

/** Answers requests by the clock, as its model says. */
export class SimulatedService implements Receiver {
	requests = 0;

	private open = 0;

	private accepted = 0;

	private tokens: number;

	private filledAt = 0;

	constructor(
		private readonly clock: JumpingClock,
		private readonly model: ServiceModel,
	) {
		this.tokens = model.perSecond ?? 0;
	}

	request(lane: string, answered: (end: RequestEnd) => void): void {
		this.requests++;
		const { latencyOf, refusalMs = 2 } = this.model;
		const laneMs = latencyOf?.(lane);
		const refusal = this.refusalOf(lane);
		if (refusal) {
			this.clock.after(laneMs ?? refusalMs, () => answered(refusal));
			return;
		}
		this.open++;
		// Not two of them at the same time.
		const spread = 1 + 0.01 * ((this.requests * GOLDEN_RATIO) % 1);
		this.clock.after(spread * (laneMs ?? this.model.latencyMs(this.accepted)), () => {
			this.open--;
			this.accepted++;
			answered({ kind: 'accepted' });
		});
	}

	private refusalOf(lane: string): RequestEnd | undefined {
		const { mostOpen = Infinity, failsAbove = Infinity, failureOf } = this.model;
		if (this.open >= failsAbove) return { kind: 'failed' };
		const failure = failureOf?.(lane, this.clock.now());
		if (failure) return failure;
		return this.open < mostOpen && this.takeToken() ? undefined : { kind: 'refused' };
	}

	private takeToken(): boolean {
		const { perSecond } = this.model;
		if (perSecond === undefined) return true;
		const now = this.clock.now();
		const filled = this.tokens + ((now - this.filledAt) * perSecond) / 1_000;
		this.tokens = Math.min(perSecond, filled);
		this.filledAt = now;
		if (this.tokens < 1) return false;
		this.tokens--;
		return true;
	}
}
