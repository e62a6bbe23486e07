import type { PacedRun } from '../../item';

/**
 * A request isn't given up after fewer refusals than this. They can be bad luck: when many requests
 * share a limit, others may simply be faster.
 */
const MIN_REFUSALS_TO_GIVE_UP = 5;

/** Counts refusals between which no request was accepted. */
export class RefusalsInARow {
	private count = 0;

	private firstAt = 0;

	private lastAt = 0;

	get isEmpty(): boolean {
		return this.count === 0;
	}

	get areEnoughToGiveUp(): boolean {
		return this.count >= MIN_REFUSALS_TO_GIVE_UP;
	}

	add(now: number): void {
		if (this.isEmpty) this.firstAt = now;
		this.count++;
		this.lastAt = now;
	}

	/** A request was accepted. */
	clear(): void {
		this.count = 0;
	}

	/** The time before the run began doesn't count. */
	exceedPatienceOf({ patienceMs, since }: PacedRun): boolean {
		return this.areEnoughToGiveUp && this.lastAt - Math.max(this.firstAt, since) > patienceMs;
	}
}
