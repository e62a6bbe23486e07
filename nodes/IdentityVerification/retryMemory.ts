import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { mayBeCharged } from './transport';

type Outcome = Promise<INodeExecutionData>;

/**
 * Outcomes by input item. n8n makes new items for each run of a node and keeps them from try to try
 * of that run, so an outcome is found again by its own item alone, and goes when n8n drops the item.
 */
const outcomes = new WeakMap<INodeExecutionData, Outcome>();

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
	// An agent calls its tools with other data each time, and with the same item.
	if (!item || context.getNode().type.endsWith('Tool')) return await task();
	const outcome = outcomes.get(item) ?? task();
	outcomes.set(item, outcome);
	await outcome.catch((error: unknown) => {
		if (!mayBeCharged(error)) outcomes.delete(item);
	});
	return await outcome;
}
