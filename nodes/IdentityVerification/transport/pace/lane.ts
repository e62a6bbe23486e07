import { MAX_OPEN } from './concurrency';
import { Pace } from './pace';

/**
 * How long the gate remembers a lane after its last request. By then, a limit has grown so far that
 * it no longer holds anything up.
 */
export const KEPT_MS = 60_000;

/** What can have a limit of its own at the service. */
export interface LaneName {
	endpoint: string;
	profile: string;
}

/** The requests to one endpoint with one profile. */
export class Lane {
	readonly pace = new Pace(MAX_OPEN);

	/** How many requests wait for their turn. */
	waiting = 0;

	/** When a request last arrived or ended. */
	usedAt = -Infinity;

	/** Whether a request has failed. */
	hasFailed = false;

	readonly key: string;

	readonly profile: string;

	constructor(name: LaneName) {
		this.key = keyOf(name);
		this.profile = name.profile;
	}

	get hasNoneOpen(): boolean {
		return this.pace.limit.open === 0;
	}

	isForgettable(now: number): boolean {
		if (!this.hasNoneOpen || this.waiting > 0) return false;
		return now - this.usedAt > KEPT_MS && this.pace.limit.pausedUntil <= now;
	}
}

export function keyOf({ endpoint, profile }: LaneName): string {
	return JSON.stringify([endpoint, profile]);
}
