import { listen, listenJson, unusedUrl } from '../support/httpServer';
import { useSandbox } from '../support/sandbox';
import { actionNode, documentItems, failureOf, jsonOf } from './action';
import type { ActionOptions } from './action';

const sandbox = useSandbox();
const { run } = actionNode(sandbox);

const MAY_BE_CHARGED = /may have been processed and charged/;
const NOT_SENT = /Nothing was sent or charged/;

const shortTimeout = { options: { timeout: 1 } };
const binaryModes = ['default', 'filesystem'] as const;

async function expectOneRequest(status: number | null, billed: number): Promise<void> {
	const requests = await sandbox.requests();
	expect(requests.map((request) => request.status)).toEqual([status]);
	expect(await sandbox.billed()).toBe(billed);
}

describe.each(binaryModes)('an answer with an error status, in binary mode %s', (binaryMode) => {
	const fail = async (options: ActionOptions = {}) =>
		failureOf(await run({ binaryMode, ...options }));

	it('401 blames the API key, and is asked for once', async () => {
		const { message, description } = await fail({ credential: { apiKey: 'wrong-key' } });

		expect(message).toMatch(/status 401: The API key is missing or not valid.*\[item 0\]/);
		expect(description).toMatch(/refused the API key/);
		await expectOneRequest(401, 0);
	});

	it('402 tells to top the account up', async () => {
		await sandbox.setCredits(0);

		const { message, description } = await fail();

		expect(message).toMatch(/status 402: Not enough credits/);
		expect(description).toMatch(/credits/);
		await expectOneRequest(402, 0);
	});

	it('404 hands on what the service says', async () => {
		const { message } = await fail({ parameters: { profile: 'unknown-profile' } });

		expect(message).toMatch(/status 404: There is no profile "unknown-profile"/);
		await expectOneRequest(404, 0);
	});

	it('500 comes with status and text of the service, and is asked for once', async () => {
		await sandbox.fault({ on: 'scan', kind: 'serverError' });

		const { message, description } = await fail();

		expect(message).toMatch(/status 500: Internal error of the service\./);
		expect(description).not.toBe('');
		expect(message).not.toMatch(MAY_BE_CHARGED);
		await expectOneRequest(500, 0);
	});

	it('an HTML page comes with its status, not as HTML', async () => {
		await sandbox.fault({ on: 'scan', kind: 'html' });

		const { message } = await fail();

		expect(message).toMatch(/status 502\. The request may have been/);
		expect(message).not.toMatch(/[<>]/);
		await expectOneRequest(502, 0);
	});

	it.each([301, 302, 303, 307, 308])(
		'redirect %d is refused, the key stays here',
		async (status) => {
			const followed: unknown[] = [];
			const elsewhere = await listen((request, response) => {
				followed.push(request.headers);
				response.end('{}');
			});
			await sandbox.fault({ on: 'scan', kind: 'redirect', status, location: `${elsewhere.url}/x` });

			const { message, description } = await fail();

			expect(message).toContain(`status ${status}`);
			expect(description).toMatch(/Redirects are not followed/);
			expect(followed).toEqual([]);
			await expectOneRequest(status, 0);
		},
	);
});

describe.each(binaryModes)('an answer that is lost, in binary mode %s', (binaryMode) => {
	it.each([
		['truncated', 200],
		['wrongShape', 200],
		['broken', null],
		['noAnswer', null],
	])('%s is reported as possibly charged, and asked for once', async (kind, status) => {
		await sandbox.fault({ on: 'scan', kind });

		const { message, description } = failureOf(await run({ binaryMode, parameters: shortTimeout }));

		expect(message).toMatch(MAY_BE_CHARGED);
		expect(message).toContain('[item 0]');
		expect(description).toMatch(/web portal/);
		await expectOneRequest(status, 1);
	});

	it.each(['truncated', 'wrongShape', 'broken', 'noAnswer'])(
		'%s is not asked for again by Retry On Fail',
		async (kind) => {
			await sandbox.fault({ on: 'scan', kind });

			const result = await run({
				binaryMode,
				parameters: shortTimeout,
				settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
			});

			expect(failureOf(result).message).toMatch(MAY_BE_CHARGED);
			expect(await sandbox.requests()).toHaveLength(1);
		},
	);
});

