import type { PacedRun } from '../../item';

/** Fewer in a row can be bad luck: when many requests share a limit, others are faster. */
const ENOUGH = 5;

/** Refusals in a row: nothing was taken in between. */
export class Refusals {
	private count = 0;

	private since = 0;

	private lastAt = 0;

	get areGoingOn(): boolean {
		return this.count > 0;
	}

	get areEnough(): boolean {
		return this.count >= ENOUGH;
	}

	add(now: number): void {
		if (this.count === 0) this.since = now;
		this.count++;
		this.lastAt = now;
	}

	/** A request was taken. */
	end(): void {
		this.count = 0;
	}

	/** Whether they are enough, and have lasted for longer than the run waits. What was before it doesn't count. */
	exceed({ patienceMs, since }: PacedRun): boolean {
		return this.areEnough && this.lastAt - Math.max(this.since, since) > patienceMs;
	}
}
