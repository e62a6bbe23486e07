import type { PacedRun } from '../../item';
import { LOGGED_EVERY_MS } from '../../progress';
import { Allowance } from './allowance';
import { realClock } from './clock';
import type { Clock } from './clock';
import { Lane } from './lane';
import type { RequestEnd, SentRequest, WaitingRequest } from './lane';

/**
 * Sends the requests of all node runs to one account, by this law:
 *
 * Of an account, four requests are open at first. Each answer adds one if all places were taken, up
 * to 64; a failure (it may be charged) or a 429 halves the number, once for those that were open
 * together, and from then on each round adds one. Operations and profiles with something to send
 * share it evenly and take turns (one that is refused keeps its turn), and so do runs; one place
 * beyond it goes to one that has nothing open, until one there fails or is refused. A 429 or 503 with
 * Retry-After (both free; the 503 halves like a failure), or a 429 while nothing else of its operation
 * and profile is open, holds these for that time, or for 1, 2, 4, 8, 8 … s until one is accepted; five
 * in a row over more than Max Rate Limit Wait end their run unpaid, a longer Retry-After at once, and a
 * run that begins in it sends one request.
 */
export class Gate {
	private readonly allowance = new Allowance();

	/** By their names. The lane whose turn is next is first. */
	private readonly lanes = new Map<string, Lane>();

	/** How many requests of a run wait. */
	private readonly waiting = new Map<PacedRun, number>();

	private isPassScheduled = false;

	/** When to look without being asked. */
	private looksAt = Infinity;

	constructor(private readonly clock: Clock = realClock) {}

	/**
	 * Asks for a request to be sent.
	 * @param laneName endpoint and profile
	 * @param settle called once: when the request may be sent, after which `leave` has to be called;
	 * or with undefined when its run has ended, or the service refuses for longer than the run waits
	 */
	enter(run: PacedRun, laneName: string, settle: WaitingRequest['settle']): void {
		const lane = this.lanes.get(laneName) ?? new Lane(this.clock);
		this.lanes.set(laneName, lane);
		if (lane.isOverFor(run)) return settle(undefined);
		const others = this.waiting.get(run) ?? 0;
		if (others === 0) run.stopSignal.addEventListener('abort', this.giveUp);
		this.waiting.set(run, others + 1);
		lane.add({ run, settle });
		this.passSoon();
	}

	/** Ends a request that was let through. */
	leave(request: SentRequest, end: RequestEnd): void {
		const { run, lane } = request;
		// A request that its run gave up says nothing about the service.
		const kind = end.kind === 'failed' && run.stopSignal.aborted ? 'incomplete' : end.kind;
		if (kind === 'accepted') this.allowance.accepted(request);
		if (kind === 'refused' || kind === 'failed') this.allowance.halve(this.clock.now(), request);
		this.allowance.ended(request);
		lane.ended(request, { ...end, kind });
		if (kind === 'refused') this.keepTurn(lane);
		if (kind !== 'accepted') this.giveUpIn(lane);
		this.passSoon();
	}

	/** Whether it has no state worth keeping. Forgets its unused lanes. */
	isForgettable(): boolean {
		for (const [name, lane] of this.lanes) if (lane.isForgettable) this.lanes.delete(name);
		return this.lanes.size === 0;
	}

	/** Otherwise, the same lanes could be refused each time, while others are accepted. */
	private keepTurn(refused: Lane): void {
		for (const [name, lane] of [...this.lanes]) {
			if (lane === refused) continue;
			this.lanes.delete(name);
			this.lanes.set(name, lane);
		}
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

	/** Sends requests, until all that are left have to wait. */
	private pass(): void {
		const inUse = [...this.lanes.values()].filter((lane) => lane.isInUse).length;
		// A lane that sends goes to the end, where this comes to it again.
		for (const [name, lane] of this.lanes) {
			const request = this.allowance.hasPlace(lane.open, inUse) ? lane.take() : undefined;
			if (!request) continue;
			this.lanes.delete(name);
			this.lanes.set(name, lane);
			const sent = { run: request.run, lane, sentAt: this.clock.now() };
			this.allowance.sent(sent);
			this.settle(request, sent);
		}
		this.lookLater();
	}

	private readonly giveUp = (): void => {
		for (const lane of this.lanes.values()) this.giveUpIn(lane);
	};

	/** Settles the requests of runs that have ended, or that the service refuses for too long. */
	private giveUpIn(lane: Lane): void {
		for (const request of lane.takeGivenUp()) this.settle(request);
	}

	/** Stops listening after the run's last request, because its signal can outlive the run. */
	private settle({ run, settle }: WaitingRequest, sent?: SentRequest): void {
		const left = (this.waiting.get(run) ?? 0) - 1;
		if (left > 0) this.waiting.set(run, left);
		else {
			this.waiting.delete(run);
			run.stopSignal.removeEventListener('abort', this.giveUp);
		}
		settle(sent);
	}

	/** While requests wait, looks when a hold ends, and logs their runs now and then. */
	private lookLater(): void {
		if (this.waiting.size === 0) return;
		this.lookAt(this.clock.now() + LOGGED_EVERY_MS);
		for (const lane of this.lanes.values()) {
			if (lane.isWaiting && lane.isHeld) this.lookAt(lane.heldUntil);
		}
	}

	private lookAt(at: number): void {
		if (at >= this.looksAt) return;
		this.looksAt = at;
		this.clock.after(at - this.clock.now(), () => {
			// An earlier look has taken its place.
			if (at !== this.looksAt) return;
			this.looksAt = Infinity;
			for (const { progress } of this.waiting.keys()) progress.log();
			this.pass();
		});
	}
}
