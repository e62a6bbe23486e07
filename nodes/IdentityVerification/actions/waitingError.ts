import { NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions } from 'n8n-workflow';

import { NOT_CHARGED } from '../transport/errors';

/**
 * An error of Wait for Result. The link is paid for by then, and its result isn't lost.
 * @param advice what to do, in a sentence
 */
export function waitingError(
	context: IExecuteFunctions,
	message: string,
	advice: string,
): NodeOperationError {
	const description = `${advice} A link that was created stays valid, and its result goes to the outputs of the trigger.`;
	const headline = `${message}. ${NOT_CHARGED} for waiting`;
	return new NodeOperationError(context.getNode(), headline, { description });
}
