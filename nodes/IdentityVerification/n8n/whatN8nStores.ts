import type { NodeRun } from '../item';
import { runsOnEngine2 } from './thisN8n';

/**
 * Whether a Retry finds what a failed run has paid for, if n8n saved the execution. A sub-workflow
 * has an execution of its own, and retrying its parent starts a new one.
 */
export function keepsPaidRequests({ context, isAgentTool }: NodeRun): boolean {
	return !isAgentTool && context.getMode() !== 'integrated';
}

/**
 * Whether n8n writes the message of an item's `error` into the item's JSON
 * (architecture.md#n8n-item-error). Older agents run their tools without n8n's engine, and Engine
 * 2.0, in which the node refuses to run, doesn't do it.
 */
export function writesMessages({ context, isAgentTool }: NodeRun): boolean {
	return !isAgentTool && !runsOnEngine2(context);
}
