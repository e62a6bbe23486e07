import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { StoredFailure } from '../../errors/nodeErrors';
import type { Done } from '../../operation';

// Frozen after 0.1.0 (architecture.md, "What may not change after 0.1.0"): n8n stores this with a
// failed execution, and a newer version of the package may run its Retry. A changed form has to
// read this one, too, or Retry pays again. test/actions/storedExecution holds an execution of
// 0.1.0.

/** A request that was charged, or may have been, and what became of it. */
export type PaidRequest = Paid | PossiblyCharged;

export interface Paid extends Sent {
	kind: 'paid';
	done: Pick<Done, 'item' | 'hints' | 'branch'>;
}

export interface PossiblyCharged extends Sent {
	kind: 'possiblyCharged';
	failure: StoredFailure;
}

/**
 * Which execution sent a request, and where to. With which credential is part of the fingerprint.
 */
interface Sent {
	executionId: string;
	/** Normalised, as in `Service`. */
	baseUrl: string;
}

/**
 * The paid requests of an item by their fingerprint: a Retry that asks for something else adds one,
 * and overwrites none.
 */
export type PaidRequestsOfItem = Record<string, PaidRequest>;

/** What n8n keeps for the node. */
export interface Stored {
	/**
	 * By run of the node, as in a loop, and by item: `0:17`. Forgotten once the run has succeeded.
	 */
	paidRequests?: Record<string, PaidRequestsOfItem>;
}

/**
 * For an AI agent's tool, in place of n8n's node context. Each call of the tool has an arguments
 * object of its own.
 */
const storedOfTools = new WeakMap<IDataObject, Stored>();

/**
 * What n8n hands to the next try of Retry On Fail and, with a failed execution, to its Retry. n8n
 * documents neither (architecture.md#n8n-node-context, architecture.md#n8n-tool-arguments).
 * @returns the object itself: what is written to it is kept
 */
export function storedFor(context: IExecuteFunctions, isAgentTool: boolean): Stored {
	if (!isAgentTool) return context.getContext('node') as Stored;
	const toolArguments = context.getInputData()[0]?.json ?? {};
	const stored = storedOfTools.get(toolArguments) ?? {};
	storedOfTools.set(toolArguments, stored);
	return stored;
}
