/**
 * How long it takes without a refusal until twice as much is allowed; in twice the time, it's 16
 * times as much. With half of it, a limit that still holds is reached up to 2.5 times as often;
 * with twice, a limit that has gone holds up a batch for longer.
 */
const DOUBLING_MS = 12_000;

/** The rate after the first refusal, per millisecond: one request a second is a usual limit. */
const INITIAL_RATE = 1 / 1_000;

/**
 * Waits grow no longer than this, so the gate soon notices that the service accepts requests again,
 * or that a run's patience has ended.
 */
const MAX_WAIT_MS = 30_000;

/** A shorter time says little about a rate, because its requests can be the rest of a burst. */
const MIN_MEASURED_MS = 500;

/**
 * A refusal lowers the rate by about a third at most, because there may have been little to send in
 * the time measured. Lowered by half, the rate leaves the service idle; lowered by a fifth, it's
 * refused again too often before it's right.
 */
const MIN_RATE_FACTOR = 0.65;

/**
 * How many times as much is allowed after a time without a refusal. It grows slowly at first,
 * because the limit was reached there, and then faster and faster, because the limit seems to have
 * gone.
 */
export function growthAfter(ms: number): number {
	return 2 ** ((ms / DOUBLING_MS) ** 2);
}

/** The inverse of `growthAfter`: after how many milliseconds this many times as much is allowed. */
export function timeToGrow(factor: number): number {
	return factor <= 1 ? 0 : DOUBLING_MS * Math.sqrt(Math.log2(factor));
}

/** What the service seems to limit. A state may follow those above it, but never one below it. */
type State =
	| { kind: 'unlimited' }
	/** How many may be open: as many as at the last refusal. The first refusal is read as this. */
	| { kind: 'maxOpen'; open: number }
	/**
	 * How fast requests may follow each other: at the rate last measured, per millisecond. A refusal
	 * is read as this if it asks for a pause, or if fewer requests were open than were allowed.
	 */
	| { kind: 'maxRate'; rate: number };

/** What refusals have shown: the limit they come from, and the pause that the service asks for. */
export class Limit {
	/** When the last pause began. A refusal without Retry-After is a pause of no length. */
	pausedAt = -Infinity;

	pausedUntil = -Infinity;

	private state: State = { kind: 'unlimited' };

	/** When the rate allows the next request. */
	private nextAt = -Infinity;

	/** Since when everything is refused; undefined while requests are accepted. */
	private refusedSince: number | undefined;

	/** How many requests were sent and not refused since `measuredSince`. */
	private sentSince = 0;

	/** When the rate was last measured; before that, when the first request was sent. */
	private measuredSince = 0;

	/** Whether there was a refusal or a pause. */
	get isKnown(): boolean {
		return this.pausedAt > -Infinity;
	}

	/** A pause alone, such as that of a 503, doesn't show that a limit was reached. */
	get wasReached(): boolean {
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
		if (this.state.kind !== 'maxRate' && this.sentSince === 0) this.measuredSince = now;
		this.sentSince++;
		this.nextAt = now + 1 / this.rateAt(now);
	}

	/** A request that was sent during the pause and accepted shows that the pause is over. */
	accepted(sentAt: number): void {
		if (sentAt > this.pausedAt) this.pausedUntil = -Infinity;
		this.refusedSince = undefined;
	}

	/**
	 * A request reached this limit.
	 * @param open how many others are open
	 * @param retryAfterMs how long the service asks to wait
	 */
	refused(now: number, sentAt: number, open: number, retryAfterMs = 0): void {
		this.uncount();
		if (sentAt < this.pausedAt) this.lowerMaxOpen(open);
		else this.learn(now, open, retryAfterMs);
		this.pause(now, sentAt, retryAfterMs);
	}

	/** A request that was counted as sent doesn't count for the rate, because it wasn't accepted. */
	uncount(): void {
		if (this.sentSince > 0) this.sentSince--;
	}

	/**
	 * The service asks for a pause. It replaces the last one if the request was sent after that one
	 * began, because it is then the service's latest word. Otherwise, the longer pause counts.
	 */
	pause(now: number, sentAt: number, ms: number): void {
		this.refusedSince ??= now;
		const wasSentBefore = sentAt < this.pausedAt;
		this.pausedUntil = Math.max(wasSentBefore ? this.pausedUntil : -Infinity, now + ms);
		if (!wasSentBefore) this.pausedAt = now;
	}

	/** A lane learns on a copy, so the service's limit, or its own from before, stays as it was. */
	copy(): Limit {
		return Object.assign(new Limit(), this, { state: { ...this.state } });
	}

	/** Of requests that were open together, each that is refused shows that fewer are allowed. */
	private lowerMaxOpen(open: number): void {
		if (this.state.kind !== 'maxOpen') return;
		this.state.open = Math.min(this.state.open, Math.max(1, open));
	}

	private learn(now: number, open: number, retryAfterMs: number): void {
		const isFull = this.state.kind === 'maxOpen' ? open >= this.state.open : open > 0;
		if (this.state.kind !== 'maxRate' && isFull && retryAfterMs === 0) {
			this.state = { kind: 'maxOpen', open };
		} else {
			this.lowerMaxRate(now);
		}
	}

	/** While everything is refused, each wait is about twice as long as the one before. */
	private lowerMaxRate(now: number): void {
		const refusedMs = this.sentSince > 0 ? 0 : now - (this.refusedSince ?? now);
		const keepsRate = this.state.kind === 'maxRate' && refusedMs > 0;
		const rate = keepsRate ? this.rateAt(now) : this.measuredRate(now);
		this.state = { kind: 'maxRate', rate };
		this.nextAt = now + Math.min(MAX_WAIT_MS, 1 / rate + refusedMs);
		this.measuredSince = now;
		this.sentSince = 0;
	}

	private measuredRate(now: number): number {
		const measured = this.sentSince / Math.max(MIN_MEASURED_MS, now - this.measuredSince);
		const before = this.rateAt(now);
		return Math.max(measured, before === Infinity ? INITIAL_RATE : MIN_RATE_FACTOR * before);
	}

	/** The rate grows only while the service accepts requests. */
	private rateAt(now: number): number {
		if (this.state.kind !== 'maxRate') return Infinity;
		if (this.refusedSince !== undefined) return this.state.rate;
		return this.state.rate * growthAfter(now - this.measuredSince);
	}

	/** When one more request may be open than are open now. */
	private roomAt(open: number): number {
		if (this.state.kind !== 'maxOpen') return -Infinity;
		return this.pausedAt + timeToGrow((open + 1) / this.state.open);
	}
}
