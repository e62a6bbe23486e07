import { HookContext, WebhookContext } from 'n8n-core';
import type {
	IDataObject,
	INodeExecutionData,
	IWebhookData,
	IWorkflowExecuteAdditionalData,
	WebhookSetupMethodNames,
} from 'n8n-workflow';

import { createAdditionalData } from './additionalData';
import { exchange } from './exchange';
import type { ReceivedRequest, SentResponse } from './exchange';
import { createWorkflow, NODE_NAME } from './workflow';
import type { NodeSetup } from './workflow';

export interface WebhookCall extends NodeSetup {
	request: ReceivedRequest;
}

export interface WebhookOutcome {
	/** Body that n8n would answer with, unless the node answered itself. */
	webhookResponse?: unknown;
	/** Items of each output; the workflow starts if this is set. */
	workflowData?: (INodeExecutionData[] | null)[];
	noWebhookResponse?: boolean;
	/** What the node itself sent. */
	sent: SentResponse;
}

/** Calls `webhook()` of a node in n8n's webhook context, with a request that came over HTTP. */
export async function callWebhook({ request, ...setup }: WebhookCall): Promise<WebhookOutcome> {
	const { workflow, node, nodeType } = createWorkflow(setup);
	const { webhook } = nodeType;
	if (!webhook) throw new Error('The node has no webhook()');
	const [outcome, sent] = await exchange(request, async (httpRequest, httpResponse) => {
		const additionalData: IWorkflowExecuteAdditionalData = {
			...createAdditionalData({ workflow, mode: 'webhook', credential: setup.credential }),
			httpRequest,
			httpResponse,
		};
		const data = webhookData(setup, additionalData, workflow.id);
		const context = new WebhookContext(workflow, node, additionalData, 'webhook', data, [], null);
		await workflow.expression.acquireIsolate();
		try {
			return await webhook.call(context);
		} finally {
			await workflow.expression.releaseIsolate();
		}
	});
	return { ...outcome, sent };
}

/** Activates a node as n8n does: `create` unless `checkExists`. Rejects if the node refuses. */
export async function activate(setup: NodeSetup): Promise<void> {
	if (!(await runHook('checkExists', setup))) await runHook('create', setup);
}

async function runHook(method: WebhookSetupMethodNames, setup: NodeSetup): Promise<boolean> {
	const { workflow, node, nodeType } = createWorkflow(setup);
	const additionalData = createAdditionalData({
		workflow,
		mode: 'trigger',
		credential: setup.credential,
	});
	const data = webhookData(setup, additionalData, workflow.id);
	const hook = nodeType.webhookMethods?.default?.[method];
	const context = new HookContext(workflow, node, additionalData, 'trigger', 'activate', data);
	return (await hook?.call(context)) ?? false;
}

function webhookData(
	{ node }: NodeSetup,
	workflowExecuteAdditionalData: IWorkflowExecuteAdditionalData,
	workflowId: string,
): IWebhookData {
	const { description } = typeof node === 'function' ? new node() : node;
	const [webhookDescription] = description.webhooks ?? [];
	if (!webhookDescription) throw new Error('The node describes no webhook');
	return {
		httpMethod: 'POST',
		node: NODE_NAME,
		path: webhookDescription.path,
		webhookDescription,
		workflowId,
		workflowExecuteAdditionalData,
	};
}

/** Items of all outputs as plain JSON. */
export function jsonOf(outputs: WebhookOutcome['workflowData'] = []): IDataObject[][] {
	return outputs.map((items) => (items ?? []).map(({ json }) => json));
}
