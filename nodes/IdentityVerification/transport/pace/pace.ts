import type { PacedRun } from '../../item';
import { Limit } from './limit';
import { RefusalsInARow } from './refusalsInARow';
import { SEND, TURN_AWAY, sendAfter } from './verdict';
import type { Verdict } from './verdict';

/**
 * The pace of requests that share a limit: all requests to a service, or those of one lane. It has
 * no clock. All times are given to it, in milliseconds.
 */
export class Pace {
	/** How many requests wait for their answer. */
	open = 0;

	limit = new Limit();

	readonly refusalsInARow = new RefusalsInARow();

	/**
	 * What becomes of a request of this run as far as this limit is concerned.
	 * @param mayProbe whether only requests of other lanes were refused, so that one of this lane can
	 * be accepted nevertheless
	 */
	verdict(now: number, run: PacedRun, mayProbe = false): Verdict {
		const { limit, open, refusalsInARow } = this;
		// A request that is still open may be accepted and so end the refusals.
		if (open === 0 && refusalsInARow.exceedPatienceOf(run)) return mayProbe ? SEND : TURN_AWAY;
		if (limit.pausedUntil - now > run.patienceMs) {
			if (limit.pausedAt >= run.since && !mayProbe) return TURN_AWAY;
			// A run that began during the pause sends one request to probe whether it still holds.
			if (open === 0) return SEND;
		}
		return sendAfter(this.waitMs(now));
	}

	/** Whether every request has to wait, no matter which run sends it. */
	holdsAll(now: number): boolean {
		const dependsOnRun = this.refusalsInARow.areEnoughToGiveUp || this.limit.pausedUntil > now;
		return !dependsOnRun && this.waitMs(now) > 0;
	}

	waitMs(now: number): number {
		return this.limit.waitMs(now, this.open);
	}

	sent(now: number): void {
		this.open++;
		this.limit.sent(now);
	}

	accepted(sentAt: number): void {
		this.refusalsInARow.clear();
		this.limit.accepted(sentAt);
	}

	/** The request that reached this limit is no longer counted as open. */
	refused(now: number, sentAt: number, retryAfterMs: number | undefined): void {
		this.limit.refused(now, sentAt, this.open, retryAfterMs);
	}
}
