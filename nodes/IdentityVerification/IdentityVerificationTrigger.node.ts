import { NodeOperationError } from 'n8n-workflow';
import type {
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { readEnvelope, readWebhookResult } from './contract/result';
import { HOSTED_CONCLUSIVE } from './contract/vocabulary';
import { CREDENTIAL_TYPE, readWebhookSecret } from './credential';
import { DECISION_OUTPUTS, OUTPUT_HINT, routeAll } from './outputs';
import { PERSONAL_FIELDS, resultItem } from './resultItem';
import type { Output } from './resultItem';
import { configurationProblem } from './trigger/configuration';
import { activationMessage, triggerFields, triggerPanel } from './trigger/fields';
import {
	NOT_AUTHENTICATED,
	TOO_LARGE,
	isAuthentic,
	isOfAnother,
	readBody,
	receivedSecrets,
	unreadable,
} from './trigger/receive';
import { splitAddress } from './waiting/address';
import { STILL_STARTING, handOver } from './waiting/delivery';
import { RECEIVED, UNAVAILABLE, logRefusals, refuseAndLog } from './webhookAnswer';

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

/**
 * Starts the workflow at the output of the decision, or hands the result to the execution that waits for it. Rejects
 * when the credential can't be read.
 */
async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const problem = configurationProblem(context.getNode());
	if (problem) return refuseAndLog(context, UNAVAILABLE, problem);

	const needsSecret = context.getNodeParameter('authentication') !== 'none';
	const received = receivedSecrets(context.getQueryData(), context.getHeaderData());
	// Read only for a webhook that carries a secret, so that a flood of others costs next to nothing.
	const secret = needsSecret && received.length > 0 ? await readWebhookSecret(context) : '';
	if (needsSecret && !isAuthentic(received, secret)) {
		return refuseAndLog(context, NOT_AUTHENTICATED);
	}

	const { json, isTooLarge } = await readBody(context.getRequestObject());
	if (isTooLarge) return refuseAndLog(context, TOO_LARGE);
	const envelope = readEnvelope(json);
	if (!envelope.ok) return refuseAndLog(context, unreadable(envelope.problems));
	logRefusals(context);

	const { event, profileId, customData } = envelope.value;
	const addressed = splitAddress(customData);
	const profiles = context.getNodeParameter('options.profiles', '') as string;
	// A result that an execution waits for bypasses the profile filter.
	const isOthers = !addressed && isOfAnother(profileId, profiles);
	if (event !== HOSTED_CONCLUSIVE || isOthers) return { webhookResponse: RECEIVED };

	const body = { ...envelope.value, ...(addressed && { customData: addressed.value }) };
	const notDelivered = addressed && (await handOver(context, body, addressed, secret));
	if (addressed && notDelivered === undefined) return { webhookResponse: RECEIVED };
	if (notDelivered === STILL_STARTING) return refuseAndLog(context, UNAVAILABLE, notDelivered);

	const result = readWebhookResult(body);
	if (!result.ok) return refuseAndLog(context, unreadable(result.problems));
	const item = resultItem(result, context.getNodeParameter('output') as Output);
	const workflowData = routeAll([{ json: { ...item, ...(addressed && { notDelivered }) } }]);
	return { webhookResponse: RECEIVED, workflowData };
}
