import { NodeOperationError } from 'n8n-workflow';

import { mayBeCharged } from '../errors/charge';
import { reworded, unmarkedMessage } from '../errors/nodeErrors';
import type { NodeError } from '../errors/nodeErrors';
import type { NodeRun } from '../item';

/**
 * The error of an item or a run for which an earlier execution has paid, or may have been charged,
 * without a result in this one. It goes into the message, because n8n keeps nothing else of a
 * failed item. The error for an item that is paid for at another address says so already.
 * @param whose such as ` for another item`
 */
export function withEarlierCharge({ context }: NodeRun, error: NodeError, whose = ''): NodeError {
	if (error instanceof NodeOperationError && mayBeCharged(error)) return error;
	return reworded(context, error, {
		message: `${unmarkedMessage(error)}. An earlier request${whose} may have been processed and charged`,
		charge: 'possible',
		// A cause would invite n8n to send the item again.
		cause: undefined,
	});
}
