import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { z } from 'zod/v4';

import type { CredentialValues, N8nApi } from '../../../dev/stack/api';

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
export type ModelRequest = z.infer<typeof modelRequest>;

/** A call of a tool; of the agent's first one if it has no name. */
export interface ToolCall {
	name?: string;
	arguments: object;
}

/** What the model answers: the calls of a turn, its last word on an item, or status 500. */
export type ModelTurn = ToolCall[] | 'ends' | 'fails';

/** An idle connection would be closed after seconds, which n8n could notice too late. */
const HEADERS = { 'content-type': 'application/json', connection: 'close' };

/** A model provider that does as it's told, turn by turn; then it ends. */
export class Model {
	readonly requests: ModelRequest[] = [];

	constructor(private turns: ModelTurn[] = []) {}

	readonly listener: RequestListener = async (incoming, response) => {
		const request = modelRequest.parse(await json(incoming));
		const turn = this.turns[this.requests.length] ?? 'ends';
		this.requests.push(request);
		const answer = turn === 'fails' ? {} : completion(request, this.requests.length, turn);
		response.writeHead(turn === 'fails' ? 500 : 200, HEADERS);
		response.end(JSON.stringify(answer));
	};

	/** Begins again, with other turns. */
	plan(turns: ModelTurn[]): void {
		this.turns = turns;
		this.requests.length = 0;
	}

	/** All that it was told. */
	get told(): string {
		return JSON.stringify(this.requests);
	}

	/** What it was told of its calls, in their order. */
	get results(): string[] {
		const messages = this.requests.at(-1)?.messages ?? [];
		return messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
	}
}

/** A credential of n8n for a model at this address, without a trailing slash. */
export function modelCredential(url: string): CredentialValues {
	return {
		name: 'Model',
		type: 'openAiApi',
		data: { apiKey: 'key-of-the-model', url: `${url}/v1` },
	};
}

/** A model for the tests of a file, with a credential for it in n8n; it's as new for each test. */
export function useModel(api: N8nApi) {
	const model = new Model();
	const server = createServer(model.listener);
	let openAiApi = '';
	beforeAll(async () => {
		await once(server.listen(0, '127.0.0.1'), 'listening');
		const { port } = server.address() as AddressInfo;
		openAiApi = await api.saveCredential(modelCredential(`http://127.0.0.1:${port}`));
	});
	beforeEach(() => model.plan([]));
	afterAll(async () => {
		server.closeAllConnections();
		await once(server.close(), 'close');
	});
	return {
		model,
		/** Its ID in n8n by its type. */
		credentials: {
			get openAiApi() {
				return openAiApi;
			},
		},
	};
}

function completion({ tools }: ModelRequest, count: number, turn: ToolCall[] | 'ends'): object {
	const calls = turn === 'ends' ? [] : turn;
	const toolCalls = calls.map(({ name = tools[0]?.function.name, arguments: input }, index) => ({
		id: `call_${count}_${index}`,
		type: 'function',
		function: { name, arguments: JSON.stringify(input) },
	}));
	const isCall = toolCalls.length > 0;
	const message = isCall ? { content: null, tool_calls: toolCalls } : { content: 'Done' };
	const choice = {
		index: 0,
		message: { role: 'assistant', ...message },
		finish_reason: isCall ? 'tool_calls' : 'stop',
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
