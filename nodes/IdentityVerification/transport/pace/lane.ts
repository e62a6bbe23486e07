import type { Limit } from './limit';
import { Pace } from './pace';

/**
 * How long the gate remembers what it has learned after the last request. By then, a limit has
 * grown so far that it no longer holds anything up.
 */
export const KEPT_MS = 60_000;

/** Whose limit a refusal comes from: the lane's own, or the one that all lanes share. */
export type LimitOwner = 'lane' | 'service';

/** The state of a lane whose last request was refused. */
export interface Refused {
	kind: 'refused';
	at: number;
	/** What the lane knew before, in case the refusal comes from the service's limit. */
	limitBefore: Limit;
	/**
	 * How often the lane was refused. Refusals in a row count as one, unless requests of other lanes
	 * were accepted in between.
	 */
	times: number;
	/** Whether another lane has sent a request after this refusal, and it was accepted. */
	wereOthersAccepted: boolean;
}

/** What the last answers say about a lane. */
export type LaneState =
	/** The last request was accepted, or there was none. */
	| { kind: 'notRefused' }
	| Refused
	/** The lane was refused again and again while others were accepted. */
	| { kind: 'ownLimit' };

/** The requests to one endpoint with one profile, which can have a limit of their own. */
export class Lane {
	readonly pace = new Pace();

	state: LaneState = { kind: 'notRefused' };

	/** How many requests wait for their turn. */
	waiting = 0;

	/** When a request last ended. */
	usedAt = -Infinity;

	/** When a request last failed; undefined if one was accepted since then. */
	failedAt: number | undefined;

	constructor(readonly key: string) {}

	/** A lane that was neither refused nor failed has learned nothing, so it's forgotten at once. */
	isForgettable(now: number): boolean {
		const { open, limit, refusalsInARow } = this.pace;
		if (open > 0 || this.waiting > 0) return false;
		if (!limit.isKnown && refusalsInARow.isEmpty && this.failedAt === undefined) return true;
		return now - this.usedAt > KEPT_MS && limit.pausedUntil <= now;
	}
}
