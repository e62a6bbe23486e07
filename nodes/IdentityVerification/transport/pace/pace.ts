import type { PacedRun } from '../../item';
import { Limit } from './limit';
import { Refusals } from './refusalsInARow';
import { SEND, TURN_AWAY, sendAfter } from './verdict';
import type { Verdict } from './verdict';

/**
 * The pace of requests that share a limit: all those to a service, or those of a lane. It has no clock: all times are
 * given to it, in milliseconds.
 */
export class Pace {
	/** How many wait for their answer. */
	open = 0;

	limit = new Limit();

	readonly refusals = new Refusals();

	/** What this limit says of a request of a run. */
	verdict(now: number, run: PacedRun): Verdict {
		const { limit, open, refusals } = this;
		// A request that is still open may be taken.
		if (open === 0 && refusals.exceed(run)) return TURN_AWAY;
		if (limit.pausedUntil - now > run.patienceMs) {
			if (limit.pausedAt >= run.since) return TURN_AWAY;
			// A run that began during the pause probes whether it still holds.
			if (open === 0) return SEND;
		}
		return sendAfter(this.waitMs(now));
	}

	/** Whether the verdict is to wait, whatever the run. */
	holdsAll(now: number): boolean {
		const dependsOnRun = this.refusals.areEnough || this.limit.pausedUntil > now;
		return !dependsOnRun && this.waitMs(now) > 0;
	}

	waitMs(now: number): number {
		return this.limit.waitMs(now, this.open);
	}

	sent(now: number): void {
		this.open++;
		this.limit.sent(now);
	}

	taken(sentAt: number): void {
		this.refusals.end();
		this.limit.taken(sentAt);
	}

	/** A request met this limit, and isn't open any more. */
	refused(now: number, sentAt: number, retryAfterMs: number | undefined): void {
		this.limit.refused(now, sentAt, this.open, retryAfterMs);
	}
}
