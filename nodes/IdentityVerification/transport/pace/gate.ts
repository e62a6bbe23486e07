import type { PacedRun } from '../../item';
import { LOGGED_EVERY_MS } from '../../progress';
import { Alarm, realClock } from './clock';
import type { Clock } from './clock';
import { Concurrency } from './concurrency';
import { Evidence } from './evidence';
import { KEPT_MS, Lane } from './lane';
import { Pace } from './pace';
import { Queue } from './queue';
import type { Sent, Waiting } from './queue';
import { TURN_AWAY, WAIT_FOR_AN_ANSWER, both } from './verdict';
import type { Verdict } from './verdict';

/** How a request ended. */
export interface RequestEnd {
	/**
	 * `succeeded`: answered with success; `answered`: with another status, so its time says nothing; `refused`: with 429;
	 * `failed`: not answered at all, or by an overloaded service; `incomplete`: the node couldn't send it whole, so it says
	 * nothing about the service.
	 */
	kind: 'succeeded' | 'answered' | 'refused' | 'failed' | 'incomplete';
	/** How long the service asks to wait, in milliseconds. */
	retryAfterMs?: number;
}

/** A request that asks to be sent. */
export interface Entering {
	run: PacedRun;
	/** Its endpoint and profile. */
	lane: string;
	/** How often the service has refused it. */
	refusals: number;
}

/** Sends the requests of all node runs to one service at the rate that it allows. */
export class Gate {
	private readonly service = new Pace();

	private readonly concurrency = new Concurrency();

	/** Those that have requests, or were refused not long ago. */
	private readonly lanes = new Map<string, Lane>();

	private readonly evidence = new Evidence();

	private readonly queue = new Queue(() => this.turnAwayEnded());

	private readonly nextPass: Alarm;

	private readonly nextLog: Alarm;

	private isAboutToPass = false;

	private usedAt: number;

	/** When a request was last taken. */
	private takenAt = -Infinity;

	private sweptAt: number;

	constructor(private readonly clock: Clock = realClock) {
		this.nextPass = new Alarm(clock, () => this.pass());
		this.nextLog = new Alarm(clock, () => this.log());
		this.usedAt = this.sweptAt = clock.now();
	}

	/**
	 * Asks for a request to be sent.
	 * @param settle called once: when the request may be sent, after which `leave` has to be called; with undefined
	 * when its run has ended, or the service refuses for longer than the run waits
	 */
	enter({ run, lane: key, refusals }: Entering, settle: (sent: Sent | undefined) => void): void {
		const now = this.clock.now();
		const request = this.queue.add({ run, lane: this.laneFor(key, now), settle }, refusals);
		const verdict = this.verdict(now, request);
		// For the others, nothing has changed.
		if (verdict.kind === 'wait') this.wakeAfter(now, verdict.ms);
		else this.pass();
	}

	/** Ends a request that was let through. */
	leave(sent: Sent, end: RequestEnd): void {
		const now = this.clock.now();
		const { run, lane } = sent;
		this.usedAt = lane.usedAt = now;
		run.progress.ended();
		this.service.open--;
		lane.pace.open--;
		if (run.isAutomatic) this.concurrency.open--;
		this.learn(now, sent, end);
		this.forgetIfIdle(lane, now);
		this.passSoon();
	}

	/** Whether it has no state worth keeping. */
	isForgettable(now: number): boolean {
		if (this.service.open > 0 || !this.queue.isEmpty || now - this.usedAt <= KEPT_MS) return false;
		this.sweep(now);
		return this.lanes.size === 0 && this.service.limit.pausedUntil <= now;
	}

