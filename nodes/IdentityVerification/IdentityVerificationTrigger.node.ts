import { NodeOperationError } from 'n8n-workflow';
import type {
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { readWebhookResult } from './contract/result';
import type { Envelope } from './contract/result';
import { CREDENTIAL_TYPE, readWebhookSecret } from './credential';
import { DECISION_OUTPUTS, OUTPUT_HINT, routeAll } from './result/outputs';
import { PERSONAL_FIELDS, resultItem } from './resultItem';
import type { Output } from './resultItem';
import { authenticate } from './trigger/authenticate';
import { readBody } from './trigger/body';
import { configurationProblem } from './trigger/configuration';
import { activationMessage, triggerFields, triggerPanel } from './trigger/fields';
import { NOT_AUTHENTICATED, readWebhook, unreadable } from './trigger/readWebhook';
import type { Webhook } from './trigger/readWebhook';
import { handOver } from './delivery/handOver';
import { sentenceOf } from './delivery/outcome';
import { RECEIVED, UNAVAILABLE, logEarlierRefusals, refuseAndLog } from './webhookAnswer';

/** For n8n's log. The message of n8n's own error could hold anything. */
const FAILED = 'The credential could not be read, or n8n failed in another way';

export class IdentityVerificationTrigger implements INodeType {
	// There is no expression in this description: n8n would evaluate it for every webhook.
	description: INodeTypeDescription = {
		displayName: 'Identity Verification Trigger',
		name: 'identityVerificationTrigger',
		icon: { light: 'file:identityVerification.svg', dark: 'file:identityVerification.dark.svg' },
		group: ['trigger'],
		version: 2,
		subtitle: 'On Hosted Verification',
		// The node panel shows it for both nodes of the package.
		description:
			'Scan ID documents, create verification links, and start workflows when one is completed',
		eventTriggerDescription: 'Waiting for an end user to complete a hosted verification',
		activationMessage,
		defaults: { name: 'Identity Verification Trigger' },
		inputs: [],
		outputs: DECISION_OUTPUTS,
		credentials: [
			{
				name: CREDENTIAL_TYPE,
				required: true,
				displayOptions: { show: { authentication: ['webhookSecret'] } },
			},
		],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				responseData: '',
				// Frozen after 0.1.0: it is part of the webhook URLs in the service's portal.
				path: 'webhook',
			},
		],
		builderHint: {
			searchHint:
				"Has the outputs Review, Accept and Reject, in this order: connect them without a Switch or an IF. The user has to put its Production URL, with ?secret= and the credential's webhook secret, into the profile in the web portal.",
		},
		hints: [OUTPUT_HINT],
		sensitiveOutputFields: PERSONAL_FIELDS,
		triggerPanel,
		properties: triggerFields,
	};

	webhookMethods = {
		default: {
			// The URL is set in the service's web portal: there is nothing to register or remove.
			async checkExists(this: IHookFunctions): Promise<boolean> {
				// A credential that can't be read now may be readable when a webhook arrives.
				const secret = await readWebhookSecret(this).catch(() => undefined);
				const problem = configurationProblem(this.getNode(), secret);
				if (problem) throw new NodeOperationError(this.getNode(), problem);
				return true;
			},
			create: async () => true,
			delete: async () => true,
		},
	};

	/** Never throws: n8n would answer 500 and store a failed execution. */
	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receive(this).catch(() => refuseAndLog(this, UNAVAILABLE, FAILED));
	}
}

/** Answers a webhook, as docs/trigger.md#how-webhooks-are-answered lists. Rejects when the credential can't be read. */
async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const problem = configurationProblem(context.getNode());
	if (problem) return refuseAndLog(context, UNAVAILABLE, problem);
	const sender = await authenticate(context);
	if (sender.kind === 'refused') return refuseAndLog(context, NOT_AUTHENTICATED, sender.cause);

	const body = await readBody(context.getRequestObject());
	const profiles = context.getNodeParameter('options.profiles', '') as string;
	const webhook = readWebhook(body, profiles);
	if (webhook.kind === 'refused') return refuseAndLog(context, webhook.refusal);
	logEarlierRefusals(context);
	switch (webhook.kind) {
		case 'ignored':
			return { webhookResponse: RECEIVED };
		case 'awaited':
			return await handOn(context, webhook, sender.kind === 'proven' ? sender.secret : undefined);
		case 'result':
			return start(context, webhook.result);
	}
}

/** Hands a result to the execution that waits for it. Starts the workflow with what can't be delivered. */
async function handOn(
	context: IWebhookFunctions,
	{ result, customData }: Extract<Webhook, { kind: 'awaited' }>,
	provenSecret: string | undefined,
): Promise<IWebhookResponseData> {
	const delivery = await handOver(context, result, customData, provenSecret);
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
	const item = resultItem(result, context.getNodeParameter('output') as Output);
	// Not copied: that takes longer than to parse it, if it has many keys.
	const json = Object.assign(item, added);
	return { webhookResponse: RECEIVED, workflowData: routeAll([{ json }]) };
}
