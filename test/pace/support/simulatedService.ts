import type { RequestEnd } from '../../../nodes/IdentityVerification/transport/pace/gate';
import type { JumpingClock } from './jumpingClock';

/** What a service refuses with 429. */
export interface Limits {
	/** Requests that it accepts in a second; its bucket holds `burst` of them. */
	perSecond?(ms: number): number;
	burst?: number;
	/** Whether a refusal says after how many whole seconds to come again. */
	hasRetryAfter?: boolean;
	/** How many requests it works on at once. */
	mostOpen?: number;
}

/** A service: how long it takes to answer, and its limits. */
export interface ServiceModel extends Limits {
	/** In milliseconds, by how many requests are open, and how many were accepted so far. */
	latencyMs(open: number, accepted: number): number;
	/** In milliseconds, for an endpoint with a profile that is slower than the others. */
	latencyOf?(lane: string): number | undefined;
	/** While so many are open, another one fails. */
	failsAbove?: number;
	/** How long a refusal or a failure is on its way. */
	refusalMs?: number;
	/** Limits of an endpoint with a profile, such as a quota of its own. */
	limitsOf?(lane: string): Limits | undefined;
	/** How all requests of an endpoint end, such as of one that is down; undefined where it works. */
	failureOf?(lane: string): RequestEnd | undefined;
}

/** An answer, and when it arrived. */
export interface Answer {
	ms: number;
	/** How many others were open then. */
	open: number;
	isRefused: boolean;
}

const GOLDEN_RATIO = 1.618;

/** Answers requests by the clock, as its description says. */
export class SimulatedService {
	readonly answers: Answer[] = [];

	requests = 0;

	mostOpen = 0;

	private open = 0;

	private accepted = 0;

	private readonly account: Quota;

	private readonly lanes = new Map<string, Quota>();

	constructor(
		private readonly clock: JumpingClock,
		private readonly service: ServiceModel,
	) {
		this.account = new Quota(service);
	}

	/** Sends a request. */
	request(lane: string, answered: (outcome: RequestEnd) => void): void {
		this.requests++;
		this.open++;
		this.mostOpen = Math.max(this.mostOpen, this.open);
		const { latencyOf, failsAbove = Infinity, refusalMs = 2 } = this.service;
		const laneMs = latencyOf?.(lane);
		const isTooMany = this.account.open >= failsAbove;
		const failure = isTooMany ? { kind: 'failed' as const } : this.service.failureOf?.(lane);
		if (failure) {
			this.clock.after(laneMs ?? refusalMs, () => this.answer(failure, answered));
			return;
		}
		const quotas = [this.account, this.quotaOf(lane)];
		const waits = quotas.flatMap((quota) => quota.refusal(this.clock.now()) ?? []);
		if (waits.length > 0) {
			const retryAfterMs = Math.max(...waits);
			const answer = () => this.answer({ kind: 'refused', retryAfterMs }, answered);
			this.clock.after(refusalMs, answer);
			return;
		}
		for (const quota of quotas) quota.enter();
		// Not two of them at the same time.
		const spread = 1 + 0.01 * ((this.requests * GOLDEN_RATIO) % 1);
		const ms = laneMs ?? this.service.latencyMs(this.account.open, this.accepted);
		this.clock.after(spread * ms, () => {
			for (const quota of quotas) quota.leave();
			this.accepted++;
			this.answer({ kind: 'succeeded' }, answered);
		});
	}

	private answer(outcome: RequestEnd, answered: (outcome: RequestEnd) => void): void {
		this.open--;
		const isRefused = outcome.kind === 'refused';
		this.answers.push({ ms: this.clock.now(), open: this.open, isRefused });
		answered(outcome);
	}

	private quotaOf(lane: string): Quota {
		const quota = this.lanes.get(lane) ?? new Quota(this.service.limitsOf?.(lane) ?? {});
		this.lanes.set(lane, quota);
		return quota;
	}
}

/** A token bucket, and a number of requests at once. */
class Quota {
	open = 0;

	private readonly burst: number;

	private tokens: number;

	private filledAt = 0;

	constructor(private readonly limits: Limits) {
		const perSecond = limits.perSecond?.(0) ?? Infinity;
		this.burst = limits.burst ?? Math.max(1, perSecond);
		this.tokens = perSecond === 0 ? 0 : this.burst;
	}

	/** How long it asks to wait, 0 if it doesn't say; undefined if it accepts a request now. */
	refusal(now: number): number | undefined {
		const { perSecond, hasRetryAfter = false, mostOpen = Infinity } = this.limits;
		const perMs = (perSecond?.(now) ?? Infinity) / 1_000;
		const filled = perMs === Infinity ? Infinity : this.tokens + (now - this.filledAt) * perMs;
		this.tokens = Math.min(this.burst, filled);
		this.filledAt = now;
		if (this.tokens >= 1 && this.open < mostOpen) return undefined;
		if (!hasRetryAfter || perMs === 0) return 0;
		return Math.ceil(Math.max(0, 1 - this.tokens) / perMs / 1_000) * 1_000;
	}

	enter(): void {
		this.tokens--;
		this.open++;
	}

	leave(): void {
		this.open--;
	}
}
