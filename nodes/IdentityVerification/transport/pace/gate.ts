import type { PacedRun } from '../../item';
import { LOGGED_EVERY_MS } from '../../progress';
import { Blame } from './blame';
import { Alarm, realClock } from './clock';
import type { Clock } from './clock';
import { MAX_OPEN, MAX_OPEN_IN_ALL } from './concurrency';
import { KEPT_MS, Lane, keyOf } from './lane';
import type { LaneName } from './lane';
import { Pace } from './pace';
import { Queue } from './queue';
import type { Line, SentRequest, WaitingRequest } from './queue';

/**
 * A lane has at most this many times as many open as it leaves free: 64 of 72 if it's alone, and
 * less the more lanes have some open. So the next lane finds room, even if all of these hang.
 */
const SHARE = MAX_OPEN / (MAX_OPEN_IN_ALL - MAX_OPEN);

/** How a request ended. It was accepted if it was answered by a service that isn't overloaded. */
export interface RequestEnd {
	/**
	 * `succeeded`: answered with success; `otherStatus`: answered with another status, so its time
	 * can't be compared; `refused`: answered with 429; `failed`: not answered at all, or by an overloaded
	 * service; `incomplete`: not sent whole by the node, so it says nothing about the service.
	 */
	kind: 'succeeded' | 'otherStatus' | 'refused' | 'failed' | 'incomplete';
	/** How long the service asks to wait, in milliseconds. */
	retryAfterMs?: number;
}

/** A request that asks to be sent. */
export interface RequestToSend {
	run: PacedRun;
	lane: LaneName;
	/** How often the service has refused it. */
	refusals: number;
}

/** What is to be done next. */
interface Next {
	refusedTooLong: WaitingRequest[];
	/** Goes now. */
	request?: WaitingRequest;
	/** If there is neither: when to look again. */
	wakeAt: number;
}

/** Sends the requests of all node runs to one account at the rate that the service allows. */
export class Gate {
	/** The pace of all lanes together. */
	private readonly account = new Pace(MAX_OPEN_IN_ALL);

	/** The lanes that were used in the last minute, or are paused. */
	private readonly lanes = new Map<string, Lane>();

	private readonly blame = new Blame();

	private readonly queue = new Queue(() => this.dropEnded());

	private readonly nextPass: Alarm;

	private readonly nextLog: Alarm;

	private isPassScheduled = false;

	private sweptAt: number;

	constructor(private readonly clock: Clock = realClock) {
		this.nextPass = new Alarm(clock, () => this.pass());
		this.nextLog = new Alarm(clock, () => this.log());
		this.sweptAt = clock.now();
	}

	/**
	 * Asks for a request to be sent.
	 * @param settle called once: when the request may be sent, after which `leave` has to be called;
	 * or with undefined when its run has ended, or the service refuses for longer than the run waits
	 */
	enter(
		{ run, lane, refusals }: RequestToSend,
		settle: (sent: SentRequest | undefined) => void,
	): void {
		// Behind requests that wait, it would wait as well before it is given up.
		if (run.stopSignal.aborted) {
			settle(undefined);
			return;
		}
		const isFirst = this.queue.add({ run, lane: this.laneFor(lane), settle }, refusals);
		// Thousands can enter at once. Behind others, it can wait until all have.
		if (isFirst) this.pass();
		else this.passSoon();
	}

	/** Ends a request that was let through. */
	leave(sent: SentRequest, end: RequestEnd): void {
		const now = this.clock.now();
		const { run, lane } = sent;
		lane.usedAt = now;
		run.progress.ended();
		for (const pace of [lane.pace, this.account]) pace.ended(now, run);
		this.learn(now, sent, end);
		this.passSoon();
	}

	/** Whether it has no state worth keeping. */
	isForgettable(now: number): boolean {
		this.sweep(now);
		return this.lanes.size === 0;
	}

