import { RefusalsInARow } from './refusalsInARow';

/**
 * How long it takes without a refusal until twice as many may be open; in twice the time, it's 16
 * times as many. So the number grows slowly at first, because the limit was reached there, and then
 * faster and faster, because the limit seems to have gone.
 */
export const DOUBLING_MS = 12_000;

/** The wait after a refusal while nothing else is open. It doubles until a request is accepted. */
const FIRST_WAIT_MS = 1_000;

/**
 * Waits grow no longer than this, so the gate soon notices that the service accepts requests again,
 * or that a run's patience has ended.
 */
const MAX_WAIT_MS = 30_000;

/** Added to a time, so that rounding can't leave the number just short of the next whole one. */
const ROUNDING_MS = 0.001;

/** How many requests may be open, as refusals have shown it. Times are in milliseconds. */
export class Limit {
	/** How many requests wait for their answer. */
	open = 0;

	/** Until when the service has asked to pause. */
	pausedUntil = -Infinity;

	/** When it last did so. */
	pausedAt = -Infinity;

	readonly refusals = new RefusalsInARow();

	/** How many were open at the last refusal. */
	private openAtRefusal = Infinity;

	private refusedAt = -Infinity;

	/** Until when to wait because a request was refused although nothing else was open. */
	private waitsUntil = -Infinity;

	private nextWaitMs = FIRST_WAIT_MS;

	/** Nothing may be sent before. */
	get heldUntil(): number {
		return Math.max(this.pausedUntil, this.waitsUntil);
	}

	/** When one more may be open than are open now, pauses and waits aside. */
	roomAt(now: number): number {
		const wanted = this.open + 1;
		if (wanted <= this.allowed(now)) return now;
		const growthMs = DOUBLING_MS * Math.sqrt(Math.log2(wanted / this.openAtRefusal));
		return this.growsFrom + growthMs + ROUNDING_MS;
	}

	/** A request was accepted. If it was sent during a pause or a wait, that is over. */
	accepted(sentAt: number): void {
		this.refusals.clear();
		this.nextWaitMs = FIRST_WAIT_MS;
		if (sentAt > this.refusedAt) this.waitsUntil = -Infinity;
		if (sentAt > this.pausedAt) this.pausedUntil = -Infinity;
	}

	/** A request was refused, and is no longer open. One sent during a wait doesn't lengthen it. */
	refused(now: number, sentAt: number): void {
		this.refusals.add(now);
		this.lower(now, sentAt);
		if (this.open > 0 || sentAt < this.heldUntil) return;
		this.waitsUntil = now + this.nextWaitMs;
		this.nextWaitMs = Math.min(MAX_WAIT_MS, 2 * this.nextWaitMs);
	}

	/**
	 * A pause replaces the last one if the request was sent after that one began, because it is then
	 * the service's latest word. Otherwise, the longer pause counts.
	 */
	pause(now: number, sentAt: number, ms: number): void {
		const before = sentAt < this.pausedAt ? this.pausedUntil : -Infinity;
		this.pausedUntil = Math.max(before, now + ms);
		this.pausedAt = now;
	}

	/** Of requests that were open together, each that is refused shows that fewer are allowed. */
	private lower(now: number, sentAt: number): void {
		const wereOpenTogether = sentAt < this.refusedAt;
		const before = wereOpenTogether ? this.openAtRefusal : this.allowed(now);
		this.openAtRefusal = Math.max(1, Math.min(before, this.open));
		if (!wereOpenTogether) this.refusedAt = now;
	}

	private allowed(now: number): number {
		const doublings = (Math.max(0, now - this.growsFrom) / DOUBLING_MS) ** 2;
		return this.openAtRefusal * 2 ** doublings;
	}

	/**
	 * While everything is refused, the number doesn't grow during the wait. Otherwise, several requests
	 * would be sent after it instead of one.
	 */
	private get growsFrom(): number {
		return this.refusals.isEmpty ? this.refusedAt : Math.max(this.refusedAt, this.heldUntil);
	}
}
