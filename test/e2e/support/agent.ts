import { json } from 'node:stream/consumers';
import { z } from 'zod/v4';

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

/** Names of nodes, for expressions and connections. */
export const START = 'Start';
export const AGENT = 'Agent';
export const TOOL = 'Verification';

const STRAIGHT = { nodes: [], connections: [[START, AGENT] as Connection] };

/** What an agent sends to OpenAI's chat completions. */
const modelRequest = z.object({
	messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
	tools: z.array(
		z.object({
			function: z.object({
				name: z.string(),
				description: z.string(),
				parameters: z.record(z.string(), z.unknown()),
			}),
		}),
	),
});
type ModelRequest = z.infer<typeof modelRequest>;

/** What the model answers: a tool call with these arguments, or its last word on an item. */
type ModelTurn = object | 'ends';

export interface AgentRunOptions {
	/** Of n8n's AI Agent node. */
	version: number;
	/** The package's node, as the agent's only tool. */
	tool: NodeOptions;
	/** What the model answers one after the other; then it ends. */
	turns: ModelTurn[];
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
	const model = await startModel(turns);
	const modelCredential = await api.saveCredential({
		name: 'Model',
		type: 'openAiApi',
		data: { apiKey: 'key-of-the-model', url: `${model.url}/v1` },
	});
	const workflow = await LiveWorkflow.start(
		api,
		workflowOf(
			[
				webhookNode(START),
				agentNode(AGENT, version, agentOptions),
				modelNode('Model', modelCredential),
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
	const messages = model.requests.at(-1)?.messages ?? [];
	return {
		tool: model.requests[0]?.tools[0]?.function,
		results: messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content)),
		told: JSON.stringify(model.requests),
		execution,
	};
}

/** A model provider that does as it's told. Open until the end of the test. */
async function startModel(turns: ModelTurn[]): Promise<{ url: string; requests: ModelRequest[] }> {
	const requests: ModelRequest[] = [];
	const { url } = await listen(async (incoming, response) => {
		const request = modelRequest.parse(await json(incoming));
		const turn = turns[requests.length] ?? 'ends';
		requests.push(request);
		response.writeHead(200, { 'content-type': 'application/json' });
		response.end(JSON.stringify(completion(request, requests.length, turn)));
	});
	return { url, requests };
}

function completion({ tools }: ModelRequest, count: number, turn: ModelTurn): object {
	const call = turn !== 'ends' && {
		id: `call_${count}`,
		type: 'function',
		function: { name: tools[0]?.function.name, arguments: JSON.stringify(turn) },
	};
	const message = call ? { content: null, tool_calls: [call] } : { content: 'Done' };
	const choice = {
		index: 0,
		message: { role: 'assistant', ...message },
		finish_reason: call ? 'tool_calls' : 'stop',
	};
	return {
		id: `completion_${count}`,
		object: 'chat.completion',
		created: 0,
		model: 'model',
		choices: [choice],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}
