import type { IWebhookFunctions } from 'n8n-workflow';

import type { Received } from '../contract/read';
import type { OtherEvent, WebhookResult } from '../contract/result';
import { documentFieldsField, outputField, readOutput } from './outputField';
import type { Output } from './outputField';
import { otherEventItem, resultItem } from './resultItem';
import type { ResultItem } from './resultItem';

/** A result that a webhook has brought, as the node's Output says. */
export function webhookItem(
	context: IWebhookFunctions,
	result: Received<WebhookResult>,
): ResultItem {
	return resultItem(result, outputOf(context));
}

/** Another event that a webhook has brought, which only Raw returns whole. */
export function webhookEventItem(
	context: IWebhookFunctions,
	event: Received<OtherEvent>,
): ResultItem {
	return otherEventItem(event, outputOf(context));
}

/**
 * The values were checked before, but the workflow may have changed. With one that doesn't exist, an
 * item holds as little as possible.
 */
function outputOf(context: IWebhookFunctions): Output {
	const reading = readOutput(
		context.getNodeParameter(outputField.name),
		context.getNodeParameter(documentFieldsField.name, []),
	);
	return reading.ok ? reading.output : 'decisionOnly';
}
