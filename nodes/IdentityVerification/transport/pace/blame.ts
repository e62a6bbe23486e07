import type { Lane } from './lane';
import { DOUBLING_MS } from './limit';

/** Who is to blame. */
type Blamed = 'account' | 'lane';

/** How long a failure of another profile counts. */
const FAILURE_COUNTS_MS = 60_000;

/** When something last happened to a profile, and to any other. */
class Happened {
	private last: { profile: string; at: number } | undefined;

	private lastToAnotherAt: number | undefined;

	/** @returns when it last happened to another profile; undefined if never */
	toAnotherThan(profile: string, now: number): number | undefined {
		if (this.last?.profile !== profile) this.lastToAnotherAt = this.last?.at;
		this.last = { profile, at: now };
		return this.lastToAnotherAt;
	}
}

/**
 * Judges whether a refusal or a failure comes from the account, which all lanes share, or from the
 * lane alone, such as from a profile over its quota. The lanes of one profile don't count as others.
 */
export class Blame {
	private readonly refusals = new Happened();

	private readonly failures = new Happened();

	private acceptedAt = -Infinity;

	accepted(now: number): void {
		this.acceptedAt = now;
	}

	/**
	 * A refusal is the account's if another profile was refused, too, with nothing accepted in between,
	 * or just before this lane's first refusal. Call this before the lane's refusals are counted.
	 */
	judgeRefusal({ profile, pace }: Lane, now: number): Blamed {
		const otherAt = this.refusals.toAnotherThan(profile, now) ?? -Infinity;
		const isFirst = pace.limit.refusals.isEmpty;
		const isAccounts =
			otherAt > -Infinity &&
			(otherAt >= this.acceptedAt || (isFirst && now - otherAt <= DOUBLING_MS));
		return isAccounts ? 'account' : 'lane';
	}

	/** A failure is the account's if it is the lane's first, or if another profile fails as well. */
	judgeFailure(lane: Lane, now: number): Blamed {
		const otherAt = this.failures.toAnotherThan(lane.profile, now) ?? -Infinity;
		const isFirst = !lane.hasFailed;
		lane.hasFailed = true;
		return isFirst || now - otherAt <= FAILURE_COUNTS_MS ? 'account' : 'lane';
	}
}
