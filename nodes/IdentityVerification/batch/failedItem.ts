import type { INodeExecutionData } from 'n8n-workflow';

import { asNodeError } from '../errors/nodeErrors';
import type { NodeError } from '../errors/nodeErrors';
import type { NodeRun } from '../item';
import { writesMessages } from '../n8n/whatN8nStores';
import { withEarlierCharge } from './earlierCharge';
import { PaidRequests } from './paid/paidRequests';

/**
 * An item that contains its error, for a node that is set to continue.
 * @param paid knows whether only earlier executions have paid for the item, or may have been
 * charged
 */
export function failedItem(
	nodeRun: NodeRun,
	paid: PaidRequests,
	itemIndex: number,
	ownError: NodeError,
): INodeExecutionData {
	const error = paid.lacksEarlierResult(itemIndex)
		? withEarlierCharge(nodeRun, ownError)
		: ownError;
	// n8n writes the message into the item only after deciding whether to repeat the node. If we
	// wrote it earlier, Retry On Fail would repeat the node (architecture.md#n8n-item-error).
	const json = writesMessages(nodeRun) ? {} : { error: error.message };
	return { json, error, pairedItem: { item: itemIndex } };
}

/** The items of a run that failed as a whole, for a node that is set to continue. */
export function failedItems(nodeRun: NodeRun, failed: unknown): INodeExecutionData[] {
	const { context } = nodeRun;
	const paid = new PaidRequests(nodeRun);
	return context.getInputData().map((_, itemIndex) => {
		const error = asNodeError({ context, itemIndex }, failed, 'none');
		return failedItem(nodeRun, paid, itemIndex, error);
	});
}