	private learn(now: number, { run, lane, at }: Sent, { kind, retryAfterMs }: RequestEnd): void {
		switch (kind) {
			case 'succeeded':
			case 'answered':
				this.evidence.taken(lane, at);
				this.service.taken(at);
				lane.pace.taken(at);
				lane.failedAt = undefined;
				this.takenAt = now;
				this.concurrency.answered();
				if (kind === 'succeeded') this.concurrency.succeeded(now, at);
				break;
			case 'refused':
				this.learnRefusal(now, lane, at, retryAfterMs);
				break;
			case 'failed':
				// A request that its run gave up says nothing of the service.
				if (!run.ended.aborted) this.fail(now, lane, at);
				if (retryAfterMs !== undefined) {
					const culprit = this.evidence.refused(lane, now, this.service.limit);
					const met = culprit === 'lane' ? lane.pace : this.service;
					met.limit.pause(now, at, retryAfterMs);
				}
				break;
			case 'incomplete':
				this.service.limit.uncount();
				lane.pace.limit.uncount();
		}
	}

	/** If others were taken since the lane last failed, it fails by itself: the service isn't overloaded. */
	private fail(now: number, lane: Lane, sentAt: number): void {
		const failsByItself = lane.failedAt !== undefined && this.takenAt > lane.failedAt;
		lane.failedAt = now;
		if (!failsByItself) this.concurrency.failed(now, sentAt);
	}

	private learnRefusal(
		now: number,
		lane: Lane,
		sentAt: number,
		retryAfterMs: number | undefined,
	): void {
		const { service } = this;
		const culprit = this.evidence.refused(lane, now, service.limit);
		const met = culprit === 'lane' ? lane.pace : service;
		met.refused(now, sentAt, retryAfterMs);
		lane.pace.refusals.add(now);
		if (culprit === 'service') service.refusals.add(now);
	}

	/** Once for all requests that end together; and not at once: if one has failed, its run may be about to end. */
	private passSoon(): void {
		if (this.isAboutToPass) return;
		this.isAboutToPass = true;
		this.clock.after(0, () => {
			this.isAboutToPass = false;
			this.pass();
		});
	}

	/** Sends or turns away the requests that have waited long enough. */
	private pass(): void {
		const now = this.clock.now();
		const settled = new Map<Waiting, Sent | undefined>();
		const held = new Set<Lane>();
		let waitMs = Infinity;
		for (const request of this.queue) {
			// Thousands can wait: most of them are passed over together.
			if (held.has(request.lane)) continue;
			if (this.service.holdsAll(now)) {
				waitMs = Math.min(waitMs, this.service.waitMs(now));
				break;
			}
			if (request.lane.pace.holdsAll(now)) held.add(request.lane);
			const verdict = this.verdict(now, request);
			if (verdict.kind === 'wait') waitMs = Math.min(waitMs, verdict.ms);
			else settled.set(request, verdict.kind === 'send' ? this.send(now, request) : undefined);
		}
		this.settle(settled);
		this.wakeAfter(now, waitMs);
	}

	private verdict(now: number, { run, lane }: Waiting): Verdict {
		if (run.ended.aborted) return TURN_AWAY;
		const shared = both(this.service.verdict(now, run), lane.pace.verdict(now, run));
		const isHeld = run.isAutomatic && !this.concurrency.hasRoom;
		return isHeld ? both(shared, WAIT_FOR_AN_ANSWER) : shared;
	}

	private send(now: number, request: Waiting): Sent {
		const { run, lane } = request;
		this.queue.hadTurn(request);
		this.service.sent(now);
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

	private settle(requests: Map<Waiting, Sent | undefined>): void {
		if (requests.size === 0) return;
		const now = this.clock.now();
		this.queue.remove(new Set(requests.keys()));
		for (const { lane } of requests.keys()) this.forgetIfIdle(lane, now);
		for (const [request, sent] of requests) request.settle(sent);
	}

	/** While requests wait, their runs are logged from time to time. Once none waits, no timer is left. */
	private wakeAfter(now: number, ms: number): void {
		if (this.queue.isEmpty) {
			this.nextPass.off();
			this.nextLog.off();
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

	/** Forgets lanes that were refused and aren't used any more: once in a while, for all requests together. */
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
