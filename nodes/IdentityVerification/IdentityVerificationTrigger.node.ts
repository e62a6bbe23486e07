import { NodeOperationError } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	IHookFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { CREDENTIAL_TYPE, readWebhookSecret } from './credential';
import { startsOnEngine2 } from './runtime';
import { DECISION_OUTPUTS, routeAll } from './outputs';
import { PERSONAL_FIELDS, resultItem } from './resultItem';
import type { Output } from './resultItem';
import type { Authentication } from './trigger/authenticate';
import { readBody } from './trigger/body';
import { configurationProblem } from './trigger/configuration';
import { receive } from './trigger/receive';
import type { Awaited } from './trigger/receive';
import { logRefusals, refuseUnavailable, refuseWebhook } from './trigger/refusals';
import { activationMessage, triggerFields, triggerPanel } from './trigger/fields';
import { isRepeated } from './trigger/repetition';
import { deliver as deliverTo } from './waiting/delivery';
import { resumeEndpoint } from './waiting/execution';
import { untilStarted } from './waiting/start';
import { RECEIVED, UNAVAILABLE } from './webhookAnswer';

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

	/**
	 * Puts what `webhook()` has received on the output of its decision. Only here, n8n lets a node remember what
	 * earlier executions had. Never throws: n8n would put the item on the first output.
	 */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return routeAll((await isRepeated(this)) ? [] : this.getInputData());
	}

	/** Never throws: n8n would answer 500 and store a failed execution. */
	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await handle(this).catch((failure: unknown) => refuseUnavailable(this, failure));
	}
}

async function handle(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const misconfigured = configurationProblem(context.getNode());
	if (misconfigured) return refuseWebhook(context, 503, UNAVAILABLE, misconfigured);
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
		return refuseWebhook(context, status, { error, problems }, error);
	}
	logRefusals(context);
	if (reception.kind === 'ignored') return { webhookResponse: RECEIVED };
	const { result, awaited } = reception;
	const notDelivered = awaited && (await deliver(context, awaited, result.body));
	if (awaited && notDelivered === undefined) return { webhookResponse: RECEIVED };
	const json = resultItem(result, context.getNodeParameter('output') as Output);
	const item = { json: { ...json, ...(notDelivered !== undefined && { notDelivered }) } };
	return {
		webhookResponse: RECEIVED,
		// On the first output: n8n runs `execute()` with nothing else.
		workflowData: startsOnEngine2(context) ? routeAll([item]) : [[item]],
	};
}

/**
 * Hands a result to the execution that waits for it; returns why it doesn't go there, if so. Rejects while n8n starts:
 * the service has to send the result again, as when n8n doesn't run.
 */
async function deliver(
	context: IWebhookFunctions,
	awaited: Awaited,
	body: object,
): Promise<string | undefined> {
	if ('problem' in awaited) return awaited.problem;
	const { execution, secret } = awaited;
	const endpoint = resumeEndpoint(context);
	await untilStarted(endpoint);
	return await deliverTo(endpoint, execution, body, secret);
}
