import { NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions } from 'n8n-workflow';

import { NOT_CHARGED, headline } from '../transport/errors';

/**
 * An error of one item, before anything was sent for it.
 * @param message without the item and what it means for credits, which are added
 * @param advice what to do, in a sentence
 */
export function itemError(
	context: IExecuteFunctions,
	itemIndex: number,
	message: string,
	advice: string,
): NodeOperationError {
	const description = `${advice} Nothing was sent for this item.`;
	const error = new NodeOperationError(context.getNode(), message, { itemIndex, description });
	// n8n replaces a message with a code such as ECONNRESET in it, which a file name can have.
	return Object.assign(error, {
		message: headline(message, NOT_CHARGED, { itemIndex }),
		messages: [],
	});
}
