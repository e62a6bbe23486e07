import type { Culprit, Lane } from './lane';
import type { Limit } from './limit';

/** So many lanes, refused one after the other with nothing taken in between, have met a limit of the service. */
const SUSPECTS = 2;

/** Once the service's limit was met, the first refusal is put down to it. */
const SUSPECTS_AFTER_LIMIT = 1;

/** If lanes usually have limits of their own, even several in a row can be chance. */
const SUSPECTS_AMONG_MANY = 8;

/** A lane that is refused as often, each time after others were taken, has a limit of its own. */
const TIMES = 2;

/** Where the service has a limit, a lane can have bad luck, and more than once. */
const TIMES_AFTER_LIMIT = 4;

/**
 * From this share on, lanes usually have limits of their own. With 0.5, bad luck at the service's limit looks like it;
 * with 0.9, it's noticed too late.
 */
const USUALLY = 0.7;

/** How much the share follows the latest lane: some ten lanes are remembered. */
const WEIGHT = 0.2;

/**
 * Judges whose limit a refusal comes from. It counts first against its lane, an endpoint with a profile; and against
 * the service as a whole only when other lanes are refused as well. (If there are no others, the lane is the service.)
 */
export class Evidence {
	/** Lanes that were refused, with nothing taken that was sent later. */
	private readonly suspects = new Set<Lane>();

	/** How large a share of the lanes that were refused is refused again, after others were taken. */
	private refusedAgain = 0.5;

	/** A request of a lane was taken. Only one that was sent after a refusal says something about it. */
	taken(lane: Lane, sentAt: number): void {
		const { standing } = lane;
		if (standing.kind === 'refused' && sentAt > standing.at) {
			if (standing.isOvertaken) this.learn(0);
			this.suspects.delete(lane);
			lane.standing = { kind: 'fine' };
		} else if (standing.kind === 'alone') {
			// Otherwise all lanes would be alone in the end, and meet the service's limit each by itself.
			lane.standing = { kind: 'fine' };
		}
		for (const suspect of this.suspects) {
			if (suspect.standing.kind !== 'refused' || sentAt <= suspect.standing.at) continue;
			suspect.standing.isOvertaken = true;
			this.suspects.delete(suspect);
		}
	}

	/**
	 * A request of a lane was refused. May give lanes back what they had learned before they were suspected.
	 * @param now when it was
	 * @param service what is known of the service's limit
	 */
	refused(lane: Lane, now: number, service: Limit): Culprit {
		if (lane.standing.kind === 'alone') return 'lane';
		const times = this.timesOf(lane);
		if (times >= this.timesToBeAlone(service)) {
			lane.standing = { kind: 'alone' };
			this.suspects.delete(lane);
			return 'lane';
		}
		this.suspects.add(lane);
		const culprit = this.suspects.size >= this.suspectsNeeded(service) ? 'service' : 'lane';
		const { pace } = lane;
		const before = pace.limit;
		lane.standing = { kind: 'refused', at: now, before, times, isOvertaken: false };
		// What a lane knows at first is what is known of the service.
		pace.limit = (before.isKnown ? before : service).copy();
		if (culprit === 'service') this.acquit();
		return culprit;
	}

	/** A lane has ended. */
	forget(lane: Lane): void {
		this.suspects.delete(lane);
	}

	private timesOf({ standing }: Lane): number {
		if (standing.kind !== 'refused') return 1;
		if (!standing.isOvertaken) return standing.times;
		this.learn(1);
		return standing.times + 1;
	}

	private get areUsuallyAlone(): boolean {
		return this.refusedAgain > USUALLY;
	}

	private timesToBeAlone(service: Limit): number {
		return service.isMet && !this.areUsuallyAlone ? TIMES_AFTER_LIMIT : TIMES;
	}

	private suspectsNeeded(service: Limit): number {
		if (this.areUsuallyAlone) return SUSPECTS_AMONG_MANY;
		return service.isMet ? SUSPECTS_AFTER_LIMIT : SUSPECTS;
	}

	/** It was the service. */
	private acquit(): void {
		for (const { pace, standing } of this.suspects) {
			if (standing.kind !== 'refused') continue;
			pace.limit = standing.before;
		}
	}

	private learn(isAgain: 0 | 1): void {
		this.refusedAgain += WEIGHT * (isAgain - this.refusedAgain);
	}
}
