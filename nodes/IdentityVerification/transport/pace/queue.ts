import type { PacedRun } from '../../item';
import type { Lane } from './lane';

/**
 * A refused request lets up to 32 others go first. With more, one could wait for its turn for
 * minutes after its run's patience has ended.
 */
const MAX_DOUBLINGS = 5;

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
	/** Called once; with undefined when the request is given up. */
	settle(sent: SentRequest | undefined): void;
}

/** Waiting requests of one lane, the next one first. */
export type Line = WaitingRequest[];

/** Waiting requests in the order of their turns. Runs take turns, however much each has to send. */
export class Queue implements Iterable<Line> {
	/** None is empty. The one whose first request is next is first. */
	private readonly lines: Line[] = [];

	private readonly automaticLines = new Map<Lane, Line>();

	/**
	 * Requests of runs with Max Parallel Requests. They have lines of their own, because they needn't
	 * wait behind those that concurrency holds up.
	 */
	private readonly fixedLines = new Map<Lane, Line>();

	private readonly requestsOf = new Map<PacedRun, Set<WaitingRequest>>();

	private highestTurn = 0;

	/** @param runEnded called when a run ends while it has requests here */
	constructor(private readonly runEnded: () => void) {}

	[Symbol.iterator](): Iterator<Line> {
		return this.lines[Symbol.iterator]();
	}

	get isEmpty(): boolean {
		return this.lines.length === 0;
	}

	/** Whether concurrency is all that these requests may wait for. */
	get isAutomatic(): boolean {
		return this.fixedLines.size === 0;
	}

	/** The runs that have requests here. */
	get runs(): PacedRun[] {
		return [...this.requestsOf.keys()];
	}

	/** The requests of runs that have ended. */
	get ended(): WaitingRequest[] {
		const runs = this.runs.filter(({ stopSignal }) => stopSignal.aborted);
		return runs.flatMap((run) => [...(this.requestsOf.get(run) ?? [])]);
	}

	/**
	 * @param refusals how often the service has refused the request
	 * @returns whether it is the first one in its line
	 */
	add({ run, lane, settle }: Omit<WaitingRequest, 'turn'>, refusals: number): boolean {
		const ofRun = this.requestsOf.get(run) ?? new Set();
		const turn = this.highestTurn + turnsToWait(ofRun.size, refusals);
		const request = { run, lane, settle, turn };
		if (ofRun.size === 0) run.stopSignal.addEventListener('abort', this.runEnded);
		this.requestsOf.set(run, ofRun.add(request));
		lane.waiting++;
		const lines = this.linesFor(run);
		const line = lines.get(lane) ?? [];
		lines.set(lane, line);
		insert(line, request, turnOfRequest);
		const isFirst = line[0] === request;
		if (isFirst) this.place(line);
		return isFirst;
	}

	/** Later requests are placed after the turn that this one has just had. */
	hadTurn({ turn }: WaitingRequest): void {
		if (turn > this.highestTurn) this.highestTurn++;
	}

	remove(request: WaitingRequest): void {
		const { run, lane } = request;
		const lines = this.linesFor(run);
		const line = lines.get(lane) ?? [];
		const index = line.indexOf(request);
		line.splice(index, 1);
		if (index === 0) this.place(line);
		if (line.length === 0) lines.delete(lane);
		lane.waiting--;
		this.uncount(request);
	}

	/** Moves a line to where the turn of its first request belongs. */
	private place(line: Line): void {
		const index = this.lines.indexOf(line);
		if (index >= 0) this.lines.splice(index, 1);
		if (line.length > 0) insert(this.lines, line, turnOfFirst);
	}

	private linesFor({ isAutomatic }: PacedRun): Map<Lane, Line> {
		return isAutomatic ? this.automaticLines : this.fixedLines;
	}

	/** Stops listening after the run's last request, because its signal can outlive the run. */
	private uncount(request: WaitingRequest): void {
		const { run } = request;
		const ofRun = this.requestsOf.get(run);
		ofRun?.delete(request);
		if (ofRun?.size !== 0) return;
		this.requestsOf.delete(run);
		run.stopSignal.removeEventListener('abort', this.runEnded);
	}
}

/** Of two with the same turn, the one that came first is first. */
function insert<Entry>(
	entries: Entry[],
	entry: Entry,
	turnOf: (entry: Entry | undefined) => number,
): void {
	const turn = turnOf(entry);
	let index = entries.length;
	while (index > 0 && turnOf(entries[index - 1]) > turn) index--;
	entries.splice(index, 0, entry);
}

function turnOfFirst(line: Line | undefined): number {
	return turnOfRequest(line?.[0]);
}

function turnOfRequest(request: WaitingRequest | undefined): number {
	return request?.turn ?? Infinity;
}

/**
 * A refused request lets others go first, twice as many after each refusal, so one that is refused
 * every time doesn't hold them up.
 */
function turnsToWait(waitingOfRun: number, refusals: number): number {
	return refusals === 0 ? waitingOfRun + 1 : 2 ** Math.min(refusals, MAX_DOUBLINGS);
}
