import type { IncomingMessage, RequestListener } from 'node:http';

import type { IWebhookFunctions } from 'n8n-workflow';

import { addAddress, splitAddress } from '../../nodes/IdentityVerification/delivery/address';
import { deliver } from '../../nodes/IdentityVerification/delivery/deliver';
import { openAndDeliver } from '../../nodes/IdentityVerification/delivery/openAndDeliver';
import { isSigned, signDelivery } from '../../nodes/IdentityVerification/delivery/signature';
import { asArrived } from '../kit/data/readResult';
import { JSON_TYPE, listen, unusedUrl } from '../kit/service/httpServer';
import { WEBHOOK_SECRET } from '../kit/settings';
import { until } from '../kit/until';
import { SECRET_OF_0_1_0 } from './support/version010';

jest.mock('n8n-workflow', () => jest.requireActual<object>('../kit/engine/shortPauses'));

interface Answer {
	status: number;
	body: object | string;
}

const RESULT = asArrived({ decision: 'accept' });

/**
 * How version 0.1.0 signs this result, as `{"json":{"decision":"accept"},"isRepaired":false}`. In the
 * middle of an update, the trigger and an execution that waits can run in two versions, and both
 * have to agree on it.
 */
const SIGNATURE_OF_0_1_0 = 'DkCJS-rVO5ygC6reytqOj5X0WHiaV5WCdItzEczVHow';

const TAKEN: Answer = { status: 200, body: { received: true } };
const RUNNING: Answer = {
	status: 409,
	body: { code: 409, message: 'The execution "7" is running already.' },
};
const INVALID: Answer = { status: 401, body: { error: 'Invalid token' } };

const DELIVERED = { kind: 'delivered' };
const notDelivered = (why: string, status?: number) => ({ kind: 'notDelivered', why, status });

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

/**
 * Delivers to an n8n that gives these answers one after the other; the last one for all that
 * follow.
 */
async function deliverToExecution(executionId: string, ...answers: Answer[]) {
	const requests: IncomingMessage[] = [];
	const endpoint = await endpointOf((request, response) => {
		const { status, body } = answers[Math.min(requests.length, answers.length - 1)] ?? TAKEN;
		requests.push(request);
		request.resume();
		const text = typeof body === 'string' ? body : JSON.stringify(body);
		response.writeHead(status, JSON_TYPE).end(text);
	});
	const delivery = await deliver(
		endpoint,
		{ executionId, resumeToken: 'token' },
		RESULT,
		SECRET_OF_0_1_0,
	);
	return { delivery, requests };
}

it('asks again whether the execution has gone on, without its signature, which is that of 0.1.0', async () => {
	const { delivery, requests } = await deliverTo(TAKEN, RUNNING);

	expect(delivery).toEqual(DELIVERED);
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
	const { delivery } = await deliverTo(TAKEN, INVALID);

	expect(delivery).toEqual(notDelivered('lost'));
});

it.each<[string, Answer, object]>([
	['a page of a proxy', { status: 200, body: '<html>Welcome</html>' }, notDelivered('unreachable')],
	['a proxy that asks for a password', { status: 401, body: '' }, notDelivered('unreachable')],
	['a lost execution', INVALID, notDelivered('lost')],
	[
		'a node with another secret',
		{ status: 401, body: { error: 'Only the trigger', code: 'not_signed' } },
		notDelivered('otherSecret'),
	],
	[
		'no such execution',
		{ status: 404, body: { code: 404, message: 'It does not exist.' } },
		notDelivered('deleted'),
	],
	[
		'an execution that has ended',
		{ status: 409, body: { message: 'The execution "7" has finished already.' } },
		notDelivered('goneOn'),
	],
	[
		'a node that waits for another link',
		{ status: 409, body: { error: 'Another link', code: 'other_link' } },
		notDelivered('otherLink'),
	],
	['a status that n8n does not document', { status: 418, body: '' }, notDelivered('unreachable')],
	[
		'what looks like an answer of n8n but has another status',
		{ status: 201, body: { received: true } },
		notDelivered('unreachable'),
	],
])('does not count an answer of %s as a delivery', async (_, answer, expected) => {
	const { delivery, requests } = await deliverTo(answer);

	expect(delivery).toEqual(expected);
	expect(requests).toHaveLength(1);
});

const RUNNING_ON: [name: string, answer: Answer, expected: object][] = [
	['an execution that is not there yet', RUNNING, notDelivered('notWaiting')],
	['an error of n8n', { status: 500, body: '' }, notDelivered('serverError', 500)],
	['a proxy without its n8n', { status: 503, body: '' }, notDelivered('serverError', 503)],
	['a form that waits', { status: 307, body: '' }, notDelivered('otherNode')],
	['another node that waits', { status: 404, body: '' }, notDelivered('otherNode')],
];

it('tries several times what can still change, and then says what it was', async () => {
	const outcomes = await Promise.all(
		RUNNING_ON.map(async ([name, answer]) => await deliverToExecution(name, answer)),
	);

	outcomes.forEach(({ delivery, requests }, index) => {
		expect(delivery).toEqual(RUNNING_ON[index]?.[2]);
		expect(requests).toHaveLength(6);
	});
});