	private learn(now: number, sent: SentRequest, { kind, retryAfterMs }: RequestEnd): void {
		const { lane, at, run } = sent;
		if (kind === 'succeeded' || kind === 'otherStatus') {
			this.blame.accepted(now);
			for (const pace of [lane.pace, this.account]) pace.accepted(now, at, kind === 'succeeded');
		}
		if (kind === 'refused') this.learnRefused(now, sent);
		// A request that its run gave up says nothing about the service.
		if (kind === 'failed' && !run.stopSignal.aborted) this.learnFailed(now, sent);
		// A profile over its quota asks for hours, which mustn't hold up others.
		if (retryAfterMs) lane.pace.limit.pause(now, at, retryAfterMs);
	}

	private learnRefused(now: number, { lane, at }: SentRequest): void {
		const { limit } = lane.pace;
		if (this.blame.judgeRefusal(lane, now) === 'lane') return limit.refused(now, at);
		this.account.limit.refused(now, at);
		limit.refusals.add(now);
	}

	private learnFailed(now: number, { lane, at }: SentRequest): void {
		lane.pace.concurrency.failed(now, at);
		if (this.blame.judgeFailure(lane, now) === 'account') this.account.concurrency.failed(now, at);
	}

	/**
	 * Passes only once all requests that end at the same time have ended. One that failed may be
	 * about to end its run, which then must not send more.
	 */
	private passSoon(): void {
		if (this.isPassScheduled) return;
		this.isPassScheduled = true;
		this.clock.after(0, () => {
			this.isPassScheduled = false;
			this.pass();
		});
	}

	/** Sends or gives up requests, until all that are left have to wait. */
	private pass(): void {
		const now = this.clock.now();
		const settled = new Map<WaitingRequest, SentRequest | undefined>();
		let next = this.next(now);
		while (next.request || next.refusedTooLong.length > 0) {
			const { request, refusedTooLong } = next;
			for (const each of refusedTooLong) {
				this.queue.remove(each);
				settled.set(each, undefined);
			}
			if (request) settled.set(request, this.letThrough(now, request));
			next = this.next(now);
		}
		for (const [request, sent] of settled) request.settle(sent);
		this.wakeAt(now, next.wakeAt);
	}

	/** Lanes that have none open go first, and then the order of turns counts. */
	private next(now: number): Next {
		const heldUntil = this.allHeldUntil(now);
		if (heldUntil > now) return { refusedTooLong: [], wakeAt: heldUntil };
		let request: WaitingRequest | undefined;
		let wakeAt = Infinity;
		for (const line of this.queue) {
			const next = this.nextInLine(now, line);
			if (next.refusedTooLong.length > 0 || next.request?.lane.hasNoneOpen) return next;
			request ??= next.request;
			wakeAt = Math.min(wakeAt, next.wakeAt);
		}
		return { refusedTooLong: [], request, wakeAt };
	}

	private nextInLine(now: number, line: Line): Next {
		const refusedTooLong: WaitingRequest[] = [];
		let wakeAt = Infinity;
		for (const request of line) {
			if (this.isRefusedTooLong(now, request)) {
				refusedTooLong.push(request);
				continue;
			}
			const goesAt = this.mayGoAt(now, request);
			if (goesAt <= now) return { refusedTooLong, request, wakeAt: now };
			wakeAt = Math.min(wakeAt, goesAt);
			if (!this.dependsOnRun(now, request.lane)) break;
		}
		return { refusedTooLong, wakeAt };
	}

	/**
	 * Before this time, no lane can send. It is looked at first, because thousands of lanes can wait.
	 */
	private allHeldUntil(now: number): number {
		const { limit, concurrency } = this.account;
		// Requests may have to be given up.
		if (limit.refusals.areEnoughToGiveUp) return now;
		const isFull = !concurrency.hasRoom && this.queue.isAutomatic;
		return Math.max(limit.roomAt(now), isFull ? concurrency.stalledAt : now);
	}

