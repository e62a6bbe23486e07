import type { IDataObject } from 'n8n-workflow';

import type { StoredFailure } from '../../errors/nodeErrors';
import type { NodeRun } from '../../item';
import type { Done } from '../../operation';

// Frozen after 0.1.0 (architecture.md, "What may not change after 0.1.0"): n8n stores this with a
// failed execution, and a newer version of the package may run its Retry. A changed form has to
// read this one, too, or Retry pays again. test/paidOnce/retryOfVersion010 holds an execution of
// 0.1.0.

/** A request that was or may have been charged, and its outcome. */
export type PaidRequest = Paid | PossiblyCharged;

export interface Paid extends Sent {
	kind: 'paid';
	done: Done;
}

export interface PossiblyCharged extends Sent {
	kind: 'possiblyCharged';
	failure: StoredFailure;
}

/** Which execution sent a request, and where to. The credential is part of the fingerprint. */
interface Sent {
	executionId: string;
	/** Normalized, as in `Service`. */
	baseUrl: string;
}

/**
 * The paid requests of an item, keyed by fingerprint, so a Retry with a different request adds an
 * entry instead of overwriting a paid one.
 */
export type PaidRequestsOfItem = Record<string, PaidRequest>;

/** What n8n keeps for the node. */
export interface Stored {
	/**
	 * Keyed by the node's run (there are several in a loop) and item, such as `0:17`. Deleted
	 * once the run has returned their results.
	 */
	paidRequests?: Record<string, PaidRequestsOfItem>;
	/**
	 * Missing unless the node limits what an execution pays. A Retry also receives that of the
	 * execution that it retries, which doesn't count.
	 */
	spending?: Spending;
}

/** What all runs of the node in one execution have spent. */
export interface Spending {
	executionId: string;
	/** How many places of Max Paid Requests are taken. */
	taken: number;
	/** How many credits are left, once an answer has said that too few are. */
	lowCredits?: number;
}

/**
 * Used for an AI agent's tool in place of n8n's node context. Each call of the tool has its own
 * arguments object.
 */
const storedOfTools = new WeakMap<IDataObject, Stored>();

/**
 * What n8n hands to the next try of Retry On Fail and, with a failed execution, to its Retry. n8n
 * documents neither (architecture.md#n8n-node-context, architecture.md#n8n-tool-arguments).
 * @returns the object itself, so n8n keeps what is written to it
 */
export function storedForRetry({ context, isAgentTool }: NodeRun): Stored {
	if (!isAgentTool) return context.getContext('node');
	const toolArguments = context.getInputData()[0]?.json ?? {};
	const stored = storedOfTools.get(toolArguments) ?? {};
	storedOfTools.set(toolArguments, stored);
	return stored;
}

/**
 * What n8n keeps until the execution ends: it is the same for all runs of the node in it, and for all
 * calls of an agent's tool. A call by an MCP client has none, so it counts by itself
 * (architecture.md#n8n-tool-context).
 * @returns the object itself, so n8n keeps what is written to it
 */
export function storedForExecution(nodeRun: NodeRun): Stored {
	try {
		return nodeRun.context.getContext('node');
	} catch {
		return storedForRetry(nodeRun);
	}
}