it('gives a result to no form that waits instead', async () => {
	const asked: string[] = [];
	const endpoint = await endpointOf((request, response) => {
		asked.push(String(request.url));
		response.writeHead(307, { location: '/form-waiting/7' }).end();
	});

	await deliver(endpoint, { executionId: '7', resumeToken: 't' }, RESULT, WEBHOOK_SECRET);

	expect(new Set(asked.map((url) => url.split('/')[1]))).toEqual(new Set(['webhook-waiting']));
});

it('tries several times an n8n that cannot be reached, and then says so', async () => {
	const endpoint = await unusedUrl();
	const execution = { executionId: '7', resumeToken: 'token' };

	expect(await deliver(endpoint, execution, RESULT, WEBHOOK_SECRET)).toEqual(
		notDelivered('unreachable'),
	);
});

const deliverAccept = async (endpoint: string, executionId: string) =>
	await deliver(endpoint, { executionId, resumeToken: 'token' }, RESULT, WEBHOOK_SECRET);

it('fails all copies together when n8n breaks off every connection', async () => {
	let asked = 0;
	const endpoint = await endpointOf((_, response) => {
		asked++;
		response.destroy();
	});

	const deliveries = await Promise.all(
		['7', '7', '7'].map(async (id) => await deliverAccept(endpoint, id)),
	);

	expect(deliveries).toEqual(Array(3).fill(notDelivered('unreachable')));
	// As often as one copy is tried.
	expect(asked).toBe(6);
});

/**
 * An n8n that answers only once it has got the result of yet another execution: by then, it has got
 * what it's sent at the same time, too. With the paths that were asked for and how many requests to
 * one were open at most.
 */
async function busyN8n() {
	const open: string[] = [];
	const asked: string[] = [];
	let most = 0;
	const endpoint = await endpointOf(async (request, response) => {
		const path = String(request.url);
		request.resume();
		if (!path.includes('/another-')) {
			asked.push(path);
			open.push(path);
			most = Math.max(most, open.filter((other) => other === path).length);
			await deliverAccept(endpoint, `another-${asked.length}`);
			open.splice(open.indexOf(path), 1);
		}
		response.writeHead(200, JSON_TYPE).end('{"received":true}');
	});
	const handOver = async (executionId: string) => await deliverAccept(endpoint, executionId);
	return { handOver, asked, mostOpen: () => most };
}

it('hands two copies to an execution one after the other', async () => {
	const { handOver, asked, mostOpen } = await busyN8n();

	await Promise.all(['7', '8', '7', '7'].map(handOver));

	expect(asked).toHaveLength(8);
	expect(mostOpen()).toBe(1);
	expect(asked.slice(0, 2).sort()).toEqual(
		['7', '8'].map((id) => expect.stringContaining(`/${id}/`) as string),
	);
});

it('hands a third copy over only after the second one, also when the first one is done', async () => {
	const { handOver, mostOpen } = await busyN8n();

	const first = handOver('7');
	const second = handOver('7');
	await first;
	await Promise.all([second, handOver('7')]);

	expect(mostOpen()).toBe(1);
});

it('hands no copy to an execution while n8n may still be about to take the one before', async () => {
	let askedFor7 = 0;
	const endpoint = await endpointOf((request, response) => {
		if (request.url?.includes('/7/')) askedFor7++;
		else response.end(JSON.stringify(TAKEN.body));
	});
	// So that n8n is known to have started, and only the next request has a limit.
	await deliverAccept(endpoint, '8');
	const patience = new AbortController();
	const limited = jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(patience.signal);

	const delivering = Promise.all(['7', '7'].map(async (id) => await deliverAccept(endpoint, id)));
	await until('a request', () => askedFor7 > 0);
	patience.abort(new DOMException('', 'TimeoutError'));

	const deliveries = await delivering;
	limited.mockRestore();
	expect(deliveries).toEqual(Array(2).fill(notDelivered('tooSlow')));
	expect(askedFor7).toBe(1);
});

it('tries again while the execution is not there yet', async () => {
	const { delivery, requests } = await deliverTo(RUNNING, RUNNING, TAKEN, RUNNING);

	expect(delivery).toEqual(DELIVERED);
	expect(requests).toHaveLength(4);
});

it('a delivery is signed with the secret, and an empty one proves nothing', async () => {
	const { requests } = await deliverTo(TAKEN);
	const signature = requests[0]?.headers['x-identity-verification-signature'];
	const bytes = Buffer.from(JSON.stringify(RESULT));

	expect(isSigned(SECRET_OF_0_1_0, bytes, signature)).toBe(true);
	expect(isSigned('', bytes, signDelivery('', bytes))).toBe(false);
});

