import type { IWebhookFunctions } from 'n8n-workflow';

import type { Received } from '../contract/read';
import type { WebhookResult } from '../contract/result';
import { documentFieldsField, outputField, readOutput } from './outputField';
import { resultItem } from './resultItem';
import type { ResultItem } from './resultItem';

/**
 * A result that a webhook has brought, as the node's Output says. Its values were checked before, but
 * the workflow may have changed; with one that doesn't exist, the item holds as little as possible.
 */
export function webhookItem(
	context: IWebhookFunctions,
	result: Received<WebhookResult>,
): ResultItem {
	const reading = readOutput(
		context.getNodeParameter(outputField.name),
		context.getNodeParameter(documentFieldsField.name, []),
	);
	return resultItem(result, reading.ok ? reading.output : 'decisionOnly');
}
