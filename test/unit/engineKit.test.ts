import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import type {
	ICredentialType,
	IExecuteFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
} from 'n8n-workflow';

import {
	activate,
	callWebhook,
	captureLogs,
	jsonOf,
	runNode,
	startNode,
	testCredential,
} from '../kit/engine';

const description: INodeTypeDescription = {
	displayName: 'Tiny',
	name: 'tiny',
	group: ['transform'],
	version: 1,
	description: 'Node of the harness test',
	defaults: { name: 'Tiny' },
	inputs: [NodeConnectionTypes.Main],
	outputs: [NodeConnectionTypes.Main],
	credentials: [{ name: 'tinyApi' }],
	properties: [{ displayName: 'Word', name: 'word', type: 'string', default: 'hello' }],
};

const tinyApi: ICredentialType = {
	name: 'tinyApi',
	displayName: 'Tiny API',
	properties: [
		{ displayName: 'Key', name: 'key', type: 'string', default: '' },
		{ displayName: 'URL', name: 'url', type: 'string', default: '' },
	],
	authenticate: { type: 'generic', properties: { headers: { 'X-Key': '={{$credentials.key}}' } } },
	test: {
		request: {
			baseURL: '={{$credentials.url}}',
			url: '/test',
			ignoreHttpStatusErrors: { ignore: true, except: [401] },
		},
		rules: [{ type: 'responseCode', properties: { value: 401, message: 'Key refused' } }],
	},
};

type Execute = (context: IExecuteFunctions) => ReturnType<NonNullable<INodeType['execute']>>;
type Webhook = (context: IWebhookFunctions) => ReturnType<NonNullable<INodeType['webhook']>>;

const nodeThat = (execute: Execute): INodeType => ({
	description,
	async execute() {
		return await execute(this);
	},
});

const triggerThat = (webhook: Webhook): INodeType => ({
	description: {
		...description,
		inputs: [],
		webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'x' }],
	},
	webhookMethods: {
		default: {
			async checkExists() {
				return this.getNodeParameter('word') === 'exists';
			},
			async create() {
				throw new NodeOperationError(this.getNode(), 'refused');
			},
			async delete() {
				return true;
			},
		},
	},
	async webhook() {
		return await webhook(this);
	},
});

let server: Server | undefined;

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
	server = createServer(answer);
	await once(server.listen(0, '127.0.0.1'), 'listening');
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => {
	server?.closeAllConnections();
	server?.close();
});

describe('runNode', () => {
	it.each(['default', 'filesystem'] as const)(
		'carries items and files in %s mode',
		async (mode) => {
			const node = nodeThat(async (context) => {
				const content = await context.helpers.getBinaryDataBuffer(0, 'data');
				const id = context.getInputData()[0]?.binary?.data?.id ?? 'none';
				const data = await context.helpers.prepareBinaryData(content, 'copy.txt', 'text/plain');
				const word = context.getNodeParameter('word', 0);
				return [[{ json: { word, id }, binary: { copy: data }, pairedItem: { item: 0 } }]];
			});

			const { outputs, status } = await runNode({
				node,
				items: [{ files: { data: { content: Buffer.from('bytes') } } }],
				binaryMode: mode,
			});

			expect(status).toBe('success');
			expect(outputs[0]?.[0]?.json).toEqual({
				word: 'hello',
				id: mode === 'default' ? 'none' : expect.stringMatching(/^filesystem/),
			});
			expect(outputs[0]?.[0]?.files.copy).toEqual({
				content: Buffer.from('bytes'),
				fileName: 'copy.txt',
				mimeType: 'text/plain',
			});
		},
	);

	it('authenticates requests with the credential', async () => {
		const url = await serve((request, response) => response.end(request.headers['x-key']));
		const node = nodeThat(async (context) => {
			const request = context.helpers.httpRequestWithAuthentication;
			return [[{ json: { answer: await request.call(context, 'tinyApi', { url }) } }]];
		});

		const { outputs } = await runNode({
			node,
			credential: { type: tinyApi, values: { key: 'secret' } },
		});

		expect(outputs[0]?.[0]?.json).toEqual({ answer: 'secret' });
	});

	it('runs the node again with Retry On Fail', async () => {
		let tries = 0;
		const node = nodeThat(async (context) => {
			tries += 1;
			if (tries < 3) throw new NodeOperationError(context.getNode(), 'not yet', { itemIndex: 0 });
			return [[{ json: { tries } }]];
		});

		const single = await runNode({ node });
		tries = 0;
		const retried = await runNode({
			node,
			settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		});

		expect(single.error?.message).toBe('not yet');
		expect(single.status).toBe('error');
		expect(retried.outputs[0]?.[0]?.json).toEqual({ tries: 3 });
	});

	it('sends failed items to the error output', async () => {
		const node = nodeThat(async (context) => [
			[
				{
					json: {},
					error: new NodeOperationError(context.getNode(), 'bad'),
					pairedItem: { item: 0 },
				},
			],
		]);

		const { outputs } = await runNode({
			node,
			settings: { onError: 'continueErrorOutput' },
		});

		expect(outputs.map((items) => items.map(({ json }) => json))).toEqual([[], [{ error: 'bad' }]]);
	});

	it('aborts an open request when the execution is cancelled', async () => {
		const received = new EventEmitter();
		const url = await serve((request) => received.emit('request', request));
		const node = nodeThat(async (context) => {
			const request = context.helpers.httpRequestWithAuthentication;
			await request.call(context, 'tinyApi', { url });
			return [[]];
		});

		const arrival = once(received, 'request') as Promise<[IncomingMessage]>;
		const running = await startNode({ node, credential: { type: tinyApi, values: {} } });
		const [request] = await arrival;
		const closed = once(request.socket, 'close');
		running.cancel();

		expect((await running.result).status).toBe('canceled');
		await closed;
	});
});

