import type { NodeRun } from '../item';
import { runsOnEngine2 } from '../n8n';

// Engine 2.0 stores the message of an error and nothing else (docs/running.md#engine-20).

/**
 * Whether a Retry finds what a failed run has paid for, if n8n saved the execution. A sub-workflow
 * has an execution of its own, and retrying its parent starts a new one.
 */
export function keepsPaidRequests({ context, isAgentTool }: NodeRun): boolean {
	return !isAgentTool && !runsOnEngine2(context) && context.getMode() !== 'integrated';
}

/** Whether n8n stores the description of an error as well as its message. */
export function storesDescriptions({ context }: NodeRun): boolean {
	return !runsOnEngine2(context);
}

/**
 * Whether n8n writes the message of an item's `error` into the item's JSON
 * (architecture.md#n8n-item-error). Older agents run their tools without n8n's engine.
 */
export function writesMessages({ context, isAgentTool }: NodeRun): boolean {
	return !isAgentTool && !runsOnEngine2(context);
}
