/** The most that Automatic opens: how many the service can handle isn't documented. */
export const MOST_OPEN = 64;

/** How many are open at first. */
const FIRST = 4;

/** Answers this many times as slow as usual show that too many are open. */
const SLOW = 2;

/** Without a refusal, capacity and rate double in this time; in twice the time, they grow sixteenfold. */
const DOUBLING_MS = 12_000;

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** What became of a request. Times are in milliseconds. */
export interface Ending {
	/**
	 * `taken`: answered with success; `answered`: with another status, so its time says nothing;
	 * `refused`: with 429; `failed`: not at all, or by an overloaded service; `unknown`: given up.
	 */
	kind: 'taken' | 'answered' | 'refused' | 'failed' | 'unknown';
	sentAt: number;
	tookMs: number;
	/** How long the service asks to wait. */
	retryAfterMs?: number;
}

/**
 * How fast requests go to one service: how many may be open and, once it has refused some, how many
 * are sent in a second. It has no clock: all times are given to it, in milliseconds.
 */
export class Pace {
	/** How many wait for their answer, and how many of them `limit` covers. */
	open = 0;
	private automaticOpen = 0;

	/** When the service began to refuse all requests; undefined while it takes some. */
	refusedSince: number | undefined;

	/** When the service last refused a request or asked for a pause, and when the pause ends. */
	heldAt = -Infinity;
	heldUntil = 0;

	/** How many may be open, by the answer times. Doubles with each round until it has shrunk. */
	private limit = FIRST;
	private shrunkAt = -Infinity;
	private times: number[] = [];
	private usualMs: number | undefined;

	/** How many were open at the last refusal, if that can be its reason. */
	private capacity = Infinity;

	/** Requests per millisecond, once that is the limit. */
	private rate = Infinity;
	private nextAt = 0;

	/** How many were sent and not refused since the rate was measured. */
	private sentSince = 0;
	private measuredAt = 0;

	/** How long the next request has to wait; Infinity until one that is open is answered. */
	waitMs(now: number, isAutomatic: boolean): number {
		if (isAutomatic && this.automaticOpen >= Math.floor(this.limit)) return Infinity;
		const doublings = Math.sqrt(Math.max(0, Math.log2((this.open + 1) / this.capacity)));
		const probeAt = this.heldAt + doublings * DOUBLING_MS;
		return Math.max(this.nextAt, this.heldUntil, probeAt, now) - now;
	}

	sent(now: number, isAutomatic: boolean): void {
		if (this.rate === Infinity && this.sentSince === 0) this.measuredAt = now;
		this.open++;
		if (isAutomatic) this.automaticOpen++;
		this.sentSince++;
		this.nextAt = Math.max(this.nextAt, now + 1 / this.rateAt(now));
	}

	answered(now: number, isAutomatic: boolean, ending: Ending): void {
		const { kind, sentAt, tookMs, retryAfterMs } = ending;
		this.open--;
		if (isAutomatic) this.automaticOpen--;
		if (kind === 'taken' || kind === 'answered') this.take(sentAt);
		// Requests that were open together shrink the limit only once.
		if (kind === 'taken' && sentAt >= this.shrunkAt) this.judge(now, tookMs);
		if (kind === 'failed' && sentAt >= this.shrunkAt) this.shrink(now, 0.5);
		if (kind === 'refused') this.refuse(now, sentAt, retryAfterMs);
		if (kind === 'refused' || retryAfterMs !== undefined) this.hold(now, sentAt, retryAfterMs);
	}

	private take(sentAt: number): void {
		// A probe sent during the pause.
		if (sentAt > this.heldAt) this.heldUntil = 0;
		this.refusedSince = undefined;
		if (this.open + 1 < Math.floor(this.limit)) return;
		const more = this.shrunkAt === -Infinity ? 1 : 1 / this.limit;
		this.limit = Math.min(MOST_OPEN, this.limit + more);
	}

	/**
	 * Judges by the 25th percentile of the answer times, because documents take different times. If
	 * answers are slow although few requests are open, their number isn't the cause.
	 */
	private judge(now: number, tookMs: number): void {
		this.times.push(tookMs);
		if (this.times.length < Math.max(2 * FIRST, this.limit / 2)) return;
		const times = this.times.sort((a, b) => a - b);
		const recentMs = times[Math.floor(times.length / 4)] ?? 0;
		const usualMs = this.usualMs ?? recentMs;
		this.times = [];
		if (recentMs <= SLOW * usualMs) {
			// Not all at once: a few fast answers must not make all others count as slow.
			this.usualMs = Math.min(usualMs, Math.max(recentMs, 0.8 * usualMs));
		} else if (this.limit > 2 * FIRST) {
			this.shrink(now, Math.max(0.5, (SLOW * usualMs) / recentMs));
		} else {
			this.usualMs = recentMs;
			this.shrunkAt = -Infinity;
		}
	}

	private shrink(now: number, factor: number): void {
		this.shrunkAt = now;
		this.limit = Math.max(1, this.limit * factor);
	}

	/**
	 * A service can limit how many are open, or how many arrive in a second. It does the latter if it
	 * asks for a pause, or refuses a request when fewer are open than fit.
	 */
	private refuse(now: number, sentAt: number, retryAfterMs = 0): void {
		const { open, capacity } = this;
		const isFull = capacity < Infinity ? open >= capacity : open > 0;
		if (sentAt >= this.measuredAt) this.sentSince--;
		if (sentAt < this.heldAt) {
			// Each refusal of requests that were open together shows that fewer fit.
			if (capacity < Infinity) this.capacity = Math.min(capacity, Math.max(1, open));
		} else if (isFull && retryAfterMs === 0 && this.rate === Infinity) {
			this.capacity = open;
		} else {
			this.capacity = Infinity;
			this.slowDown(now);
		}
	}

	/** While nothing gets through, waits roughly double. */
	private slowDown(now: number): void {
		const refusedMs = this.sentSince > 0 ? 0 : now - (this.refusedSince ?? now);
		if (refusedMs === 0) this.rate = this.measuredRate(now);
		const waitMs = Math.min(LONGEST_WAIT_MS, 1 / this.rate + refusedMs);
		this.nextAt = Math.max(this.nextAt, now + waitMs);
		this.measuredAt = now;
		this.sentSince = 0;
	}

	private measuredRate(now: number): number {
		// What was taken within less than half a second says little.
		const measured = this.sentSince / Math.max(500, now - this.measuredAt);
		const before = this.rateAt(now);
		const least = before === Infinity ? 1 / FIRST_WAIT_MS : 0.65 * before;
		return Math.min(0.9 * before, Math.max(measured, least));
	}

	/** It grows only while the service takes requests. */
	private rateAt(now: number): number {
		if (this.refusedSince !== undefined) return this.rate;
		return this.rate * 2 ** (((now - this.measuredAt) / DOUBLING_MS) ** 2);
	}

	private hold(now: number, sentAt: number, ms = 0): void {
		this.refusedSince ??= now;
		const isLate = sentAt < this.heldAt;
		// If a request was sent after the last pause began, its answer replaces that pause.
		this.heldUntil = Math.max(isLate ? this.heldUntil : 0, now + ms);
		if (!isLate) this.heldAt = now;
	}
}