	/** Whether requests of a line differ by their runs in whether they have to wait. */
	private dependsOnRun(now: number, { pace: { limit } }: Lane): boolean {
		const { refusals } = this.account.limit;
		const areEnough = limit.refusals.areEnoughToGiveUp || refusals.areEnoughToGiveUp;
		return areEnough || limit.pausedUntil > now;
	}

	/** Whether the service has refused the lane's requests, or asks it to pause, for too long. */
	private isRefusedTooLong(now: number, { run, lane }: WaitingRequest): boolean {
		const { limit } = lane.pace;
		const isPausedTooLong = limit.pausedUntil - now > run.patienceMs;
		if (isPausedTooLong && limit.pausedAt >= run.since) return true;
		// A request that is still open may be accepted and so end the refusals.
		if (!lane.hasNoneOpen || limit.refusals.isEmpty) return false;
		const all = this.account.limit;
		const isByAccount = all.open === 0 && all.refusals.exceedPatienceOf(run);
		return isByAccount || limit.refusals.exceedPatienceOf(run);
	}

	/** When a request may go. Infinity means that another one has to end first. */
	private mayGoAt(now: number, { run, lane }: WaitingRequest): number {
		const { limit } = lane.pace;
		const all = this.account.limit;
		// A run that began in a long pause sends one request to see whether the pause still holds.
		const isProbe = lane.hasNoneOpen && limit.pausedUntil - now > run.patienceMs;
		// What waits because of other lanes' refusals may be what is accepted.
		const isUnrefused = lane.hasNoneOpen && limit.refusals.isEmpty;
		return Math.max(
			limit.roomAt(now),
			isProbe ? now : limit.heldUntil,
			all.roomAt(now),
			isUnrefused ? now : all.heldUntil,
			run.isAutomatic ? this.placeAt(now, lane) : now,
		);
	}

	/** When concurrency has a place for one more request of this lane. */
	private placeAt(now: number, lane: Lane): number {
		const { concurrency } = lane.pace;
		const all = this.account.concurrency;
		const leavesFree = MAX_OPEN_IN_ALL - 1 - all.open;
		if (!concurrency.hasRoom || concurrency.open > SHARE * leavesFree) return Infinity;
		if (all.hasRoom) return now;
		return lane.hasNoneOpen ? all.stalledAt : Infinity;
	}

	private letThrough(now: number, request: WaitingRequest): SentRequest {
		const { run, lane } = request;
		this.queue.hadTurn(request);
		this.queue.remove(request);
		for (const pace of [lane.pace, this.account]) pace.sent(now, run);
		run.progress.sent();
		return { run, lane, at: now };
	}

	private dropEnded(): void {
		for (const request of this.queue.ended) {
			this.queue.remove(request);
			request.settle(undefined);
		}
		this.wakeAt(this.clock.now(), Infinity);
	}

	/** While requests wait, their runs are logged now and then. When none waits, no timer is left. */
	private wakeAt(now: number, at: number): void {
		if (this.queue.isEmpty) {
			this.nextPass.cancel();
			this.nextLog.cancel();
			return;
		}
		if (at < Infinity) this.nextPass.set(at);
		this.nextLog.set(now + LOGGED_EVERY_MS);
	}

	private log(): void {
		for (const { progress } of this.queue.runs) progress.log();
		this.nextLog.set(this.clock.now() + LOGGED_EVERY_MS);
	}

	private laneFor(name: LaneName): Lane {
		const now = this.clock.now();
		if (now - this.sweptAt > KEPT_MS) this.sweep(now);
		const key = keyOf(name);
		const lane = this.lanes.get(key) ?? new Lane(name);
		this.lanes.set(key, lane);
		lane.usedAt = now;
		return lane;
	}

	/** Forgets unused lanes once in a while and not at each request, because there can be many. */
	private sweep(now: number): void {
		this.sweptAt = now;
		for (const lane of this.lanes.values()) {
			if (lane.isForgettable(now)) this.lanes.delete(lane.key);
		}
	}
}
