import { Places } from './places';

/** How many requests are open at first. */
const FIRST = 4;

/** Answers that take this many times the usual time say that too many are open. */
const SLOW = 2;

/** What was taken within less time than this says little of a rate. */
const SHORTEST_SPAN_MS = 500;

/** In this time without a refusal, the rate doubles; in twice the time, it is sixteen times as high. */
const DOUBLING_MS = 15_000;

/** The longest wait after a single refusal, and the time that an answer is assumed to take until one has arrived. */
const FIRST_WAIT_MS = 1_000;

const LONGEST_WAIT_MS = 30_000;

/** What became of a request, as far as the pace goes. */
export interface Ending {
	/** As it was sent. */
	isAutomatic: boolean;
	/**
	 * `taken`: answered with success; `answered`: with another status, so its time says nothing;
	 * `refused`: with 429; `failed`: no answer, or the service is overloaded; `unknown`: given up.
	 */
	kind: 'taken' | 'answered' | 'refused' | 'failed' | 'unknown';
	/** When it was sent, and how long its answer took, in milliseconds. */
	sentAt: number;
	tookMs: number;
	/** How long the service asks to wait, in milliseconds. */
	retryAfterMs?: number;
}

/**
 * How fast requests go to one service: how many may be open, and, once the service has refused some,
 * how many are sent in a second. It has no clock: all times are given to it, in milliseconds.
 */
export class Pace {
	/** How many requests wait for their answer; and how many of them are limited. */
	open = 0;

	private automaticOpen = 0;

	/** When the service began to refuse all requests; undefined while it takes some. */
	refusedSince: number | undefined;

	/** When the service has last asked for a pause or refused a request. */
	heldAt = -Infinity;

	/** When the pause that the service has asked for ends. */
	heldUntil = 0;

	/** When the next request may be sent. */
	private nextAt = 0;

	/** How many may be open. Doubles with each round of answers until the first sign of overload. */
	private limit: number;

	private isOpening = true;

	private shrunkAt = -Infinity;

	/** How long the answers took since the limit was last judged; `lastMs` is the latest one. */
	private times: number[] = [];

	private lastMs = FIRST_WAIT_MS;

	private usualMs: number | undefined;

	/** Requests in a millisecond, as measured at the last refusal. */
	private rate = Infinity;

	/** The last refusal, or the first request; and how many were sent since then. */
	private measuredSince: number | undefined;

	private sentSince = 0;

	private refusalsInARow = 0;

	private readonly places = new Places();

	/** @param mostOpen how many requests may ever be open at once */
	constructor(private readonly mostOpen: number) {
		this.limit = Math.min(FIRST, mostOpen);
	}

	/**
	 * How long the next request has to wait; Infinity until one that is open is answered.
	 * @param isAutomatic false for one that `limit` doesn't hold back: it waits only after refusals and for pauses
	 */
	waitMs(now: number, isAutomatic: boolean): number {
		if (isAutomatic && this.automaticOpen >= Math.floor(this.limit)) return Infinity;
		const forAPlace = this.places.waitMs(now, this.lastMs, this.open);
		return Math.max(0, this.nextAt - now, this.heldUntil - now, forAPlace);
	}

	sent(now: number, isAutomatic: boolean): void {
		this.open++;
		if (isAutomatic) this.automaticOpen++;
		this.sentSince++;
		this.measuredSince ??= now;
		this.places.sent(now, this.open);
		// A single slow answer doesn't leave capacity unused.
		const answerMs = Math.min(this.lastMs, this.usualMs ?? FIRST_WAIT_MS);
		const spacingMs = Math.max(1 / this.rateAt(now), this.places.spacingMs(answerMs));
		this.nextAt = Math.max(this.nextAt, now + spacingMs);
	}

	answered(now: number, ending: Ending): void {
		const { isAutomatic, kind, sentAt, tookMs, retryAfterMs } = ending;
		const isFull = this.open >= Math.floor(this.limit);
		this.open--;
		if (isAutomatic) this.automaticOpen--;
		if (kind === 'taken' || kind === 'answered') this.take(sentAt, isFull);
		if (kind === 'taken') this.judge(now, sentAt, tookMs);
		if (kind === 'refused') this.refuse(now, sentAt, retryAfterMs);
		if (kind === 'failed') this.shrink(now, sentAt, 0.5);
		if (kind === 'refused' || retryAfterMs !== undefined) this.hold(now, sentAt, retryAfterMs ?? 0);
		this.places.ended(sentAt);
	}

