import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { deflateSync, gzipSync } from 'node:zlib';

import { itemsOf } from '../../dev/stack/execution';
import { fetchN8n } from '../../dev/stack/fetchN8n';
import { DECISIONS } from '../../nodes/IdentityVerification/contract/vocabulary';
import { fixture } from '../kit/fixtures';
import { NOT_AUTHENTICATED } from '../kit/refusals';
import { openStack } from '../kit/n8n/handle';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import type { Answer } from '../kit/n8n/liveWorkflow';
import { useService } from '../kit/n8n/service';
import { copyNode, triggerNode, workflowOf } from '../kit/n8n/workflow';
import type { Link } from '../kit/n8n/workflow';

const SECRET = `only-for-this-run-${randomUUID()}`;
const SECURED = 'Secured';
/** Gets what the trigger returns. */
const NEXT = 'Next';

/** n8n's default for `N8N_PAYLOAD_SIZE_MAX`. */
const LIMIT = 16 * 1024 * 1024;

const UNREADABLE = {
	status: 400,
	body: JSON.stringify({
		error: 'Not a readable webhook',
		problems: [{ path: '', problem: 'is not a JSON object' }],
	}),
};
const TOO_LARGE = { status: 413, body: '{"error":"The webhook is larger than n8n accepts"}' };
const REFUSED = { status: 401, body: JSON.stringify({ error: NOT_AUTHENTICATED }) };

const BODY = fixture('webhook-accept', { customData: 'Zoë-漢字' });
const JSON_BYTES = Buffer.from(JSON.stringify(BODY));
const HUGE = Buffer.alloc(LIMIT + 1, ' ');

const stack = openStack();
const service = useService(stack, SECRET);

let workflow: LiveWorkflow;

beforeAll(async () => {
	const { credentialId } = service;
	const parameters = { authentication: 'webhookSecret', output: 'raw' };
	workflow = await LiveWorkflow.start(
		stack.api,
		workflowOf(
			[triggerNode(SECURED, { credentialId, parameters }), copyNode(NEXT)],
			DECISIONS.map((_, output): Link => [SECURED, NEXT, output]),
		),
	);
});

interface Sent {
	headers?: Record<string, string>;
	secret?: string;
	/** n8n answers it before all has come. On a connection that it closes then, its answer can get lost. */
	isTooLarge?: boolean;
}

/** Bytes and streams go without a Content-Type unless one is given. */
async function post(
	body: RequestInit['body'],
	{ headers = {}, secret = SECRET, isTooLarge = false }: Sent = {},
): Promise<Answer> {
	const url = `${workflow.url(SECURED)}?secret=${secret}`;
	const request = { method: 'POST', headers, body, duplex: 'half' };
	const send = isTooLarge ? fetch : fetchN8n;
	const response = await send(url, request as RequestInit);
	return { status: response.status, body: await response.text() };
}

const inChunks = (bytes: Buffer) =>
	Readable.toWeb(Readable.from([bytes.subarray(0, 99), bytes.subarray(99)])) as ReadableStream;

async function expectStarted(answer: Answer): Promise<void> {
	expect(answer).toEqual({ status: 200, body: '{"received":true}' });
	const execution = await workflow.newExecution();
	expect(Object.keys(execution.data).sort()).toEqual([NEXT, SECURED].sort());
	expect(itemsOf(execution, NEXT)).toEqual([BODY]);
}

describe('JSON starts the workflow', () => {
	it.each([
		'application/json',
		'Application/JSON; charset=UTF-8',
		'application/json ; charset=utf-8',
		'application/json, application/json',
		'application/x+json',
		'application/vnd.api+json; charset=nonsense',
		'text/json',
		'text/plain',
		'text/plain; charset=utf-8',
		'text/html',
		'application/octet-stream',
		'application/octet-stream; charset=binary',
		'application/x-www-form-urlencoded',
		'nonsense',
	])('as %s', async (type) => {
		await expectStarted(await post(JSON_BYTES, { headers: { 'content-type': type } }));
	});

	it('without a Content-Type', async () => {
		await expectStarted(await post(JSON_BYTES));
	});

	it.each([
		['gzip', gzipSync(JSON_BYTES)],
		['deflate', deflateSync(JSON_BYTES)],
	])('without a Content-Type, in %s', async (encoding, bytes) => {
		await expectStarted(await post(bytes, { headers: { 'content-encoding': encoding } }));
	});
});

// n8n's own parser for XML refuses it first, as a rule: not always, after it has failed before.
it.each(['application/xml', 'text/xml', 'application/soap+xml'])(
	'JSON as %s starts the workflow or is unreadable for n8n itself',
	async (type) => {
		const answer = await post(JSON_BYTES, { headers: { 'content-type': type } });

		if (answer.status === 200) await expectStarted(answer);
		else expect(answer.status).toBe(422);
	},
);

describe('nothing starts', () => {
	afterEach(async () => {
		expect(await workflow.newExecutions()).toEqual([]);
		await expectStarted(await post(JSON_BYTES));
	});

	it('by a form that holds the event', async () => {
		const form = new URLSearchParams({ event: 'hosted_conclusive', decision: 'accept' });

		expect(await post(form)).toEqual(UNREADABLE);
	});

	it('by multipart, which is not read', async () => {
		const form = new FormData();
		form.set('event', 'hosted_conclusive');
		const headers = { 'content-type': 'multipart/mixed; boundary=x' };

		expect(await post(form)).toEqual(UNREADABLE);
		expect(await post(JSON_BYTES, { headers })).toEqual(UNREADABLE);
	});

	it.each([
		['with its length', HUGE, {}],
		['in chunks', inChunks(HUGE), {}],
		['unpacked', gzipSync(HUGE), { 'content-encoding': 'gzip' }],
	])('by more than n8n takes, %s', async (_, body, headers) => {
		expect(await post(body, { headers, isTooLarge: true })).toEqual(TOO_LARGE);
	});

	it.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded'])(
		"by more than n8n takes, as %s: n8n's own answer",
		async (type) => {
			const headers = { 'content-type': type };
			const { status } = await post(HUGE, { headers, isTooLarge: true });

			expect(status).toBe(500);
		},
	);

	it('without authentication, whatever comes', async () => {
		const headers = { 'content-encoding': 'gzip' };
		for (const secret of ['', 'wrong']) {
			expect(await post(JSON_BYTES, { secret })).toEqual(REFUSED);
			expect(await post(HUGE, { secret, isTooLarge: true })).toEqual(REFUSED);
			expect(await post(JSON_BYTES, { secret, headers })).toEqual(REFUSED);
		}
	});
});
