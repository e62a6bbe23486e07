import { WebhookContext } from 'n8n-core';
import type {
	INodeExecutionData,
	INodeParameters,
	IWebhookFunctions,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

import { createAdditionalData } from '../engine/additionalData';
import { createWorkflow } from '../engine/workflow';
import { SECRET, triggerSetup } from '../trigger/callTrigger';

export interface Outcome {
	status: number;
	/** What the trigger answered itself. */
	refusal?: unknown;
	workflowData?: (INodeExecutionData[] | null)[];
}

/** A body that n8n has parsed, or bytes that it leaves to the node. */
type Send = (body: unknown, bytes?: Buffer) => Promise<Outcome>;

/** A trigger in n8n's webhook context that takes bodies without a server between. */
export function fuzzedTrigger(parameters: INodeParameters): Send {
	const setup = triggerSetup({ parameters });
	const { workflow, node, nodeType } = createWorkflow(setup);
	const common = createAdditionalData({ workflow, mode: 'webhook', credential: setup.credential });
	const [webhookDescription] = nodeType.description.webhooks ?? [];
	const { webhook } = nodeType;
	if (!webhook || !webhookDescription) throw new Error('The node has no webhook');

	return async (body, bytes) => {
		const answered: { status: number; body: unknown }[] = [];
		const additionalData = {
			...common,
			httpRequest: {
				...(bytes ? unparsed(bytes) : { body, contentType: 'application/json' }),
				query: { secret: SECRET },
				headers: {},
				params: {},
			},
			httpResponse: recorder(answered),
		} as unknown as IWorkflowExecuteAdditionalData;
		const webhookData = {
			httpMethod: 'POST' as const,
			node: node.name,
			path: webhookDescription.path,
			webhookDescription,
			workflowId: workflow.id,
			workflowExecuteAdditionalData: additionalData,
		};
		const { workflowData, noWebhookResponse } = await webhook.call(
			new WebhookContext(workflow, node, additionalData, 'webhook', webhookData, [], null),
		);
		expect(answered).toHaveLength(noWebhookResponse ? 1 : 0);
		const [answer = { status: 200, body: undefined }] = answered;
		return {
			status: answer.status,
			refusal: answer.body,
			workflowData,
		};
	};
}

function unparsed(rawBody: Buffer): object {
	const request = {
		unpipe: () => ({ resume: () => undefined }),
		readRawBody: async () => undefined,
		complete: true,
		once: () => undefined,
	};
	return { ...request, rawBody, contentType: 'application/octet-stream', encoding: 'utf-8' };
}

function recorder(answered: { status: number; body: unknown }[]) {
	return {
		status: (status: number) => ({
			json: (body: unknown) =>
				void answered.push({ status, body: JSON.parse(JSON.stringify(body)) }),
		}),
	} as unknown as ReturnType<IWebhookFunctions['getResponseObject']>;
}

/** What n8n makes of the bytes of an `application/json` body; `unparsable` for its own 422. */
export function parsedByN8n(bytes: Buffer): { body: unknown } | 'unparsable' {
	if (bytes.length === 0) return { body: undefined };
	try {
		return { body: JSON.parse(bytes.toString().replace(/^\ufeff/, '')) as unknown };
	} catch {
		return 'unparsable';
	}
}
