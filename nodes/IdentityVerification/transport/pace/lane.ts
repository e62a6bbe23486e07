import type { Limit } from './limit';
import { Pace } from './pace';

/** How long what was learned is kept after the last request: by then, a limit that was met has grown out. */
export const KEPT_MS = 60_000;

/** Whose limit a refusal comes from. */
export type Culprit = 'lane' | 'service';

/** A lane whose last request was refused. */
export interface Refused {
	kind: 'refused';
	at: number;
	/** What the lane had learned before. */
	before: Limit;
	/** How often it was refused. Several refusals count once, unless other lanes were taken in between. */
	times: number;
	/** Whether a request of another lane that was sent later was taken. */
	isOvertaken: boolean;
}

/** What its last answers say of a lane. */
export type Standing =
	/** The last request was taken, or there was none. */
	| { kind: 'fine' }
	| Refused
	/** It's refused again and again while others are taken: it has a limit of its own. */
	| { kind: 'alone' };

/** The requests to one endpoint with one profile, which can have a limit of their own. */
export class Lane {
	readonly pace = new Pace();

	standing: Standing = { kind: 'fine' };

	/** How many requests wait for their turn. */
	waiting = 0;

	/** When a request was last answered. */
	usedAt = -Infinity;

	/** When one last failed; undefined if one was taken since. */
	failedAt: number | undefined;

	constructor(readonly key: string) {}

	/** Whether it has nothing worth keeping: a lane that was never refused and didn't fail knows nothing. */
	isForgettable(now: number): boolean {
		const { open, limit, refusals } = this.pace;
		if (open > 0 || this.waiting > 0) return false;
		if (!limit.isKnown && !refusals.areGoingOn && this.failedAt === undefined) return true;
		return now - this.usedAt > KEPT_MS && limit.pausedUntil <= now;
	}
}
