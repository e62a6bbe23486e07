import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { readWebhookResult } from '../contract/result';
import type { Envelope } from '../contract/result';
import { sentenceOf } from '../delivery/notDelivered';
import { openAndDeliver } from '../delivery/openAndDeliver';
import type { Output } from '../result/outputField';
import { routeAll } from '../result/outputs';
import { resultItem } from '../result/resultItem';
import { RECEIVED, UNAVAILABLE, logRefusalsIfDue, refuseAndLog } from '../webhookAnswer';
import { NOT_AUTHENTICATED, authenticate } from './authenticate';
import { configurationProblem } from './configuration';
import { readBody } from './readBody';
import { readWebhook, unreadable } from './readWebhook';
import type { Webhook } from './readWebhook';

/**
 * Answers a webhook as listed in docs/trigger.md#how-webhooks-are-answered. Rejects if the
 * credential can't be read.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const problem = configurationProblem(context.getNode());
	if (problem) return refuseAndLog(context, UNAVAILABLE, problem);
	const sender = await authenticate(context);
	if (sender.kind === 'refused') return refuseAndLog(context, NOT_AUTHENTICATED, sender.cause);

	const body = await readBody(context.getRequestObject());
	const profiles = context.getNodeParameter('options.profiles', '') as string;
	const webhook = readWebhook(body, profiles);
	if (webhook.kind === 'refused') return refuseAndLog(context, webhook.refusal);
	logRefusalsIfDue(context);
	switch (webhook.kind) {
		case 'ignored':
			return { webhookResponse: RECEIVED };
		case 'awaited':
			return await deliverOrStart(
				context,
				webhook,
				sender.kind === 'proven' ? sender.secret : undefined,
			);
		case 'result':
			return start(context, webhook.result);
	}
}

/** Delivers a result to the execution that waits for it, or starts the workflow if that fails. */
async function deliverOrStart(
	context: IWebhookFunctions,
	{ result, customData }: Extract<Webhook, { kind: 'awaited' }>,
	provenSecret: string | undefined,
): Promise<IWebhookResponseData> {
	const delivery = await openAndDeliver(context, result, customData, provenSecret);
	if (delivery.kind === 'delivered') return { webhookResponse: RECEIVED };
	const notDelivered = sentenceOf(delivery);
	if (delivery.why === 'starting') return refuseAndLog(context, UNAVAILABLE, notDelivered);
	return start(context, result, { notDelivered });
}

/** Starts the workflow at the output of the result's decision. */
function start(
	context: IWebhookFunctions,
	body: Envelope,
	added: { notDelivered?: string } = {},
): IWebhookResponseData {
	const result = readWebhookResult(body);
	if (!result.ok) return refuseAndLog(context, unreadable(result.problems));
	const { json, branch } = resultItem(result, context.getNodeParameter('output') as Output);
	const item = { json: { ...json, ...added } };
	return { webhookResponse: RECEIVED, workflowData: routeAll([{ item, branch }]) };
}