describe('an n8n that starts', () => {
	const OWN = '{"status":"error"}';

	interface Probe {
		status: number;
		text?: string;
	}

	/**
	 * An n8n that gives these answers when it's asked whether it has started; the last one again and
	 * again.
	 */
	async function startingN8n(...answers: Probe[]) {
		const asked: string[] = [];
		const { url } = await listen((request, response) => {
			asked.push(`${request.method} ${String(request.url).split('/', 2).join('/')}`);
			const isProbe = request.url === READINESS;
			const { status, text = OWN } = (isProbe && answers[0]) || { status: 200 };
			if (isProbe && answers.length > 1) answers.shift();
			response.writeHead(status).end(isProbe ? text : '{"received":true}');
		});
		const execution = { executionId: '7', resumeToken: 'token' };
		const deliverOne = async () =>
			await deliver(`${url}/webhook-waiting`, execution, RESULT, WEBHOOK_SECRET);
		return { asked, deliverOne };
	}

	it.each([
		['says when it has started', [503, 503, 200]],
		['does not say whether it has started', [404]],
	])('gets nothing before, and is asked no more then, when it %s', async (_, statuses) => {
		const questions = statuses.map(() => 'GET /healthz');
		const { asked, deliverOne } = await startingN8n(...statuses.map((status) => ({ status })));

		expect([await deliverOne(), await deliverOne()]).toEqual([DELIVERED, DELIVERED]);

		expect(asked).toEqual([...questions, ...Array<string>(4).fill('POST /webhook-waiting')]);
	});

	it('gets nothing while that takes long', async () => {
		const { asked, deliverOne } = await startingN8n({ status: 503 });

		expect(await deliverOne()).toEqual(notDelivered('starting'));

		expect(new Set(asked)).toEqual(new Set(['GET /healthz']));
	});

	it.each([['<html>Service Unavailable</html>'], [''], ['{"status":"ok"}'], ['[]']])(
		'is told from something else that answers 503 with %j',
		async (text) => {
			const { asked, deliverOne } = await startingN8n({ status: 503, text });

			expect(await deliverOne()).toEqual(DELIVERED);
			expect(asked).toContain('POST /webhook-waiting');
		},
	);
});

/** Limits of less than a minute have passed from the start, and longer ones once told so. */
function limitsPass() {
	const passed = new DOMException('', 'TimeoutError');
	const later = new AbortController();
	const limits = jest
		.spyOn(AbortSignal, 'timeout')
		.mockImplementation((ms) => (ms < 60_000 ? AbortSignal.abort(passed) : later.signal));
	return { passLater: () => later.abort(passed), restore: () => limits.mockRestore() };
}

describe('an n8n that does not say whether it has started', () => {
	it('gets the result when it was only busy', async () => {
		const limits = limitsPass();
		const { url } = await listen((_, response) => response.end('{"received":true}'));
		const execution = { executionId: '7', resumeToken: 'token' };

		const delivery = await deliver(`${url}/webhook-waiting`, execution, RESULT, WEBHOOK_SECRET);
		limits.restore();

		expect(delivery).toEqual(DELIVERED);
	});

	it('cannot be reached when it is silent for as long as a delivery may take', async () => {
		const limits = limitsPass();
		const asked: string[] = [];
		const { url } = await listen(({ method, url: path }) => {
			asked.push(`${method} ${path}`);
			limits.passLater();
		});
		const execution = { executionId: '7', resumeToken: 'token' };
		const deliverOne = async () =>
			await deliver(`${url}/webhook-waiting`, execution, RESULT, WEBHOOK_SECRET);

		const deliveries = await Promise.all([deliverOne(), deliverOne(), deliverOne()]);
		limits.restore();

		expect(deliveries).toEqual(Array(3).fill(notDelivered('unreachable')));
		// The copies don't wait one after the other.
		expect(asked).toEqual([`GET ${READINESS}`]);
	});
});

it('a sender that has closed its connection leaves no address of this n8n', async () => {
	const customData = addAddress(WEBHOOK_SECRET, 'kyc', 'customer-1', {
		executionId: '8',
		resumeToken: 'f'.repeat(64),
	});
	const awaited = splitAddress(customData);
	const context = {
		getRequestObject: () => ({ socket: {}, path: '/webhook/1' }),
	} as unknown as IWebhookFunctions;
	const result = { event: 'hosted_conclusive', profileId: 'kyc' };

	expect(
		awaited && (await openAndDeliver(context, asArrived(result), awaited, WEBHOOK_SECRET)),
	).toEqual(notDelivered('senderGone'));
});

it('a delivery to a link-local address, which no URL can hold, fails and holds up none that follow', async () => {
	const execution = { executionId: '9', resumeToken: 'token' };

	expect(
		await deliver('http://[fe80::1%eth0]:5678/webhook-waiting', execution, RESULT, WEBHOOK_SECRET),
	).toEqual(notDelivered('unreachable'));
	const endpoint = await endpointOf((_, response) => response.end(JSON.stringify(TAKEN.body)));

	expect(await deliver(endpoint, execution, RESULT, WEBHOOK_SECRET)).toEqual(DELIVERED);
});
