import { HookContext, WebhookContext } from 'n8n-core';
import type {
	IDataObject,
	INodeExecutionData,
	INodeType,
	IWebhookData,
	IWebhookResponseData,
	IWorkflowExecuteAdditionalData,
	WebhookSetupMethodNames,
} from 'n8n-workflow';
import { createRunExecutionData } from 'n8n-workflow';

import { createAdditionalData } from './additionalData';
import { answerOverHttp } from './answerOverHttp';
import type { HttpRequest, HttpAnswer } from './answerOverHttp';
import { createWorkflow, NODE_NAME } from './workflow';
import type { NodeSetup } from './workflow';

export interface WebhookCall extends NodeSetup {
	request: HttpRequest;
	/** The item with which an execution waits at the node: the request resumes it. */
	waitingItem?: IDataObject;
}

/** Items of each output. */
export type Outputs = (INodeExecutionData[] | null)[];

export interface WebhookOutcome {
	/** Body that n8n would answer with, unless the node answered itself. */
	webhookResponse?: unknown;
	/**
	 * Items of each output of the node, if the workflow starts or goes on. n8n's engine hands them on
	 * as they are.
	 */
	workflowData?: Outputs;
	noWebhookResponse?: boolean;
	/** What the node itself sent. */
	sent: HttpAnswer;
}

/** Calls `webhook()` of a node in n8n's webhook context, with a request over HTTP. */
export async function callWebhook({
	request,
	waitingItem,
	...setup
}: WebhookCall): Promise<WebhookOutcome> {
	const { workflow, prepare } = webhookOf(setup);
	const [outcome, sent] = await answerOverHttp(request, async (httpRequest, httpResponse) => {
		await workflow.expression.acquireIsolate();
		try {
			return await prepare({ httpRequest, httpResponse }, waitingItem)();
		} finally {
			await workflow.expression.releaseIsolate();
		}
	});
	return { ...outcome, sent };
}

/** A request, and the response to it, as n8n hands them to a node. */
export type Exchanged = Pick<IWorkflowExecuteAdditionalData, 'httpRequest' | 'httpResponse'>;

/** A node whose `webhook()` can be called any number of times in n8n's webhook context. */
export function webhookOf(setup: NodeSetup) {
	const { workflow, node, nodeType } = createWorkflow(setup);
	const { webhook } = nodeType;
	if (!webhook) throw new Error('The node has no webhook()');
	const { credential } = setup;
	const common = createAdditionalData({ workflow, mode: 'webhook', credential });
	const waitingWith = (json: IDataObject) => {
		const nodeExecutionStack = [{ node, data: { main: [[{ json }]] }, source: null }];
		return createRunExecutionData({ executionData: { nodeExecutionStack } });
	};
	/** Returns the call for a request, which can be made again. */
	const prepare = (exchanged: Exchanged, waitingItem?: IDataObject) => {
		const additionalData = { ...common, ...exchanged };
		const run = waitingItem ? waitingWith(waitingItem) : null;
		const data = webhookData(nodeType, additionalData, workflow.id);
		return async (): Promise<IWebhookResponseData> =>
			await webhook.call(
				new WebhookContext(workflow, node, additionalData, 'webhook', data, [], run),
			);
	};
	return { workflow, prepare };
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
	const data = webhookData(nodeType, additionalData, workflow.id);
	const hook = nodeType.webhookMethods?.default?.[method];
	const context = new HookContext(workflow, node, additionalData, 'trigger', 'activate', data);
	return (await hook?.call(context)) ?? false;
}

function webhookData(
	{ description }: INodeType,
	workflowExecuteAdditionalData: IWorkflowExecuteAdditionalData,
	workflowId: string,
): IWebhookData {
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
export function jsonByOutput(outputs: Outputs = []): IDataObject[][] {
	return outputs.map((items) => (items ?? []).map(({ json }) => json));
}
