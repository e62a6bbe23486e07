import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { idText } from '../contract/ids';
import { sentenceOf } from '../delivery/notDelivered';
import { openAndDeliver } from '../delivery/openAndDeliver';
import { routeAll } from '../result/outputs';
import { withMarks } from '../result/resultItem';
import type { ResultItem } from '../result/resultItem';
import { webhookEventItem, webhookItem } from '../result/webhookItem';
import { RECEIVED, UNAVAILABLE, refuseAndLog, warnOnceAMinute } from '../webhookAnswer';
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
	const takesOtherEvents =
		sender.kind === 'proven' && context.getNodeParameter('options.otherEvents', false) === true;
	const webhook = readWebhook(body, profiles, takesOtherEvents);
	if (webhook.kind === 'refused') return refuseAndLog(context, webhook.refusal);
	switch (webhook.kind) {
		case 'ignored':
			return { webhookResponse: RECEIVED };
		case 'ofOtherProfile':
			logOfOtherProfile(context, webhook.profileId);
			return { webhookResponse: RECEIVED };
		case 'awaited':
			return await deliverOrStart(
				context,
				webhook,
				sender.kind === 'proven' ? sender.secret : undefined,
			);
		case 'result':
			return start(webhookItem(context, webhook.result));
		case 'otherEvent':
			return start(webhookEventItem(context, webhook.event));
	}
}

/** n8n itself doesn't show that paid results are being ignored. */
function logOfOtherProfile(context: IWebhookFunctions, profileId: unknown): void {
	const id = idText(profileId);
	const ignored = `ignored a webhook of a profile that 'Profiles' does not list${id && ` (${id})`}`;
	warnOnceAMinute(context, 'profile', ignored);
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
	return start(webhookItem(context, result), { notDelivered: reason });
}

/** Starts the workflow at the output to which an item belongs. */
function start(
	{ json, branch }: ResultItem,
	added: { notDelivered?: string } = {},
): IWebhookResponseData {
	const item = { json: withMarks(json, added) };
	return { webhookResponse: RECEIVED, workflowData: routeAll([{ item, branch }]) };
}