it('a timeout says how long it was', async () => {
	await sandbox.fault({ on: 'scan', kind: 'noAnswer' });

	const { message } = failureOf(await run({ parameters: shortTimeout }));

	expect(message).toMatch(/none came within 1 s/);
});

it('an answer of another shape is described by paths', async () => {
	const body = { decision: 'perhaps', transactionId: 'tx-1', warning: [{}] };
	const server = await listenJson(() => ({ body }));

	const { description } = failureOf(await run({ credential: { baseUrl: server.url } }));

	expect(description).toMatch(/transaction tx-1/);
	expect(description).toMatch(/decision has another type or value than documented/);
	expect(description).toMatch(/warning\[0\]\.code is missing/);
	expect(description).not.toContain('perhaps');
});

describe('a service that is not reached', () => {
	it('at a refused connection: nothing was sent', async () => {
		const baseUrl = await unusedUrl();

		const { message } = failureOf(await run({ credential: { baseUrl } }));

		expect(message).toMatch(NOT_SENT);
		expect(message).toMatch(/refused/);
	});

	it('at a host name that does not exist: nothing was sent', async () => {
		const baseUrl = 'https://service.invalid';

		const { message } = failureOf(await run({ credential: { baseUrl } }));

		expect(message).toMatch(NOT_SENT);
	});

	it('over TLS that is none: nothing was sent', async () => {
		const { url } = await listen((_, response) => response.end());

		const { message } = failureOf(
			await run({ credential: { baseUrl: url.replace('http:', 'https:') } }),
		);

		expect(message).toMatch(NOT_SENT);
	});
});

/** A service that answers with these statuses one after the other, and how often it was asked. */
async function serviceThatAnswers(statuses: number[], body: object) {
	const asked = { times: 0 };
	const { url } = await listenJson(() => ({ status: statuses[asked.times++], body }));
	return { asked, credential: { baseUrl: url } };
}

describe('with Retry On Fail', () => {
	const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };

	it.each([502, 504, 520, 524])(
		'a gateway that gave up with %d is not asked again',
		async (status) => {
			const body = { message: 'Gave up.' };
			const { asked, credential } = await serviceThatAnswers([status], body);

			const { message, description } = failureOf(await run({ credential, settings }));

			expect(message).toMatch(
				`status ${status}: Gave up. The request may have been processed and charged [item 0]`,
			);
			expect(description).toMatch(/web portal/);
			expect(asked.times).toBe(1);
		},
	);

	it.each([500, 503])('a service that refused with %d is asked again', async (status) => {
		const { asked, credential } = await serviceThatAnswers([status], { decision: 'accept' });

		expect(jsonOf(await run({ credential, settings }))).toMatchObject([{ decision: 'accept' }]);
		expect(asked.times).toBe(2);
	});
});

describe('another status of success than 200', () => {
	it('loses no result', async () => {
		const { credential } = await serviceThatAnswers([201], { decision: 'review' });

		expect(jsonOf(await run({ credential }))).toMatchObject([{ decision: 'review' }]);
	});

	it('without a result is reported as possibly charged', async () => {
		const { credential } = await serviceThatAnswers([202], { status: 'queued' });

		expect(failureOf(await run({ credential })).message).toMatch(MAY_BE_CHARGED);
	});
});

it('one lost answer does not cost the others theirs', async () => {
	const { items } = documentItems(3);
	await sandbox.fault({ on: 'scan', kind: 'broken', skip: 1 });

	const result = await run({
		items,
		parameters: { options: { maxParallelRequests: 1 } },
		settings: { onError: 'continueRegularOutput' },
	});

	expect(jsonOf(result)).toEqual([
		expect.objectContaining({ decision: 'accept' }),
		{ error: expect.stringMatching(MAY_BE_CHARGED) },
		expect.objectContaining({ decision: 'accept' }),
	]);
});
