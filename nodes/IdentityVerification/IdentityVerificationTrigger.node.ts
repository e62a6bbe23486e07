import { NodeOperationError } from 'n8n-workflow';
import type {
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { recognizedDecision } from './contract';
import { CREDENTIAL_TYPE, readWebhookSecret } from './credential';
import { DECISION_OUTPUTS, route } from './outputs';
import { PERSONAL_FIELDS, resultItem } from './resultItem';
import type { Output } from './resultItem';
import type { Authentication } from './trigger/authenticate';
import { readBody } from './trigger/body';
import { configurationProblem } from './trigger/configuration';
import { receive } from './trigger/receive';
import { triggerFields, triggerPanel } from './trigger/fields';

/** Doesn't tell the sender the cause; the editor shows it when the workflow is published. */
const UNAVAILABLE = {
	error: 'The trigger cannot take webhooks at the moment. Send this one again later.',
};

export class IdentityVerificationTrigger implements INodeType {
	// No expression stands in this description: n8n would evaluate it for every webhook.
	description: INodeTypeDescription = {
		displayName: 'Identity Verification Trigger',
		name: 'identityVerificationTrigger',
		icon: { light: 'file:identityVerification.svg', dark: 'file:identityVerification.dark.svg' },
		group: ['trigger'],
		version: 2,
		subtitle: 'On hosted verification',
		// The node panel shows it for both nodes of the package.
		description:
			'Scan ID documents, create verification links, and start workflows when one is completed',
		eventTriggerDescription: 'Waiting for an end user to complete a hosted verification',
		activationMessage:
			"Results start this workflow once the production URL of this trigger is in the profile in the service's web portal.",
		defaults: { name: 'Identity Verification Trigger' },
		inputs: [],
		outputs: DECISION_OUTPUTS,
		credentials: [
			{
				name: CREDENTIAL_TYPE,
				required: true,
				displayOptions: { show: { authentication: ['signedCustomData', 'webhookSecret'] } },
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
		return await handle(this).catch(() => refuse(this, 503, UNAVAILABLE));
	}
}

async function handle(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	if (configurationProblem(context.getNode())) return refuse(context, 503, UNAVAILABLE);
	const profiles = context.getNodeParameter('options.profiles', '') as string;
	const reception = await receive(
		{
			query: context.getQueryData() as Partial<Record<string, unknown>>,
			headers: context.getHeaderData(),
			readBody: async () => await readBody(context.getRequestObject()),
		},
		{
			authentication: context.getNodeParameter('authentication') as Authentication,
			readSecret: async () => await readWebhookSecret(context),
			profiles: profiles.split(/[\s,]+/).filter(Boolean),
		},
	);
	if (reception.kind === 'refused') {
		const { status, error, problems } = reception;
		return refuse(context, status, { error, problems });
	}
	if (reception.kind === 'ignored') return { webhookResponse: { received: true } };
	const { result } = reception;
	const json = resultItem(result, context.getNodeParameter('output') as Output);
	return {
		webhookResponse: { received: true },
		workflowData: route(recognizedDecision(result.body), { json }),
	};
}

function refuse(context: IWebhookFunctions, status: number, body: object): IWebhookResponseData {
	context.getResponseObject().status(status).json(body);
	return { noWebhookResponse: true };
}
