import type { PacedRun } from '../../item';
import { Concurrency } from './concurrency';
import { Limit } from './limit';

/** The law of the pace. It holds once for each lane, and once more for the account. */
export class Pace {
	readonly limit = new Limit();

	readonly concurrency: Concurrency;

	/** @param maxOpen the most that Automatic opens */
	constructor(maxOpen: number) {
		this.concurrency = new Concurrency(maxOpen);
	}

	sent(now: number, { isAutomatic }: PacedRun): void {
		this.limit.open++;
		if (isAutomatic) this.concurrency.sent(now);
	}

	/** A request is no longer open. */
	ended(now: number, { isAutomatic }: PacedRun): void {
		this.limit.open--;
		if (isAutomatic) this.concurrency.ended(now);
	}

	/** @param isSuccess whether its time can be compared with others */
	accepted(now: number, sentAt: number, isSuccess: boolean): void {
		this.limit.accepted(sentAt);
		this.concurrency.answered(sentAt);
		if (isSuccess) this.concurrency.succeeded(now, sentAt);
	}
}
