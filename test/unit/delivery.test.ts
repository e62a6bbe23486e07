import type { IncomingMessage, RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { deliver } from '../../nodes/IdentityVerification/waiting/delivery';
import { listen, unusedUrl } from '../kit/httpServer';

jest.mock('n8n-workflow', () => jest.requireActual<object>('../kit/shortPauses'));

interface Answer {
	status: number;
	body: object | string;
}

/** Of the bytes `{"decision":"accept"}`. Executions wait for a week: another one would leave their results behind. */
const SIGNATURE_OF_0_1_0 = 'Wzf9CLzBWWn0ygyGl1XOf2rvuQZluBvZw46R8OaVs3s';

const TAKEN: Answer = { status: 200, body: { received: true } };
const RUNNING: Answer = { status: 409, body: { message: 'The execution "7" is running already.' } };
const INVALID: Answer = { status: 401, body: { error: 'Invalid token' } };

const READINESS = '/healthz/readiness';

/** Where an n8n that has started resumes executions. */
async function endpointOf(listener: RequestListener): Promise<string> {
	const { url } = await listen((request, response) => {
		if (request.url === READINESS) response.end();
		else listener(request, response);
	});
	return `${url}/webhook-waiting`;
}

const deliverTo = async (...answers: Answer[]) => await deliverToExecution('7', ...answers);

/** Delivers to an n8n that gives these answers one after the other; the last one for all that follow. */
async function deliverToExecution(executionId: string, ...answers: Answer[]) {
	const requests: IncomingMessage[] = [];
	const endpoint = await endpointOf((request, response) => {
		const { status, body } = answers[Math.min(requests.length, answers.length - 1)] ?? TAKEN;
		requests.push(request);
		request.resume();
		const text = typeof body === 'string' ? body : JSON.stringify(body);
		response.writeHead(status, { 'content-type': 'application/json' }).end(text);
	});
	const problem = await deliver(
		endpoint,
		{ executionId, resumeToken: 'token' },
		{ decision: 'accept' },
		'webhook-secret-of-the-tests',
	);
	return { problem, requests };
}

it('asks again whether the execution has gone on, without its signature, which is that of 0.1.0', async () => {
	const { problem, requests } = await deliverTo(TAKEN, RUNNING);

	expect(problem).toBeUndefined();
	expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual(
		Array.from({ length: 2 }, () => {
			return 'POST /webhook-waiting/7/identity-verification-result?signature=token';
		}),
	);
	const signatures = requests.map(({ headers }) => headers['x-identity-verification-signature']);
	expect(signatures).toEqual([SIGNATURE_OF_0_1_0, undefined]);
	expect(requests[0]?.headers['content-type']).toBe('application/json');
});

it('sees that n8n has taken the result and could not start the execution', async () => {
	const { problem } = await deliverTo(TAKEN, INVALID);

	expect(problem).toBe('n8n could not resume the execution.');
});

it.each([
	[
		'a page of a proxy',
		{ status: 200, body: '<html>Welcome</html>' },
		/refused it with status 200/,
	],
	['a lost execution', INVALID, /could not resume the execution/],
	[
		'another secret',
		{ status: 401, body: { error: 'Only the trigger' } },
		/different webhook secrets/,
	],
	['no such execution', { status: 404, body: { message: 'It does not exist.' } }, /not exist/],
	[
		'an execution that has ended',
		{ status: 409, body: { message: 'The execution "7" has finished already.' } },
		/has gone on without it, or was stopped/,
	],
	[
		'the result of another link',
		{ status: 409, body: { error: 'The execution is waiting for the result of another link.' } },
		/waiting for the result of another link/,
	],
	['a status that n8n does not document', { status: 418, body: '' }, /refused it with status 418/],
	[
		'what looks like an answer of n8n but has another status',
		{ status: 201, body: { received: true } },
		/refused it with status 201/,
	],
])('does not count an answer of %s as a delivery', async (_, answer, reason) => {
	const { problem, requests } = await deliverTo(answer);

	expect(problem).toMatch(reason);
	expect(requests).toHaveLength(1);
});

const RUNNING_ON: [name: string, answer: Answer, reason: RegExp][] = [
	['an execution that is not there yet', RUNNING, /was not waiting for it/],
	['an error of n8n', { status: 500, body: '' }, /answered with status 500/],
	['an n8n that starts', { status: 503, body: '' }, /answered with status 503/],
	['a form that waits', { status: 307, body: '' }, /Another node of the execution was waiting/],
	[
		'another node that waits',
		{ status: 404, body: '' },
		/Another node of the execution was waiting/,
	],
];

it('tries several times what can still change, and then says what it was', async () => {
	const outcomes = await Promise.all(
		RUNNING_ON.map(async ([name, answer]) => await deliverToExecution(name, answer)),
	);

	outcomes.forEach(({ problem, requests }, index) => {
		expect(problem).toMatch(RUNNING_ON[index]?.[2] ?? '');
		expect(requests).toHaveLength(6);
	});
});

it('gives a result to no form that waits instead', async () => {
	const asked: string[] = [];
	const endpoint = await endpointOf((request, response) => {
		asked.push(String(request.url));
		response.writeHead(307, { location: '/form-waiting/7' }).end();
	});

	await deliver(endpoint, { executionId: '7', resumeToken: 't' }, { decision: 'accept' }, 'secret');

	expect(new Set(asked.map((url) => url.split('/')[1]))).toEqual(new Set(['webhook-waiting']));
});

it('tries several times an n8n that cannot be reached, and then says so', async () => {
	const endpoint = await unusedUrl();
	const execution = { executionId: '7', resumeToken: 'token' };

	expect(await deliver(endpoint, execution, {}, 'secret')).toMatch(/could not be reached/);
});

/** An n8n that takes its time, with the paths that were asked for and how many requests to one were open at most. */
async function busyN8n(milliseconds: number) {
	const open: string[] = [];
	const asked: string[] = [];
	let most = 0;
	const endpoint = await endpointOf(async (request, response) => {
		const path = String(request.url);
		asked.push(path);
		open.push(path);
		most = Math.max(most, open.filter((other) => other === path).length);
		request.resume();
		await sleep(milliseconds);
		open.splice(open.indexOf(path), 1);
		response.writeHead(200, { 'content-type': 'application/json' }).end('{"received":true}');
	});
	const deliverTo = async (executionId: string) =>
		await deliver(
			endpoint,
			{ executionId, resumeToken: 'token' },
			{ decision: 'accept' },
			'webhook-secret-of-the-tests',
		);
	return { deliverTo, asked, mostOpen: () => most };
}

it('hands two copies to an execution one after the other', async () => {
	const { deliverTo, asked, mostOpen } = await busyN8n(100);

	await Promise.all(['7', '8', '7', '7'].map(deliverTo));

	expect(asked).toHaveLength(8);
	expect(mostOpen()).toBe(1);
	expect(asked.slice(0, 2).sort()).toEqual(
		['7', '8'].map((id) => expect.stringContaining(`/${id}/`) as string),
	);
});

it('hands a third copy over only after the second one, also when the first one is done', async () => {
	const { deliverTo, mostOpen } = await busyN8n(100);

	const first = deliverTo('7');
	const second = deliverTo('7');
	await first;
	await Promise.all([second, deliverTo('7')]);

	expect(mostOpen()).toBe(1);
});

it('hands no copy to an execution while n8n may still be about to take the one before', async () => {
	const { deliverTo, asked } = await busyN8n(1_000);
	const patience = new AbortController();
	const limited = jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(patience.signal);

	const delivering = Promise.all(['7', '7'].map(deliverTo));
	while (asked.length === 0) await sleep(5);
	patience.abort(new DOMException('', 'TimeoutError'));

	const problems = await delivering;
	limited.mockRestore();
	expect(problems).toEqual(Array(2).fill(expect.stringContaining('took too long')));
	expect(asked).toHaveLength(1);
});

it('tries again while the execution is not there yet', async () => {
	const { problem, requests } = await deliverTo(RUNNING, RUNNING, TAKEN, RUNNING);

	expect(problem).toBeUndefined();
	expect(requests).toHaveLength(4);
});

it('refuses what cannot be written as JSON', async () => {
	let body: object = {};
	for (let depth = 0; depth < 100_000; depth++) body = { body };
	const execution = { executionId: '7', resumeToken: 'token' };

	expect(await deliver('http://127.0.0.1:9', execution, body, 'secret')).toMatch(
		/nested too deeply/,
	);
});

describe('an n8n that starts', () => {
	/** An n8n that gives these answers when it's asked whether it has started. */
	async function startingN8n(...statuses: number[]) {
		const asked: string[] = [];
		const { url } = await listen((request, response) => {
			asked.push(`${request.method} ${String(request.url).split('/', 2).join('/')}`);
			response.writeHead(request.url === READINESS ? (statuses.shift() ?? 503) : 200);
			response.end(JSON.stringify({ received: true }));
		});
		const execution = { executionId: '7', resumeToken: 'token' };
		const deliverCopy = async () =>
			await deliver(`${url}/webhook-waiting`, execution, {}, 'secret');
		return { asked, deliverCopy };
	}

	it.each([
		['says when it has started', [503, 503, 200]],
		['does not say whether it has started', [404]],
	])('gets nothing before, and is asked no more then, when it %s', async (_, statuses) => {
		const questions = statuses.map(() => 'GET /healthz');
		const { asked, deliverCopy } = await startingN8n(...statuses);

		expect([await deliverCopy(), await deliverCopy()]).toEqual([undefined, undefined]);

		expect(asked).toEqual([...questions, ...Array<string>(4).fill('POST /webhook-waiting')]);
	});

	it('gets nothing while that takes long', async () => {
		const { asked, deliverCopy } = await startingN8n();

		expect(await deliverCopy()).toBe('n8n is still starting');

		expect(new Set(asked)).toEqual(new Set(['GET /healthz']));
	});

	it('gets nothing while it does not even say that', async () => {
		const timeout = AbortSignal.timeout.bind(AbortSignal);
		const shortened = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(50));
		const posted: unknown[] = [];
		const { url } = await listen(({ method }) => void (method === 'POST' && posted.push(method)));
		const execution = { executionId: '7', resumeToken: 'token' };

		const problem = await deliver(`${url}/webhook-waiting`, execution, {}, 'secret');
		shortened.mockRestore();

		expect(problem).toBe('n8n is still starting');
		expect(posted).toEqual([]);
	});
});
