import type { IExecuteFunctions } from 'n8n-workflow';

import type { NodeRun } from '../item';
import { runsOnEngine2 } from '../n8n';

// Engine 2.0 stores the message of an error and nothing else (docs/running.md#engine-20).

/** Whether a Retry will find what a failed run has paid for, as far as a node can tell. */
export function storesPaidRequests({ context, isAgentTool }: NodeRun): boolean {
	if (isAgentTool || runsOnEngine2(context)) return false;
	// An n8n before 2.6 doesn't tell a node the settings of its workflow.
	const olderContext: Partial<IExecuteFunctions> = context;
	const { saveDataErrorExecution, saveManualExecutions } =
		olderContext.getWorkflowSettings?.() ?? {};
	switch (context.getMode()) {
		case 'integrated':
			// A sub-workflow has an execution of its own, and retrying its parent starts a new one.
			return false;
		case 'manual':
			return saveManualExecutions !== false;
		default:
			return saveDataErrorExecution !== 'none';
	}
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
