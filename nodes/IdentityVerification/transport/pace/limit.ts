/**
 * Without a refusal, what is allowed doubles in this time; in twice the time, it grows sixteenfold. With half of it, a
 * limit that still holds is met up to 2.5 times as often; with twice, one that has gone holds up a batch for longer.
 */
const DOUBLING_MS = 12_000;

/** The wait after the first refusal by a service that names no time: one request a second is a usual limit. */
const FIRST_WAIT_MS = 1_000;

/** Waits double up to this one, so that the end of a long refusal, and of a run's patience, is noticed soon. */
const LONGEST_WAIT_MS = 30_000;

/** What was taken in less time than this says little about a rate: it can be the rest of a burst. */
const LEAST_MEASURED_MS = 500;

/**
 * A refusal lowers the rate by a third at most, because in the time measured there may have been less to send. By half,
 * the service is left idle; by a fifth, it refuses again before the rate is found.
 */
const LARGEST_STEP = 0.65;

/**
 * By how much more is allowed after a time without a refusal: slowly at first, because the limit was met there, then
 * faster and faster, because it seems to have gone.
 */
export function growthAfter(ms: number): number {
	return 2 ** ((ms / DOUBLING_MS) ** 2);
}

/** After how many milliseconds that much more is allowed: the inverse of `growthAfter`. */
export function timeToGrow(factor: number): number {
	return factor <= 1 ? 0 : DOUBLING_MS * Math.sqrt(Math.log2(factor));
}

/** What refusals have shown to be limited. It begins unlimited, and at most goes on from one to the next. */
type State =
	| { kind: 'unlimited' }
	/** How many are open: as many as there were at the last refusal. The first refusal is taken for this. */
	| { kind: 'howMany'; open: number }
	/**
	 * How fast they follow each other: requests per millisecond, as last measured. It's this if the service asks for a
	 * pause, or refuses a request when fewer are open than fit.
	 */
	| { kind: 'howFast'; rate: number };

/** What refusals have taught: the limit that they come from, and the pause that the service asks for on top of it. */
export class Limit {
	/** When a request was last refused or a pause was asked for. */
	pausedAt = -Infinity;

	pausedUntil = -Infinity;

	private state: State = { kind: 'unlimited' };

	/** When the rate allows the next request. */
	private nextAt = -Infinity;

	/** Since when everything is refused; undefined while some requests are taken. */
	private refusedSince: number | undefined;

	/** How many were sent and not refused since measuring began: with the last measured rate, or the first request. */
	private sentSince = 0;

	private measuredAt = 0;

	/** Whether there has been a refusal or a pause. */
	get isKnown(): boolean {
		return this.pausedAt > -Infinity;
	}

	/** Whether it was met: the next refusal most likely comes from it as well. */
	get isMet(): boolean {
		return this.state.kind !== 'unlimited';
	}

	/**
	 * How long the next request has to wait.
	 * @param open how many are open
	 */
	waitMs(now: number, open: number): number {
		return Math.max(this.nextAt, this.pausedUntil, this.roomAt(open), now) - now;
	}

	sent(now: number): void {
		if (this.state.kind !== 'howFast' && this.sentSince === 0) this.measuredAt = now;
		this.sentSince++;
		this.nextAt = now + 1 / this.rateAt(now);
	}

	/** A request was taken. One that was sent during the pause shows that it's over. */
	taken(sentAt: number): void {
		if (sentAt > this.pausedAt) this.pausedUntil = -Infinity;
		this.refusedSince = undefined;
	}

	/**
	 * A request met this limit.
	 * @param open how many others are open
	 * @param retryAfterMs how long the service asks to wait
	 */
	refused(now: number, sentAt: number, open: number, retryAfterMs = 0): void {
		this.uncount();
		if (sentAt < this.pausedAt) this.refusedTogether(open);
		else this.learn(now, open, retryAfterMs);
		this.pause(now, sentAt, retryAfterMs);
	}

	/** A request that was counted as sent wasn't taken. */
	uncount(): void {
		if (this.sentSince > 0) this.sentSince--;
	}

	/**
	 * The service asks for a pause. If the request was sent after the last pause began, this one replaces it, because it's
	 * the service's latest word; otherwise the longer one counts.
	 */
	pause(now: number, sentAt: number, ms: number): void {
		this.refusedSince ??= now;
		const isLate = sentAt < this.pausedAt;
		this.pausedUntil = Math.max(isLate ? this.pausedUntil : -Infinity, now + ms);
		if (!isLate) this.pausedAt = now;
	}

	/** The same, for another owner. */
	copy(): Limit {
		return Object.assign(new Limit(), this, { state: { ...this.state } });
	}

	/** Each refusal of requests that were open together shows that fewer fit. */
	private refusedTogether(open: number): void {
		if (this.state.kind !== 'howMany') return;
		this.state.open = Math.min(this.state.open, Math.max(1, open));
	}

	private learn(now: number, open: number, retryAfterMs: number): void {
		const isFull = this.state.kind === 'howMany' ? open >= this.state.open : open > 0;
		if (this.state.kind !== 'howFast' && isFull && retryAfterMs === 0) {
			this.state = { kind: 'howMany', open };
		} else {
			this.slowDown(now);
		}
	}

	/** While nothing gets through, waits double, roughly. */
	private slowDown(now: number): void {
		const refusedMs = this.sentSince > 0 ? 0 : now - (this.refusedSince ?? now);
		const isMeasured = this.state.kind === 'howFast' && refusedMs > 0;
		const rate = isMeasured ? this.rateAt(now) : this.measure(now);
		this.state = { kind: 'howFast', rate };
		this.nextAt = now + Math.min(LONGEST_WAIT_MS, 1 / rate + refusedMs);
		this.measuredAt = now;
		this.sentSince = 0;
	}

	private measure(now: number): number {
		const measured = this.sentSince / Math.max(LEAST_MEASURED_MS, now - this.measuredAt);
		const before = this.rateAt(now);
		const least = before === Infinity ? 1 / FIRST_WAIT_MS : LARGEST_STEP * before;
		return Math.max(measured, least);
	}

	/** It grows only while the service takes requests. */
	private rateAt(now: number): number {
		if (this.state.kind !== 'howFast') return Infinity;
		if (this.refusedSince !== undefined) return this.state.rate;
		return this.state.rate * growthAfter(now - this.measuredAt);
	}

	/** When one more may be open than were at the last refusal. */
	private roomAt(open: number): number {
		if (this.state.kind !== 'howMany') return -Infinity;
		return this.pausedAt + timeToGrow((open + 1) / this.state.open);
	}
}
