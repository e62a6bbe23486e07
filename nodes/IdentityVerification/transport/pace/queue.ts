import type { PacedRun } from '../../item';
import type { Lane } from './lane';

/** A request that was let through. */
export interface Sent {
	run: PacedRun;
	lane: Lane;
	/** When it was. */
	at: number;
}

/** A request that waits for its turn. */
export interface Waiting {
	run: PacedRun;
	lane: Lane;
	/** The lowest is next. */
	turn: number;
	/** Called once; with undefined when it's turned away. */
	settle(sent: Sent | undefined): void;
}

/** Requests that wait, in the order of their turns. The runs take turns, whatever each of them has to send. */
export class Queue implements Iterable<Waiting> {
	private requests: Waiting[] = [];

	private readonly countByRun = new Map<PacedRun, number>();

	private highestTurn = 0;

	/** @param runEnded called when a run ends that has requests here */
	constructor(private readonly runEnded: () => void) {}

	[Symbol.iterator](): Iterator<Waiting> {
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
	add({ run, lane, settle }: Omit<Waiting, 'turn'>, refusals: number): Waiting {
		const before = this.countByRun.get(run) ?? 0;
		const turn = this.highestTurn + turnsToWait(before, refusals);
		const request = { run, lane, settle, turn };
		let place = this.requests.length;
		while (place > 0 && (this.requests[place - 1]?.turn ?? 0) > turn) place--;
		this.requests.splice(place, 0, request);
		lane.waiting++;
		if (before === 0) run.ended.addEventListener('abort', this.runEnded);
		this.countByRun.set(run, before + 1);
		return request;
	}

	/** A request has had its turn. */
	hadTurn({ turn }: Waiting): void {
		if (turn > this.highestTurn) this.highestTurn++;
	}

	remove(requests: Set<Waiting>): void {
		this.requests = this.requests.filter((request) => !requests.has(request));
		for (const { run, lane } of requests) {
			lane.waiting--;
			this.count(run);
		}
	}

	/** The listener ends with the last request: the signal of a run can live longer than the run. */
	private count(run: PacedRun): void {
		const left = (this.countByRun.get(run) ?? 0) - 1;
		if (left > 0) return void this.countByRun.set(run, left);
		this.countByRun.delete(run);
		run.ended.removeEventListener('abort', this.runEnded);
	}
}

/** After each refusal, twice as many requests go first: what is refused every time must not hold up the others. */
function turnsToWait(waitingOfRun: number, refusals: number): number {
	return refusals === 0 ? waitingOfRun + 1 : 2 ** refusals;
}