describe('callWebhook', () => {
	it('returns what the node returns', async () => {
		const node = triggerThat(async (context) => ({
			webhookResponse: { received: true },
			workflowData: [
				[],
				[{ json: { body: context.getBodyData(), query: context.getQueryData() } }],
			],
		}));

		const { workflowData, webhookResponse, sent } = await callWebhook({
			node,
			request: { body: { a: 1 }, query: { q: 'x' } },
		});

		expect(jsonOf(workflowData)).toEqual([[], [{ body: { a: 1 }, query: { q: 'x' } }]]);
		expect(webhookResponse).toEqual({ received: true });
		expect(sent.ended).toBe(false);
	});

	it('tells what the node sent itself', async () => {
		const node = triggerThat(async (context) => {
			context.getResponseObject().status(401).json({ name: context.getHeaderData()['x-name'] });
			return { noWebhookResponse: true };
		});

		const { sent, noWebhookResponse } = await callWebhook({
			node,
			request: { headers: { 'X-Name': 'n' } },
		});

		expect(noWebhookResponse).toBe(true);
		expect(sent).toMatchObject({ ended: true, status: 401, body: '{"name":"n"}' });
	});
});

describe('activate', () => {
	it('creates what does not exist', async () => {
		const node = triggerThat(async () => ({}));

		await expect(activate({ node })).rejects.toThrow('refused');
		await expect(activate({ node, parameters: { word: 'exists' } })).resolves.toBeUndefined();
	});
});

describe('testCredential', () => {
	it.each([
		[200, { status: 'OK', message: 'Connection successful!' }],
		[405, { status: 'OK', message: 'Connection successful!' }],
		[401, { status: 'Error', message: 'Key refused' }],
	])('runs the test request, answered with %d', async (status, outcome) => {
		const keys: unknown[] = [];
		const url = await serve((request, response) => {
			keys.push(request.url, request.headers['x-key']);
			response.writeHead(status).end();
		});

		expect(await testCredential(tinyApi, { key: 'secret', url })).toEqual(outcome);
		expect(keys.slice(0, 2)).toEqual(['/test', 'secret']);
	});

	it('names the reason when nothing answers', async () => {
		const outcome = await testCredential(tinyApi, { url: 'http://127.0.0.1:9' });

		expect(outcome).toMatchObject({ status: 'Error', message: expect.stringContaining('ECONN') });
	});
});

it('captures what the node logs', async () => {
	const logs = captureLogs();
	await runNode({
		node: nodeThat(async (context) => {
			context.logger.debug('quiet word', { nested: { key: 'secret' } });
			return [[]];
		}),
	});
	logs.stop();

	expect(logs.text()).toMatch(/quiet word[^]*secret/);
});
