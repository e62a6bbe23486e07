import type { PacedRun } from '../../item';
import { LOGGED_EVERY_MS } from '../../progress';
import { Alarm, realClock } from './clock';
import type { Clock } from './clock';
import { Concurrency } from './concurrency';
import { Evidence } from './evidence';
import { KEPT_MS, Lane } from './lane';
import type { LimitOwner } from './lane';
import { Pace } from './pace';
import { Queue } from './queue';
import type { SentRequest, WaitingRequest } from './queue';
import { TURN_AWAY, WAIT_FOR_AN_ANSWER, stricter } from './verdict';
import type { Verdict } from './verdict';

/** How a request ended. It was accepted if it succeeded or was answered. */
export interface RequestEnd {
	/**
	 * `succeeded`: answered with success; `answered`: answered with another status, so its time can't
	 * be compared; `refused`: answered with 429; `failed`: not answered at all, or by an overloaded
	 * service; `incomplete`: not sent whole by the node, so it says nothing about the service.
	 */
	kind: 'succeeded' | 'answered' | 'refused' | 'failed' | 'incomplete';
	/** How long the service asks to wait, in milliseconds. */
	retryAfterMs?: number;
}

/** A request that asks to be sent. */
export interface RequestToSend {
	run: PacedRun;
	/** Names its lane, such as by its endpoint and profile. */
	laneKey: string;
	/** How often the service has refused it. */
	refusals: number;
}

/** Sends the requests of all node runs to one service at the rate that it allows. */
export class Gate {
	/** What all lanes share. */
	private readonly servicePace = new Pace();

	private readonly concurrency = new Concurrency();

	/** The lanes that have requests, or were refused or failed not long ago. */
	private readonly lanes = new Map<string, Lane>();

	private readonly evidence = new Evidence();

	private readonly queue = new Queue(() => this.turnAwayEnded());

	private readonly nextPass: Alarm;

	private readonly nextLog: Alarm;

	private isPassScheduled = false;

	/** When a request last ended. */
	private usedAt: number;

	/** When a request was last accepted. */
	private acceptedAt = -Infinity;

	private sweptAt: number;

	constructor(private readonly clock: Clock = realClock) {
		this.nextPass = new Alarm(clock, () => this.pass());
		this.nextLog = new Alarm(clock, () => this.log());
		this.usedAt = this.sweptAt = clock.now();
	}

	/**
	 * Asks for a request to be sent.
	 * @param settle called once: when the request may be sent, after which `leave` has to be called;
	 * or with undefined when its run has ended, or the service refuses for longer than the run waits
	 */
	enter(
		{ run, laneKey, refusals }: RequestToSend,
		settle: (sent: SentRequest | undefined) => void,
	): void {
		// Behind requests that wait, it would wait as well before it is turned away.
		if (run.ended.aborted) {
			settle(undefined);
			return;
		}
		const now = this.clock.now();
		const request = this.queue.add({ run, lane: this.laneFor(laneKey, now), settle }, refusals);
		const verdict = this.verdict(now, request);
		// If this request has to wait, nothing has changed for the others.
		if (verdict.kind === 'wait') this.wakeAfter(now, verdict.ms);
		else this.pass();
	}

	/** Ends a request that was let through. */
	leave(sent: SentRequest, end: RequestEnd): void {
		const now = this.clock.now();
		const { run, lane } = sent;
		this.usedAt = lane.usedAt = now;
		run.progress.ended();
		this.servicePace.open--;
		lane.pace.open--;
		if (run.isAutomatic) this.concurrency.open--;
		this.learn(now, sent, end);
		this.forgetIfIdle(lane, now);
		this.passSoon();
	}

	/** Whether it has no state worth keeping. */
	isForgettable(now: number): boolean {
		const isInUse = this.servicePace.open > 0 || !this.queue.isEmpty;
		if (isInUse || now - this.usedAt <= KEPT_MS) return false;
		this.sweep(now);
		return this.lanes.size === 0 && this.servicePace.limit.pausedUntil <= now;
	}

	private learn(now: number, sent: SentRequest, { kind, retryAfterMs }: RequestEnd): void {
		switch (kind) {
			case 'succeeded':
			case 'answered':
				this.learnAccepted(now, sent);
				if (kind === 'succeeded') this.concurrency.succeeded(now, sent.at);
				break;
			case 'refused':
				this.learnRefused(now, sent, retryAfterMs);
				break;
			case 'failed':
				this.learnFailed(now, sent, retryAfterMs);
				break;
			case 'incomplete':
				this.servicePace.limit.uncount();
				sent.lane.pace.limit.uncount();
		}
	}

	private learnAccepted(now: number, { lane, at }: SentRequest): void {
		this.evidence.accepted(lane, at);
		this.servicePace.accepted(at);
		lane.pace.accepted(at);
		lane.failedAt = undefined;
		this.acceptedAt = now;
		this.concurrency.answered();
	}

