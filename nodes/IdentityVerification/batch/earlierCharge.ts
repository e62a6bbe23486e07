import { NodeOperationError } from 'n8n-workflow';

import { mayBeCharged } from '../errors/charge';
import { reworded, unmarkedMessage } from '../errors/nodeErrors';
import type { NodeError } from '../errors/nodeErrors';
import type { NodeRun } from '../item';

/**
 * The error of an item or a run for which an earlier execution has paid, or may have been charged,
 * without a result in this one. It goes into the message, because n8n keeps nothing else of a
 * failed item. The error for an item that is paid for at another address says so already.
 */
export function withEarlierCharge({ context }: NodeRun, error: NodeError): NodeError {
	if (error instanceof NodeOperationError && mayBeCharged(error)) return error;
	const message = `${unmarkedMessage(error)}. An earlier request of this node may have been processed and charged`;
	return reworded(context, error, { message }, { charge: 'possible' });
}
