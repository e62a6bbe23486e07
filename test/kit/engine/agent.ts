import { randomUUID } from 'node:crypto';

import { WebhookContext, WorkflowExecute } from 'n8n-core';
import type {
	EngineRequest,
	EngineResponse,
	IExecuteFunctions,
	INode,
	INodeParameters,
	INodeType,
	IWebhookData,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { NodeConnectionTypes, Workflow, createRunExecutionData } from 'n8n-workflow';

import { createAdditionalData } from './additionalData';
import type { Credential, NodeSettings } from './workflow';
import {
	PACKAGE_NAME,
	START_NAME,
	START_TYPE,
	credentialIdOfTest,
	nodeTypes,
	start,
} from './workflow';

const AGENT = 'Agent';
const TOOL = 'Tool';

/**
 * Who calls a tool: an AI Agent node of version 2, which does so by itself and in parallel; one of
 * version 3, for which n8n's engine does it; or a client of the MCP Server Trigger.
 */
export type Caller = 'agent 2' | 'agent 3' | 'MCP client';

export interface ToolCalls {
	tool: INodeType;
	credential: Credential;
	parameters: INodeParameters;
	settings?: NodeSettings;
	/** How often the tool is called in one execution. */
	calls: number;
}

interface Invokable {
	invoke(toolArguments: object): Promise<string>;
}

/** Calls a tool as n8n does, without a model, and returns what each call answers. */
export async function callToolOften(caller: Caller, options: ToolCalls): Promise<string[]> {
	const executionId = randomUUID();
	const answers: string[] = [];
	const workflow = workflowOf(caller, options, answers);
	const { credential } = options;
	if (caller === 'MCP client') {
		const additionalData = createAdditionalData({ workflow, mode: 'webhook', credential });
		answers.push(...(await callOverMcp(workflow, additionalData, options.calls)));
		return answers;
	}
	const additionalData = createAdditionalData({
		workflow,
		mode: 'webhook',
		executionId,
		credential,
	});
	const node = workflow.getNode(START_NAME) as INode;
	const data = createRunExecutionData({
		executionData: {
			nodeExecutionStack: [{ node, data: { main: [[{ json: {} }]] }, source: null }],
		},
	});
	await new WorkflowExecute(additionalData, 'webhook', data).processRunExecutionData(workflow);
	return answers;
}

/** n8n gives each call a webhook's context, which belongs to no execution. */
async function callOverMcp(
	workflow: Workflow,
	additionalData: IWorkflowExecuteAdditionalData,
	calls: number,
): Promise<string[]> {
	const node = workflow.getNode(AGENT) as INode;
	const answers: string[] = [];
	await workflow.expression.acquireIsolate();
	for (let call = 0; call < calls; call++) {
		const webhook = {} as IWebhookData;
		const context = new WebhookContext(
			workflow,
			node,
			additionalData,
			'webhook',
			webhook,
			[],
			null,
		);
		answers.push(...(await callInParallel(context, 1)));
	}
	await workflow.expression.releaseIsolate();
	return answers;
}

async function callInParallel(
	context: Pick<IExecuteFunctions, 'getInputConnectionData'>,
	calls: number,
): Promise<string[]> {
	const [tool] = (await context.getInputConnectionData(NodeConnectionTypes.AiTool, 0)) as [
		Invokable,
	];
	const invoke = async () =>
		await tool.invoke({}).catch((failed: unknown) => String((failed as Error).message));
	return await Promise.all(Array.from({ length: calls }, invoke));
}

/** What an AI Agent node of version 3 returns, and is called again with. */
function letEngineCall(calls: number, answers: string[], response?: EngineResponse) {
	const { actionResponses = [] } = response ?? {};
	const answerOf = ({ data: { error, data } }: (typeof actionResponses)[number]) =>
		error?.message ?? JSON.stringify(data?.ai_tool?.[0]?.map(({ json }) => json));
	answers.push(...actionResponses.map(answerOf));
	if (actionResponses.length > 0) return [[{ json: {} }]];
	const actions = Array.from({ length: calls }, (_, index) => ({
		actionType: 'ExecutionNodeAction' as const,
		nodeName: TOOL,
		input: {},
		type: NodeConnectionTypes.AiTool,
		id: `call_${index}`,
		metadata: { itemIndex: 0 },
	}));
	return { actions, metadata: {} } satisfies EngineRequest;
}

function agentOf(caller: Caller, calls: number, answers: string[]): INodeType {
	return {
		description: {
			displayName: 'Agent',
			name: 'agent',
			group: ['transform'],
			version: 1,
			description: 'Calls its tool',
			defaults: { name: AGENT },
			inputs: [NodeConnectionTypes.Main, { type: NodeConnectionTypes.AiTool }],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
		},
		async execute(response?: EngineResponse) {
			if (caller === 'agent 3') return letEngineCall(calls, answers, response);
			answers.push(...(await callInParallel(this, calls)));
			return [[{ json: {} }]];
		},
	};
}

function workflowOf(
	caller: Caller,
	{ tool, credential, parameters, settings, calls }: ToolCalls,
	answers: string[],
): Workflow {
	const outputs = [NodeConnectionTypes.AiTool];
	tool.description = { ...tool.description, inputs: [], outputs };
	const agentType = `${PACKAGE_NAME}.agent`;
	const typeOfTool = `${PACKAGE_NAME}.${tool.description.name}`;
	const node = (name: string, type: string, rest: Partial<INode> = {}): INode => {
		const place = { typeVersion: 1, position: [0, 0] as [number, number], parameters: {} };
		return { id: name, name, type, ...place, ...rest };
	};
	const credentials = {
		[credential.type.name]: { id: credentialIdOfTest(), name: 'Credential of the test' },
	};
	const to = (type: 'main' | 'ai_tool') => ({ [type]: [[{ node: AGENT, type, index: 0 }]] });
	return new Workflow({
		id: randomUUID(),
		nodes: [
			node(START_NAME, START_TYPE),
			node(AGENT, agentType),
			node(TOOL, typeOfTool, { parameters, credentials, ...settings }),
		],
		connections: { [START_NAME]: to('main'), [TOOL]: to('ai_tool') },
		active: false,
		nodeTypes: nodeTypes({
			[START_TYPE]: start,
			[agentType]: agentOf(caller, calls, answers),
			[typeOfTool]: tool,
		}),
		settings: { executionOrder: 'v1' },
	});
}
