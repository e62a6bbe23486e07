import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isAgentTool } from './agentTool';
import { mayBeCharged } from './transport';

type Outcome = Promise<INodeExecutionData>;

/**
 * Outcomes by input item. n8n makes new items for each run of a node and keeps them from try to try
 * of that run, so an outcome is found again by its own item alone, and goes when n8n drops the item.
 * Of a tool n8n keeps only the arguments, which are new for each call of the agent.
 */
const outcomes = new WeakMap<object, Outcome>();

/**
 * Does an item's task, unless an earlier try did. n8n's Retry On Fail runs the whole node again, with
 * all items: one that succeeded, or whose request may have been charged, keeps its first outcome.
 */
export async function oncePerItem(
	context: IExecuteFunctions,
	itemIndex: number,
	task: () => Outcome,
): Outcome {
	const item = context.getInputData()[itemIndex];
	if (!item) return await task();
	const key = isAgentTool(context) ? item.json : item;
	const outcome = outcomes.get(key) ?? task();
	outcomes.set(key, outcome);
	await outcome.catch((error: unknown) => {
		if (!mayBeCharged(error)) outcomes.delete(key);
	});
	return await outcome;
}
