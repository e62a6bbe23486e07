import type { IExecuteFunctions } from 'n8n-workflow';

import { WRONG_SETTING, nodeError } from '../errors/nodeErrors';
import type { NodeError } from '../errors/nodeErrors';
import type { ItemContext, NodeRun } from '../item';
import { maxPaidRequestsOption, stopBelowCreditsOption } from '../parameters/sharedFields';
import { storedForExecution } from './paid/stored';
import type { Spending } from './paid/stored';

const MAX_PAID = `'${maxPaidRequestsOption.displayName}'`;
const STOP_BELOW = `'${stopBelowCreditsOption.displayName}'`;

/**
 * Max Paid Requests. A request takes a place before it is sent, and gives it back only if nothing
 * was charged for certain. So an execution never pays for more requests than it has places.
 */
export class Budget {
	private readonly spending: Spending;

	constructor(
		nodeRun: NodeRun,
		private readonly max: number,
	) {
		this.spending = spendingOf(nodeRun);
	}

	/** How many places are left in this execution, in which the node may have run before. */
	get left(): number {
		return this.max - this.spending.taken;
	}

	/**
	 * Returns false if no place is left. It looks and takes at once, because an agent can call its
	 * tool several times in parallel.
	 */
	take(): boolean {
		if (this.left < 1) return false;
		this.spending.taken += 1;
		return true;
	}

	giveBack(): void {
		this.spending.taken -= 1;
	}

	/** The error of an item for which no place is left. */
	usedUp(item: ItemContext): NodeError {
		return nodeError(item, {
			message: `${MAX_PAID} is used up: it allows ${this.max} in an execution`,
			advice: `A request takes a place while it waits to be sent, and gives it back only if it is certain that nothing was charged. Raise ${MAX_PAID}, or run this item in another execution.`,
			charge: 'none',
		});
	}

	/** The error of a run that would need more places than are left. */
	tooSmall(context: IExecuteFunctions, needed: number): NodeError {
		const { taken } = this.spending;
		const earlier = taken > 0 ? ` (${taken} of ${this.max} are used)` : '';
		const orFewer = taken > 0 ? '' : ', or pass fewer items to the node';
		const message = `${countOf(needed)} would be paid, but ${MAX_PAID} allows ${this.left}${earlier}`;
		const advice = `Raise ${MAX_PAID} in the options${orFewer}.`;
		const chargeText = `Nothing was charged for ${needed === 1 ? 'it' : 'them'}`;
		const charge = { charge: 'none', chargeText, cause: WRONG_SETTING } as const;
		return nodeError({ context }, { message, advice, ...charge });
	}
}

/**
 * Stop Below Credits. Once an answer has said that fewer credits are left, nothing more is sent in
 * this run, nor in runs that begin later in this execution.
 */
export class CreditFloor {
	private readonly spending: Spending;

	private readonly stop = new AbortController();

	/** Whether a success didn't say how many credits are left. */
	private isBlind = false;

	constructor(
		nodeRun: NodeRun,
		private readonly min: number,
	) {
		this.spending = spendingOf(nodeRun);
		if (this.isReached) this.stop.abort();
	}

	get isReached(): boolean {
		return this.spending.lowCredits !== undefined;
	}

	get stopSignal(): AbortSignal {
		return this.stop.signal;
	}

	/** @param credit how many are left, as an answer says, or undefined if a success doesn't */
	see(credit: number | undefined): void {
		if (credit === undefined) {
			this.isBlind = true;
		} else if (credit < this.min) {
			this.spending.lowCredits = credit;
			this.stop.abort();
		}
	}

	/** The error of an item that was given up because of it. */
	reached(item: ItemContext): NodeError {
		return nodeError(item, {
			message: `${STOP_BELOW} is ${this.min}, and an answer said that ${this.spending.lowCredits} are left`,
			advice: 'Top up the account, then run this item in another execution.',
			charge: 'none',
		});
	}

	/** A text for the output panel, if there's something to say. */
	get hints(): string[] {
		if (!this.isBlind) return [];
		return [`${STOP_BELOW} could not be checked: an answer did not say how many credits are left.`];
	}
}

/** The spending of this execution. */
function spendingOf(nodeRun: NodeRun): Spending {
	const stored = storedForExecution(nodeRun);
	const executionId = nodeRun.context.getExecutionId();
	const { spending } = stored;
	if (spending && spending.executionId === executionId) return spending;
	return (stored.spending = { executionId, taken: 0 });
}

function countOf(requests: number): string {
	return requests === 1 ? '1 request' : `${requests} requests`;
}
