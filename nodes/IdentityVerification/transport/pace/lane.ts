import type { PacedRun } from '../../item';
import type { Clock } from './clock';

/** How long a lane is remembered after its last request. */
export const KEPT_MS = 60_000;

/** The hold after a 429 without Retry-After. It doubles until a request is accepted. */
const FIRST_HOLD_MS = 1_000;

/** With longer ones, more lanes that share a limit would be given up: others are faster each time. */
const LONGEST_HOLD_MS = 8_000;

/** Fewer refusals in a row can be bad luck. */
const REFUSALS_TO_GIVE_UP = 5;

/** How a request ended. */
export interface RequestEnd {
	/**
	 * `accepted`: answered by a service that isn't overloaded; `refused`: answered with 429; `failed`:
	 * not answered at all, or by an overloaded service; `incomplete`: not sent whole by the node, so it
	 * says nothing about the service.
	 */
	kind: 'accepted' | 'refused' | 'failed' | 'incomplete';
	/** How long the service asks to wait, in milliseconds. */
	retryAfterMs?: number;
}

/** A request that waits for its turn. */
export interface WaitingRequest {
	run: PacedRun;
	/** Called once; with undefined when the request is given up. */
	settle(sent: SentRequest | undefined): void;
}

/** A request that was let through. */
export interface SentRequest {
	run: PacedRun;
	lane: Lane;
	sentAt: number;
}

/** The requests to one endpoint with one profile, which can have a limit of its own. */
export class Lane {
	open = 0;

	/** Until when nothing may be sent. */
	heldUntil = -Infinity;

	/** The run whose turn is next is first. */
	private readonly waiting = new Map<PacedRun, WaitingRequest[]>();

	private usedAt = -Infinity;

	/** When the service last showed that it holds the lane. */
	private heldAt = -Infinity;

	private nextHoldMs = FIRST_HOLD_MS;

	/** Refusals since a request was last accepted. */
	private refusals = 0;

	private firstRefusedAt = 0;

	private lastRefusedAt = 0;

	constructor(private readonly clock: Clock) {}

	get isHeld(): boolean {
		return this.heldUntil > this.clock.now();
	}

	get isWaiting(): boolean {
		return this.waiting.size > 0;
	}

	/** Whether it shares what the account may have open. */
	get isInUse(): boolean {
		return this.open > 0 || (this.isWaiting && !this.isHeld);
	}

	get isForgettable(): boolean {
		const isUnused = this.open === 0 && !this.isWaiting && !this.isHeld;
		return isUnused && this.clock.now() - this.usedAt > KEPT_MS;
	}

	add(request: WaitingRequest): void {
		this.usedAt = this.clock.now();
		this.waiting.set(request.run, [...(this.waiting.get(request.run) ?? []), request]);
	}

	/** Takes the next request, if one may be sent. Then it's the turn of other runs. */
	take(): WaitingRequest | undefined {
		for (const [run, requests] of this.waiting) {
			// A run that began in a long hold sends one request, to see whether it still holds.
			const isProbe = this.open === 0 && this.isHeldTooLong(run);
			if (this.isHeld && !isProbe) continue;
			const [request, ...others] = requests;
			this.waiting.delete(run);
			if (others.length > 0) this.waiting.set(run, others);
			this.open++;
			return request;
		}
		return undefined;
	}

	/** Takes all requests of runs for which it is over. */
	takeGivenUp(): WaitingRequest[] {
		const givenUp: WaitingRequest[] = [];
		for (const [run, requests] of this.waiting) {
			if (!this.isOverFor(run)) continue;
			this.waiting.delete(run);
			givenUp.push(...requests);
		}
		return givenUp;
	}

	/**
	 * Whether the run has ended, or the service refuses for longer than it waits. What happened before
	 * it began doesn't count.
	 */
	isOverFor(run: PacedRun): boolean {
		const { patienceMs, since, stopSignal } = run;
		const isAskedToWait = this.heldAt >= since && this.isHeldTooLong(run);
		const refusedMs = this.lastRefusedAt - Math.max(this.firstRefusedAt, since);
		const isRefused = this.refusals >= REFUSALS_TO_GIVE_UP && refusedMs > patienceMs;
		return stopSignal.aborted || isAskedToWait || isRefused;
	}

	/** A request that was taken has ended. */
	ended({ sentAt }: SentRequest, { kind, retryAfterMs }: RequestEnd): void {
		const now = this.clock.now();
		this.usedAt = now;
		this.open--;
		if (kind === 'accepted') return this.accepted(sentAt);
		if (kind === 'refused') this.countRefusal(now);
		if (retryAfterMs) this.hold(now, retryAfterMs);
		else if (kind === 'refused' && this.open === 0) this.holdLonger(now);
		// A probe that fails shows its run that the lane is still held.
		else if (kind === 'failed' && sentAt > this.heldAt) this.heldAt = now;
	}

	private accepted(sentAt: number): void {
		this.refusals = 0;
		this.nextHoldMs = FIRST_HOLD_MS;
		if (sentAt > this.heldAt) this.heldUntil = -Infinity;
	}

	private countRefusal(now: number): void {
		if (this.refusals++ === 0) this.firstRefusedAt = now;
		this.lastRefusedAt = now;
	}

	private holdLonger(now: number): void {
		this.hold(now, this.nextHoldMs);
		this.nextHoldMs = Math.min(LONGEST_HOLD_MS, 2 * this.nextHoldMs);
	}

	/** Only a request that is accepted shortens a hold. */
	private hold(now: number, ms: number): void {
		this.heldUntil = Math.max(this.heldUntil, now + ms);
		this.heldAt = now;
	}

	private isHeldTooLong({ patienceMs }: PacedRun): boolean {
		return this.heldUntil - this.clock.now() > patienceMs;
	}
}
