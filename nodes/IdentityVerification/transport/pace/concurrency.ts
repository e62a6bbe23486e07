/**
 * The most that Automatic opens of a lane, because how many the service can handle isn't
 * documented.
 */
export const MAX_OPEN = 64;

/** The most of all lanes together. A lane alone leaves the rest free for others. */
export const MAX_OPEN_IN_ALL = 72;

/**
 * If nothing was sent and nothing has ended for so long, what is open may hang, and needn't hold up
 * other lanes.
 */
const STALL_MS = 1_000;

/**
 * How many may be open at first: few enough for a small service, and enough to find out fast how
 * many it handles. With 64, a limit of one a second would cost 2.2 requests a document, not 1.4.
 */
const INITIAL_OPEN = 4;

/** While no more requests than this are open, slow answers have another cause than their number. */
const FEW_OPEN = 8;

/** At least this many answers are compared with the usual time, because fewer can be chance. */
const MIN_COMPARED = 8;

/**
 * At least as many answers are compared as this share of what may be open. If it were always 8, a
 * few slow answers would do: a batch could take 1.37 times as long as with the best fixed number.
 */
const COMPARED_SHARE = 0.5;

/**
 * Documents differ, so answers are compared by the time within which the quickest arrived, this
 * share of them. The mean would follow a few slow ones, and the minimum a few that are answered at
 * once: a batch could then take 2.7 or 2.2 times as long.
 */
const QUICKEST_SHARE = 0.25;

/** When answers take more than this many times as long as usual, too many requests are open. */
const SLOW_RATIO = 2;

/**
 * A failure halves how many may be open, because a failed request may be charged. Without this,
 * 1,900 of 2,000 documents instead of 6 would fail at a service that fails above 10.
 */
const FAILURE_FACTOR = 0.5;

/** The usual time falls slowly, so a few fast answers don't make all others count as slow. */
const MIN_USUAL_TIME_FACTOR = 0.8;

type Phase =
	/** Every answer adds one, so each round of answers doubles how many may be open. */
	| 'doubling'
	/** Each round of answers adds one. It begins when answers are slow or requests fail. */
	| 'addingOne';

/** Finds out by answer times and failures how many requests Automatic may have open. */
export class Concurrency {
	/** How many of Automatic's requests wait for their answer. */
	open = 0;

	/** How many may be open. A fraction counts once it has grown to one more. */
	private limit = INITIAL_OPEN;

	private phase: Phase = 'doubling';

	/** Only requests that were sent later count, so those open together shrink the limit once. */
	private shrunkAt = -Infinity;

	/** The times of the answers that haven't been compared yet, in milliseconds. */
	private times: number[] = [];

	private usualMs: number | undefined;

	/** When a request was last sent or ended. */
	private movedAt = -Infinity;

	/** @param maxOpen the limit never exceeds this */
	constructor(private readonly maxOpen: number) {}

	get hasRoom(): boolean {
		return this.open < Math.floor(this.limit);
	}

	/** When those that are open count as stalled if nothing moves until then. */
	get stalledAt(): number {
		return this.movedAt + STALL_MS;
	}

	sent(now: number): void {
		this.open++;
		this.movedAt = now;
	}

	ended(now: number): void {
		this.open--;
		this.movedAt = now;
	}

	/**
	 * A request was answered, and is no longer open. The limit grows only if it was reached.
	 * Otherwise, requests sent one after the other would let a later batch begin with 64. If more
	 * were open than it allows, it becomes their number, because the service handles them.
	 */
	answered(sentAt: number): void {
		if (sentAt < this.shrunkAt || this.open + 1 < Math.floor(this.limit)) return;
		const limit = Math.max(this.limit, this.open + 1);
		this.limit = Math.min(this.maxOpen, limit + growthPerAnswer(this.phase, limit));
	}

	/** The service didn't answer a request, or answered that it is overloaded. */
	failed(now: number, sentAt: number): void {
		if (sentAt >= this.shrunkAt) this.shrink(now, FAILURE_FACTOR);
	}

	/** A request was answered with success, so its time can be compared with others. */
	succeeded(now: number, sentAt: number): void {
		if (sentAt < this.shrunkAt) return;
		this.times.push(now - sentAt);
		if (this.times.length < Math.max(MIN_COMPARED, this.limit * COMPARED_SHARE)) return;
		this.compare(now, quickTimeOf(this.times));
		this.times = [];
	}

	private compare(now: number, recentMs: number): void {
		const usualMs = this.usualMs ?? recentMs;
		const slowMs = SLOW_RATIO * usualMs;
		if (recentMs <= slowMs) {
			this.usualMs = nextUsualMs(usualMs, recentMs);
		} else if (this.limit > FEW_OPEN) {
			this.shrink(now, slowMs / recentMs);
		} else {
			// The number of open requests isn't the cause, so the service itself has become slower.
			this.usualMs = recentMs;
			this.phase = 'doubling';
		}
	}

	/** One request stays possible: with none open, no answer could make the limit grow again. */
	private shrink(now: number, factor: number): void {
		this.phase = 'addingOne';
		this.shrunkAt = now;
		this.limit = Math.max(1, this.limit * factor);
	}
}

/** A round is as many answers as may be open. */
function growthPerAnswer(phase: Phase, limit: number): number {
	return phase === 'doubling' ? 1 : 1 / limit;
}

/** A longer time that isn't slow doesn't raise the usual one, because load may have caused it. */
function nextUsualMs(usualMs: number, recentMs: number): number {
	return Math.min(usualMs, Math.max(recentMs, MIN_USUAL_TIME_FACTOR * usualMs));
}

function quickTimeOf(times: number[]): number {
	const sorted = [...times].sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length * QUICKEST_SHARE)] ?? 0;
}
