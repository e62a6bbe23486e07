import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { parseDeepJson, readEnvelope, readWebhookResult } from '../contract';
import { readWebhookSecret } from '../credential';
import { routeAwaited } from '../outputs';
import { resultItem } from '../resultItem';
import type { Output } from '../resultItem';
import { RECEIVED, refuse } from '../webhookAnswer';
import { OTHER_LINK, SIGNATURE_HEADER, isDelivery } from './delivery';

/**
 * Takes the result that an execution waits for. After anything else, the execution goes on waiting.
 * @returns the result on the output of its decision
 */
export async function resume(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const { rawBody } = context.getRequestObject();
	const signature = context.getHeaderData()[SIGNATURE_HEADER];
	const secret = await readWebhookSecret(context);
	if (!rawBody || secret === '' || !isDelivery(secret, rawBody, signature)) {
		return refuse(context, 401, { error: 'Only the trigger can hand a result to this execution.' });
	}
	const envelope = readEnvelope(parseDeepJson(rawBody.toString()));
	const reading = envelope.ok ? readWebhookResult(envelope.value) : envelope;
	if (!reading.ok) return refuse(context, 400, { error: 'Not a readable result' });
	const awaited = context.evaluateExpression('{{ $json.reference }}', 0);
	if (String(reading.value.hosted) !== awaited) return refuse(context, 409, { error: OTHER_LINK });
	const json = resultItem(reading, context.getNodeParameter('output') as Output);
	return {
		webhookResponse: RECEIVED,
		workflowData: routeAwaited({ json, pairedItem: { item: 0 } }),
	};
}
