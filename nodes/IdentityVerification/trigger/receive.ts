import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import type { Received } from '../contract/read';
import type { WebhookResult } from '../contract/result';
import { sentenceOf } from '../delivery/notDelivered';
import { openAndDeliver } from '../delivery/openAndDeliver';
import { routeAll } from '../result/outputs';
import { withMarks } from '../result/resultItem';
import { webhookItem } from '../result/webhookItem';
import { RECEIVED, UNAVAILABLE, refuseAndLog } from '../webhookAnswer';
import { NOT_AUTHENTICATED, authenticate } from './authenticate';
import { configurationProblem } from './configuration';
import { readBody } from './readBody';
import { readWebhook } from './readWebhook';
import type { AwaitedWebhook } from './readWebhook';

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
	{ body, result, customData }: AwaitedWebhook,
	provenSecret: string | undefined,
): Promise<IWebhookResponseData> {
	const delivery = await openAndDeliver(context, body, customData, provenSecret);
	if (delivery.kind === 'delivered') return { webhookResponse: RECEIVED };
	const reason = sentenceOf(delivery);
	if (delivery.why === 'starting') return refuseAndLog(context, UNAVAILABLE, reason);
	return start(context, result, { notDelivered: reason });
}

/** Starts the workflow at the output of the result's decision. */
function start(
	context: IWebhookFunctions,
	result: Received<WebhookResult>,
	added: { notDelivered?: string } = {},
): IWebhookResponseData {
	const { json, branch } = webhookItem(context, result);
	const item = { json: withMarks(json, added) };
	return { webhookResponse: RECEIVED, workflowData: routeAll([{ item, branch }]) };
}
