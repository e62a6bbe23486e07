import type { N8nApi } from '../../../dev/stack/api';
import type { Execution } from '../../../dev/stack/execution';
import { fetchN8n } from '../../../dev/stack/fetchN8n';
import { listen } from '../../kit/service/httpServer';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import {
	agentNode,
	modelNode,
	agentToolNode,
	webhookNode,
	workflowOf,
} from '../../kit/n8n/workflow';
import type { Connection, NodeOptions, WorkflowNode } from '../../kit/n8n/workflow';
import { Model, modelCredential } from './model';
import type { ModelRequest } from './model';

/** Names of nodes, for expressions and connections. */
export const START = 'Start';
export const AGENT = 'Agent';
export const TOOL = 'Verification';

const STRAIGHT = { nodes: [], connections: [[START, AGENT] as Connection] };

/** What the model answers: a tool call with these arguments, or its last word on an item. */
type Turn = object | 'ends';

export interface AgentRunOptions {
	/** Of n8n's AI Agent node. */
	version: number;
	/** The package's node, as the agent's only tool. */
	tool: NodeOptions;
	/** What the model answers one after the other; then it ends. */
	turns: Turn[];
	/** What the workflow is started with: an object as JSON. */
	body?: object | FormData;
	agentOptions?: Record<string, unknown>;
	/** How items come from the start to the agent, if not straight. */
	way?: { nodes: WorkflowNode[]; connections: Connection[] };
}

export interface AgentRun {
	/** The tool as the model sees it. */
	tool?: ModelRequest['tools'][number]['function'];
	/** What the model was told of its calls, in their order. */
	results: string[];
	/** All that the model was told. */
	told: string;
	execution: Execution;
}

/** Runs an AI agent in n8n whose model calls the package's node. */
export async function runAgent(
	api: N8nApi,
	{ version, tool, turns, body = {}, agentOptions, way = STRAIGHT }: AgentRunOptions,
): Promise<AgentRun> {
	const model = new Model(turns.map((turn) => (turn === 'ends' ? turn : [{ arguments: turn }])));
	const { url } = await listen(model.listener);
	const credentialId = await api.saveCredential(modelCredential(url));
	const workflow = await LiveWorkflow.start(
		api,
		workflowOf(
			[
				webhookNode(START),
				agentNode(AGENT, version, agentOptions),
				modelNode('Model', credentialId),
				agentToolNode(TOOL, tool),
				...way.nodes,
			],
			[...way.connections, ['Model', AGENT, 'ai_languageModel'], [TOOL, AGENT, 'ai_tool']],
		),
	);
	const isForm = body instanceof FormData;
	await fetchN8n(workflow.url(START), {
		method: 'POST',
		body: isForm ? body : JSON.stringify(body),
		headers: isForm ? {} : { 'content-type': 'application/json' },
	});
	const execution = await workflow.takeExecution();
	const { requests, results, told } = model;
	return { tool: requests[0]?.tools[0]?.function, results, told, execution };
}