	private hold(now: number, sentAt: number, ms: number): void {
		this.refusedSince ??= now;
		// If the request was sent after the last pause was asked for, its answer replaces that pause.
		const before = sentAt > this.heldAt ? 0 : this.heldUntil;
		this.heldUntil = Math.max(before, now + ms);
		this.heldAt = now;
	}

	private take(sentAt: number, isFull: boolean): void {
		// A probe sent during the pause.
		if (sentAt > this.heldAt) this.heldUntil = 0;
		if (this.places.taken(sentAt)) {
			this.limit = Math.min(this.mostOpen, this.open + 1);
			this.isOpening = true;
		}
		this.refusedSince = undefined;
		this.refusalsInARow = 0;
		if (!isFull) return;
		const more = this.isOpening ? 1 : Math.max(0.1, 1 / this.limit);
		this.limit = Math.min(this.mostOpen, this.limit + more);
	}

	/**
	 * Judges by the 25th percentile of the answer times, because documents take different times. If
	 * answers are slow although few requests are open, too many requests aren't the cause.
	 */
	private judge(now: number, sentAt: number, tookMs: number): void {
		this.lastMs = tookMs;
		if (sentAt < this.shrunkAt) return;
		this.times.push(tookMs);
		if (this.times.length < Math.max(2 * FIRST, this.limit / 2)) return;
		const [...times] = this.times.sort((a, b) => a - b);
		const recentMs = times[Math.floor(times.length / 4)] ?? 0;
		this.times = [];
		this.usualMs ??= recentMs;
		if (recentMs <= SLOW * this.usualMs) {
			// Not all at once: a few fast answers must not make all others count as slow.
			this.usualMs = Math.min(this.usualMs, Math.max(recentMs, 0.8 * this.usualMs));
		} else if (this.limit > 2 * FIRST) {
			this.shrink(now, sentAt, Math.max(0.5, (SLOW * this.usualMs) / recentMs));
		} else {
			this.usualMs = recentMs;
			this.isOpening = true;
		}
	}

	/** Once for all requests that were open together. */
	private shrink(now: number, sentAt: number, factor: number): void {
		if (sentAt < this.shrunkAt) return;
		this.shrunkAt = now;
		this.isOpening = false;
		this.limit = Math.max(1, this.limit * factor);
		this.times = [];
	}

	/**
	 * What the service took between two refusals is its rate, unless it limits how many requests are
	 * open. A service that asks for a pause limits the rate.
	 */
	private refuse(now: number, sentAt: number, retryAfterMs = 0): void {
		this.isOpening = false;
		if (retryAfterMs === 0 && this.places.refused(now, sentAt, this.open)) return;
		const since = this.measuredSince ?? now;
		// One of those that were open together with a refused one.
		if (sentAt < since) return;
		const taken = Math.max(0, this.sentSince - 1);
		if (taken > 0) this.refusalsInARow = 0;
		// While nothing gets through, the waits grow instead.
		if (taken > 0 || this.refusalsInARow < 2)
			this.rate = this.measuredRate(now, taken, now - since);
		const wait =
			Math.max(1 / this.rate, Math.min(this.lastMs, FIRST_WAIT_MS)) * 2 ** this.refusalsInARow;
		this.nextAt = Math.max(this.nextAt, now + Math.min(LONGEST_WAIT_MS, wait));
		this.refusalsInARow++;
		this.measuredSince = now;
		this.sentSince = 0;
	}

	private measuredRate(now: number, taken: number, span: number): number {
		const measured = taken / Math.max(SHORTEST_SPAN_MS, span);
		const before = this.rateAt(now);
		if (before === Infinity) return Math.max(measured, 1 / SHORTEST_SPAN_MS);
		// With none open, only the rate can have been too high, and the service's rate is at most this.
		const most = this.open === 0 ? (taken + 1) / span : Infinity;
		return Math.min(0.9 * before, Math.max(measured, Math.min(0.7 * before, most)));
	}

	private rateAt(now: number): number {
		return this.rate * 2 ** (((now - (this.measuredSince ?? now)) / DOUBLING_MS) ** 2);
	}
}