	private learnRefused(now: number, { lane, at }: SentRequest, retryAfterMs?: number): void {
		const owner = this.judgeRefusal(now, lane);
		this.paceOf(owner, lane).refused(now, at, retryAfterMs);
		// Whoever's limit it is, Max Rate Limit Wait is about one endpoint with one profile.
		lane.pace.refusalsInARow.add(now);
		if (owner === 'service') this.servicePace.refusalsInARow.add(now);
	}

	private learnFailed(now: number, { run, lane, at }: SentRequest, retryAfterMs?: number): void {
		// A request that its run gave up says nothing about the service.
		if (!run.ended.aborted) this.learnOverload(now, lane, at);
		if (retryAfterMs === undefined) return;
		const owner = this.judgeRefusal(now, lane);
		this.paceOf(owner, lane).limit.pause(now, at, retryAfterMs);
	}

	/** If others were accepted since the lane last failed, the service itself isn't overloaded. */
	private learnOverload(now: number, lane: Lane, sentAt: number): void {
		const failsAlone = lane.failedAt !== undefined && this.acceptedAt > lane.failedAt;
		lane.failedAt = now;
		if (!failsAlone) this.concurrency.failed(now, sentAt);
	}

	private judgeRefusal(now: number, lane: Lane): LimitOwner {
		return this.evidence.judgeRefusal(lane, now, this.servicePace.limit);
	}

	private paceOf(owner: LimitOwner, lane: Lane): Pace {
		return owner === 'lane' ? lane.pace : this.servicePace;
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

	/** Sends or turns away the requests that have waited long enough. */
	private pass(): void {
		const now = this.clock.now();
		const settled = new Map<WaitingRequest, SentRequest | undefined>();
		const heldLanes = new Set<Lane>();
		let waitMs = Infinity;
		for (const request of this.queue) {
			// Thousands can wait, so those of a lane that waits are skipped without a verdict.
			if (heldLanes.has(request.lane)) continue;
			if (this.servicePace.holdsAll(now)) {
				waitMs = Math.min(waitMs, this.servicePace.waitMs(now));
				break;
			}
			if (request.lane.pace.holdsAll(now)) heldLanes.add(request.lane);
			const verdict = this.verdict(now, request);
			if (verdict.kind === 'wait') waitMs = Math.min(waitMs, verdict.ms);
			else
				settled.set(request, verdict.kind === 'send' ? this.letThrough(now, request) : undefined);
		}
		this.settle(settled);
		this.wakeAfter(now, waitMs);
	}

	private verdict(now: number, { run, lane }: WaitingRequest): Verdict {
		if (run.ended.aborted) return TURN_AWAY;
		const mayProbe = lane.state.kind === 'notRefused';
		const byService = this.servicePace.verdict(now, run, mayProbe);
		const byLimits = stricter(byService, lane.pace.verdict(now, run));
		const hasRoom = !run.isAutomatic || this.concurrency.hasRoom;
		return hasRoom ? byLimits : stricter(byLimits, WAIT_FOR_AN_ANSWER);
	}

	private letThrough(now: number, request: WaitingRequest): SentRequest {
		const { run, lane } = request;
		this.queue.hadTurn(request);
		this.servicePace.sent(now);
		lane.pace.sent(now);
		if (run.isAutomatic) this.concurrency.open++;
		run.progress.sent();
		return { run, lane, at: now };
	}

	private turnAwayEnded(): void {
		const ended = [...this.queue].filter(({ run }) => run.ended.aborted);
		this.settle(new Map(ended.map((request) => [request, undefined])));
		this.wakeAfter(this.clock.now(), Infinity);
	}

	private settle(requests: Map<WaitingRequest, SentRequest | undefined>): void {
		if (requests.size === 0) return;
		const now = this.clock.now();
		this.queue.remove(new Set(requests.keys()));
		for (const { lane } of requests.keys()) this.forgetIfIdle(lane, now);
		for (const [request, sent] of requests) request.settle(sent);
	}

	/** While requests wait, their runs are logged now and then. When none waits, no timer is left. */
	private wakeAfter(now: number, ms: number): void {
		if (this.queue.isEmpty) {
			this.nextPass.cancel();
			this.nextLog.cancel();
			return;
		}
		if (ms < Infinity) this.nextPass.set(now + ms);
		this.nextLog.set(now + LOGGED_EVERY_MS);
	}

	private log(): void {
		for (const { progress } of this.queue.runs) progress.log();
		this.nextLog.set(this.clock.now() + LOGGED_EVERY_MS);
	}

	private laneFor(key: string, now: number): Lane {
		if (now - this.sweptAt > KEPT_MS) this.sweep(now);
		const lane = this.lanes.get(key) ?? new Lane(key);
		this.lanes.set(key, lane);
		return lane;
	}

	/** Forgets unused lanes once in a while and not at each request, because there can be many. */
	private sweep(now: number): void {
		this.sweptAt = now;
		for (const lane of this.lanes.values()) this.forgetIfIdle(lane, now);
	}

	private forgetIfIdle(lane: Lane, now: number): void {
		if (!lane.isForgettable(now)) return;
		this.lanes.delete(lane.key);
		this.evidence.forget(lane);
	}
}
