import type { PacedRun } from '../../item';
import type { Lane } from './lane';

/** A request that was let through. */
export interface SentRequest {
	run: PacedRun;
	lane: Lane;
	/** When it was let through. */
	at: number;
}

/** A request that waits for its turn. */
export interface WaitingRequest {
	run: PacedRun;
	lane: Lane;
	/** The lowest is next. */
	turn: number;
	/** Called once; with undefined when the request is turned away. */
	settle(sent: SentRequest | undefined): void;
}

/** Waiting requests in the order of their turns. Runs take turns, however much each has to send. */
export class Queue implements Iterable<WaitingRequest> {
	private requests: WaitingRequest[] = [];

	private readonly countByRun = new Map<PacedRun, number>();

	private highestTurn = 0;

	/** @param runEnded called when a run ends while it has requests here */
	constructor(private readonly runEnded: () => void) {}

	[Symbol.iterator](): Iterator<WaitingRequest> {
		return this.requests[Symbol.iterator]();
	}

	get isEmpty(): boolean {
		return this.requests.length === 0;
	}

	/** The runs that have requests here. */
	get runs(): PacedRun[] {
		return [...this.countByRun.keys()];
	}

	/** @param refusals how often the service has refused the request */
	add({ run, lane, settle }: Omit<WaitingRequest, 'turn'>, refusals: number): WaitingRequest {
		const waitingOfRun = this.countByRun.get(run) ?? 0;
		const turn = this.highestTurn + turnsToWait(waitingOfRun, refusals);
		const request = { run, lane, settle, turn };
		this.insert(request);
		lane.waiting++;
		if (waitingOfRun === 0) run.ended.addEventListener('abort', this.runEnded);
		this.countByRun.set(run, waitingOfRun + 1);
		return request;
	}

	/** Later requests are placed after the turn that this one has just had. */
	hadTurn({ turn }: WaitingRequest): void {
		if (turn > this.highestTurn) this.highestTurn++;
	}

	remove(requests: Set<WaitingRequest>): void {
		this.requests = this.requests.filter((request) => !requests.has(request));
		for (const { run, lane } of requests) {
			lane.waiting--;
			this.uncount(run);
		}
	}

	/** Of two requests with the same turn, the one that came first is first. */
	private insert(request: WaitingRequest): void {
		let index = this.requests.length;
		while (index > 0 && (this.requests[index - 1]?.turn ?? 0) > request.turn) index--;
		this.requests.splice(index, 0, request);
	}

	/** Stops listening after the run's last request, because its signal can outlive the run. */
	private uncount(run: PacedRun): void {
		const left = (this.countByRun.get(run) ?? 0) - 1;
		if (left > 0) {
			this.countByRun.set(run, left);
			return;
		}
		this.countByRun.delete(run);
		run.ended.removeEventListener('abort', this.runEnded);
	}
}

/**
 * A refused request lets others go first, twice as many after each refusal, so one that is refused
 * every time doesn't hold them up.
 */
function turnsToWait(waitingOfRun: number, refusals: number): number {
	return refusals === 0 ? waitingOfRun + 1 : 2 ** refusals;
}
