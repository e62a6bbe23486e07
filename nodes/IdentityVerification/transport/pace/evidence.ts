import type { Lane, LimitOwner } from './lane';
import type { Limit } from './limit';

/**
 * If this many lanes are refused in a row, with nothing accepted in between, they have reached the
 * service's limit. A single one can be a profile over its quota.
 */
const LANES_TO_BLAME_SERVICE = 2;

/** Once the service's limit was reached, the next refusal most likely comes from it as well. */
const LANES_TO_BLAME_SERVICE_AGAIN = 1;

/** Where lanes usually have limits of their own, several can be refused in a row by chance. */
const LANES_TO_BLAME_SERVICE_AMONG_OWN_LIMITS = 8;

/**
 * A lane that is refused this often, each time after other lanes' requests were accepted, has a
 * limit of its own.
 */
const REFUSALS_FOR_OWN_LIMIT = 2;

/** Where the service has a limit as well, a lane can have bad luck more than once. */
const REFUSALS_FOR_OWN_LIMIT_BESIDE_SERVICE_LIMIT = 4;

/**
 * If a larger share of the refused lanes is refused again, lanes usually have limits of their own.
 * With 0.5, bad luck at the service's limit would look the same; with 0.9, it's noticed too late.
 */
const OWN_LIMIT_SHARE = 0.7;

/** Before any lane was refused, it's as likely as not that it will be refused again. */
const INITIAL_SHARE = 0.5;

/** How much the latest lane changes that share, which in effect remembers some ten lanes. */
const LATEST_LANE_WEIGHT = 0.2;

/**
 * Judges whose limit a refusal comes from. The refusal first counts against its lane, and against
 * the service only when other lanes are refused as well. With one lane, that makes no difference.
 */
export class Evidence {
	/** Lanes that were refused, with no request accepted that was sent later. */
	private readonly refusedInARow = new Set<Lane>();

	/** The share of refused lanes that are refused again after other lanes were accepted. */
	private refusedAgainShare = INITIAL_SHARE;

	/** A lane's request was accepted. It proves something only if it was sent after the refusal. */
	accepted(lane: Lane, sentAt: number): void {
		const { state } = lane;
		if (state.kind === 'refused' && sentAt > state.at) {
			if (state.wereOthersAccepted) this.learnWhetherAgain(0);
			this.refusedInARow.delete(lane);
			lane.state = { kind: 'notRefused' };
		} else if (state.kind === 'ownLimit') {
			// If lanes kept this state, all would have it in the end, and each would have to find the
			// service's limit by itself.
			lane.state = { kind: 'notRefused' };
		}
		this.endRowOfRefusals(sentAt);
	}

	/**
	 * Judges a refusal of a lane's request, and remembers it. If the service is to blame, the refused
	 * lanes get back what they knew before.
	 * @param serviceLimit what is known of the service's limit
	 * @returns whose limit it comes from
	 */
	judgeRefusal(lane: Lane, now: number, serviceLimit: Limit): LimitOwner {
		if (lane.state.kind === 'ownLimit') return 'lane';
		const times = this.countRefusal(lane);
		if (times >= this.refusalsForOwnLimit(serviceLimit)) {
			lane.state = { kind: 'ownLimit' };
			this.refusedInARow.delete(lane);
			return 'lane';
		}
		this.refusedInARow.add(lane);
		const limitBefore = lane.pace.limit;
		lane.state = { kind: 'refused', at: now, limitBefore, times, wereOthersAccepted: false };
		// A lane that knows nothing yet starts from what is known of the service.
		lane.pace.limit = (limitBefore.isKnown ? limitBefore : serviceLimit).copy();
		if (this.refusedInARow.size < this.lanesToBlameService(serviceLimit)) return 'lane';
		this.restoreLimits();
		return 'service';
	}

	/** The gate no longer remembers this lane. */
	forget(lane: Lane): void {
		this.refusedInARow.delete(lane);
	}

	/** A request that was sent after a refusal and accepted shows that not all lanes are refused. */
	private endRowOfRefusals(sentAt: number): void {
		for (const lane of this.refusedInARow) {
			if (lane.state.kind !== 'refused' || sentAt <= lane.state.at) continue;
			lane.state.wereOthersAccepted = true;
			this.refusedInARow.delete(lane);
		}
	}

	/** How often the lane was refused, including now. */
	private countRefusal({ state }: Lane): number {
		if (state.kind !== 'refused') return 1;
		if (!state.wereOthersAccepted) return state.times;
		this.learnWhetherAgain(1);
		return state.times + 1;
	}

	private get areOwnLimitsUsual(): boolean {
		return this.refusedAgainShare > OWN_LIMIT_SHARE;
	}

	private refusalsForOwnLimit(serviceLimit: Limit): number {
		return serviceLimit.wasReached && !this.areOwnLimitsUsual
			? REFUSALS_FOR_OWN_LIMIT_BESIDE_SERVICE_LIMIT
			: REFUSALS_FOR_OWN_LIMIT;
	}

	private lanesToBlameService(serviceLimit: Limit): number {
		if (this.areOwnLimitsUsual) return LANES_TO_BLAME_SERVICE_AMONG_OWN_LIMITS;
		return serviceLimit.wasReached ? LANES_TO_BLAME_SERVICE_AGAIN : LANES_TO_BLAME_SERVICE;
	}

	/** What the lanes learned from their refusals was about the service's limit, not about theirs. */
	private restoreLimits(): void {
		for (const { pace, state } of this.refusedInARow) {
			if (state.kind === 'refused') pace.limit = state.limitBefore;
		}
	}

	/** After others were accepted, a refused lane was refused again (1) or accepted as well (0). */
	private learnWhetherAgain(again: 0 | 1): void {
		this.refusedAgainShare += LATEST_LANE_WEIGHT * (again - this.refusedAgainShare);
	}
}
