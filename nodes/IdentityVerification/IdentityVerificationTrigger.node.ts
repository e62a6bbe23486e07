import { NodeOperationError } from 'n8n-workflow';
import type {
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { CREDENTIAL_TYPE, readWebhookSecret } from './credential';
import { DECISION_OUTPUTS, OUTPUT_HINT, PINNED_DATA_HINT } from './result/outputs';
import { configurationProblem } from './trigger/configuration';
import { activationMessage, triggerFields, triggerPanel } from './trigger/fields';
import { receive } from './trigger/receive';
import { refuseFailed } from './webhookAnswer';

export class IdentityVerificationTrigger implements INodeType {
	// Don't use expressions in this description: n8n would evaluate them for every webhook.
	description: INodeTypeDescription = {
		displayName: 'Identity Verification Trigger',
		name: 'identityVerificationTrigger',
		icon: { light: 'file:identityVerification.svg', dark: 'file:identityVerification.dark.svg' },
		group: ['trigger'],
		version: 2,
		subtitle: 'On Hosted Verification',
		// The node panel shows this text for both nodes of the package.
		description:
			'Scan ID documents, create verification links, and start workflows with their results',
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
			searchHint: `Has the outputs Review, Accept and Reject, in this order: connect them without a Switch or an IF. ${PINNED_DATA_HINT} The user has to put its Production URL, with ?secret= and the credential's webhook secret, into the profile in the web portal.`,
		},
		hints: [OUTPUT_HINT],
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
		return await receive(this).catch((failed: unknown) => refuseFailed(this, failed));
	}
}
