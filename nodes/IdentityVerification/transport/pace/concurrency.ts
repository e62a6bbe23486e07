/** The most that Automatic opens: how many the service can handle isn't documented. */
export const MOST_OPEN = 64;

/**
 * How many are open at first: few enough for a small service, and enough to find out fast. With 64, a service that takes
 * one a second would receive 2.2 requests a document instead of 1.4.
 */
const FIRST = 4;

/** Answer times are compared once there are as many; with no more open, slow answers have another cause. */
const FEW = 2 * FIRST;

/** Answers this many times as slow as usual show that too many are open. */
const SLOW = 2;

/**
 * After a failure, half as many may be open, because a failed request may be charged. Otherwise, at a service that fails
 * above 10, 1,900 of 2,000 documents would fail instead of 6.
 */
const HALF = 0.5;

/** By how much the usual time can fall at once: a few fast answers must not make all others count as slow. */
const FALL = 0.8;

/**
 * How many requests Automatic may have open, by their answer times. It is starting, and doubles with each round of
 * answers, until answers are slow or fail; from then on it's growing, by one a round.
 */
export class Concurrency {
	/** How many of Automatic's requests wait for their answer. */
	open = 0;

	private limit = FIRST;

	private phase: 'starting' | 'growing' = 'starting';

	/** Requests that were open together shrink the limit only once. */
	private shrunkAt = -Infinity;

	/** Answer times since they were last compared, in milliseconds. */
	private times: number[] = [];

	private usualMs: number | undefined;

	get hasRoom(): boolean {
		return this.open < Math.floor(this.limit);
	}

	/**
	 * A request was answered, and isn't open any more. If it had the last place, there may be one more. Otherwise, it says
	 * nothing: requests one after the other must not make a later batch begin with 64.
	 */
	answered(): void {
		if (this.open + 1 < Math.floor(this.limit)) return;
		const more = this.phase === 'starting' ? 1 : 1 / this.limit;
		this.limit = Math.min(MOST_OPEN, this.limit + more);
	}

	/** A request failed, or an overloaded service did. */
	failed(now: number, sentAt: number): void {
		if (sentAt >= this.shrunkAt) this.shrink(now, HALF);
	}

	/** A request was taken, and its time counts. */
	succeeded(now: number, sentAt: number): void {
		if (sentAt < this.shrunkAt) return;
		this.times.push(now - sentAt);
		if (this.times.length < Math.max(FEW, this.limit / 2)) return;
		this.compare(now, firstQuarter(this.times));
		this.times = [];
	}

	/** If answers are slow although few requests are open, their number isn't the cause: their time is the usual one now. */
	private compare(now: number, recentMs: number): void {
		const usualMs = this.usualMs ?? recentMs;
		if (recentMs <= SLOW * usualMs) {
			this.usualMs = Math.min(usualMs, Math.max(recentMs, FALL * usualMs));
		} else if (this.limit > FEW) {
			this.shrink(now, (SLOW * usualMs) / recentMs);
		} else {
			this.usualMs = recentMs;
			this.phase = 'starting';
		}
	}

	/** At least one stays: with none open, no answer could make it grow again. */
	private shrink(now: number, factor: number): void {
		this.phase = 'growing';
		this.shrunkAt = now;
		this.limit = Math.max(1, this.limit * factor);
	}
}

/**
 * The time within which a quarter was answered, because documents take different times. The mean would follow a few slow
 * ones, and the fastest a few that are answered at once; a batch could then take 2.7 or 2.2 times as long.
 */
function firstQuarter(times: number[]): number {
	const sorted = [...times].sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 4)] ?? 0;
}
