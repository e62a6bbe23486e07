import { NodeOperationError } from 'n8n-workflow';
import type {
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { CREDENTIAL_TYPE, readWebhookSecret } from './credential';
import { DECISION_OUTPUTS, routeAll } from './outputs';
import { PERSONAL_FIELDS, resultItem } from './resultItem';
import type { Output } from './resultItem';
import { readBody } from './trigger/body';
import { configurationProblem } from './trigger/configuration';
import { NOT_AUTHENTICATED, isAuthentic, readWebhook, receivedSecrets } from './trigger/receive';
import { causeOf, logRefusals, refuseUnavailable, refuseWebhook } from './trigger/refusals';
import { activationMessage, triggerFields, triggerPanel } from './trigger/fields';
import { handOver } from './waiting/execution';
import { RECEIVED } from './webhookAnswer';

export class IdentityVerificationTrigger implements INodeType {
	// No expression stands in this description: n8n would evaluate it for every webhook.
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
				"Has the outputs Review, Accept and Reject, in this order: connect them directly, without a Switch or an IF. The user has to put its Production URL, with ?secret= and the credential's webhook secret, into the profile in the service's web portal.",
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-identity-verification.identityVerification',
					relationHint: 'Creates the hosted links whose results start this trigger',
				},
			],
		},
		sensitiveOutputFields: PERSONAL_FIELDS,
		triggerPanel,
		properties: triggerFields,
	};

	webhookMethods = {
		default: {
			// The URL is set in the service's web portal: there is nothing to register or remove.
			async checkExists(this: IHookFunctions): Promise<boolean> {
				// A credential that can't be read now may be readable when a webhook comes.
				const secret = await readWebhookSecret(this).catch(() => undefined);
				const problem = configurationProblem(this.getNode(), secret);
				if (problem) throw new NodeOperationError(this.getNode(), problem);
				return true;
			},
			async create(this: IHookFunctions): Promise<boolean> {
				return true;
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return true;
			},
		},
	};

	/** Never throws: n8n would answer 500 and store a failed execution. */
	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receive(this).catch((failure: unknown) =>
			refuseUnavailable(this, causeOf(failure)),
		);
	}
}

/**
 * Starts the workflow at the output of the decision, or hands the result to the execution that waits for it. Rejects
 * when the credential can't be read, and while n8n starts.
 */
async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const problem = configurationProblem(context.getNode());
	if (problem) return refuseUnavailable(context, problem);

	const needsSecret = context.getNodeParameter('authentication') !== 'none';
	const received = receivedSecrets(context.getQueryData(), context.getHeaderData());
	// Read only for a webhook that carries a secret, so that a flood of others costs next to nothing.
	const secret = needsSecret && received.length > 0 ? await readWebhookSecret(context) : '';
	if (needsSecret && !isAuthentic(received, secret)) {
		return refuseWebhook(context, NOT_AUTHENTICATED);
	}

	const profiles = context.getNodeParameter('options.profiles', '') as string;
	const body = await readBody(context.getRequestObject());
	const reception = readWebhook(body, profiles.split(/[\s,]+/).filter(Boolean));
	if (reception.kind === 'refused') return refuseWebhook(context, reception.refusal);
	logRefusals(context);
	if (reception.kind === 'ignored') return { webhookResponse: RECEIVED };

	const { result, addressed } = reception;
	const notDelivered = addressed && (await handOver(context, { addressed, result, secret }));
	if (addressed && notDelivered === undefined) return { webhookResponse: RECEIVED };

	const json = resultItem(result, context.getNodeParameter('output') as Output);
	const item = { json: { ...json, ...(notDelivered !== undefined && { notDelivered }) } };
	return { webhookResponse: RECEIVED, workflowData: routeAll([item]) };
}
