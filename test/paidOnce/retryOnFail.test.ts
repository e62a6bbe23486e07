import type { OutgoingHttpHeaders } from 'node:http';

import { NodeApiError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';

import { SCAN } from '../../nodes/IdentityVerification/contract/endpoints';
import { fixture } from '../kit/data/fixtures';
import { breaksTogether, listenJson, serviceWithStatuses } from '../kit/service/httpServer';
import { sha256, useSandbox } from '../kit/service/sandbox';
import { actionRunner, documentItems, failureOf, jsonOf } from '../kit/engine/action';
import { retryOnFail } from '../kit/settings';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

const settings = retryOnFail(3);

it('sends only the failed item again', async () => {
	const { items, images } = documentItems(10);
	const digests = images.map(sha256);
	await sandbox.refuse(images[6], 2);

	const result = await run({ items, settings });

	const requests = await sandbox.requests();
	expect(result.error).toBeUndefined();
	expect(jsonOf(result)).toHaveLength(10);
	expect(result.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
		items.map((_, item) => ({ item })),
	);
	expect(await sandbox.billed()).toBe(10);
	expect(requests).toHaveLength(12);
	const timesOf = (digest: string) =>
		requests.filter(({ images: { document } }) => document?.sha256 === digest).length;
	expect(digests.map(timesOf)).toEqual([1, 1, 1, 1, 1, 1, 3, 1, 1, 1]);
});

it('still names the status and the item after the tries in which nothing was sent again', async () => {
	const { items, images } = documentItems(2);
	await sandbox.faultOn(images[1], { kind: 'serverError' });
	const parameters = { options: { maxParallelRequests: 1 } };

	const { error } = await run({ items, parameters, settings });

	expect(error).toMatchObject({ httpCode: '500', context: { itemIndex: 1 } });
	expect(error?.description).toMatch(/^The service failed\. Look the request up/);
	expect(await sandbox.requests()).toHaveLength(2);
});

it('still says after the last try of every item that it may have been charged', async () => {
	const { items } = documentItems(2);
	const { url: baseUrl, asked } = await breaksTogether(2);

	const result = await run({ items, settings, credential: { baseUrl } });

	expect(failureOf(result).description).toMatch(/Item 1 may have been charged, too\./);
	expect(asked()).toBe(2);
});

// n8n's own errors say nothing about charges, so one of them may have been charged, too.
it.each([
	['an error of the node itself', new TypeError('Jane Doe is not a function')],
	['an error of n8n', new NodeApiError({} as INode, {}, { message: 'Jane Doe is not found' })],
])('sends nothing again after the request has led to %s', async (_, error) => {
	const parse = jest.spyOn(SCAN, 'parse').mockImplementation(() => {
		throw error;
	});

	const { message, description } = failureOf(await run({ settings }));
	parse.mockRestore();

	expect(await sandbox.billed()).toBe(1);
	expect(message).toMatch(/^The node failed after .* may have been processed and charged/);
	expect(description).toContain('Look the request up');
	expect(`${message} ${description}`).not.toContain('Jane');
});

it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
	'sends no failed item again with On Error %s: such a node has not failed',
	async (onError) => {
		const { items, images } = documentItems(2);
		await sandbox.refuse(images[0]);

		await run({
			items,
			settings: { ...retryOnFail(3), onError },
		});

		expect(await sandbox.requests()).toHaveLength(2);
	},
);

it('is forgotten with the execution: the next one asks again', async () => {
	const { items, images } = documentItems(2);
	await sandbox.refuse(images[1], 3);

	const failed = await run({ items, settings });
	const passed = await run({ items, settings });

	expect([failed.status, passed.status]).toEqual(['error', 'success']);
	expect(await sandbox.billed()).toBe(1 + 2);
});

// n8n takes an `error` key in the first item of the first output for a failure, and a Raw result
// can hold one.
it.each([
	['at Review first', ['accept', 'review']],
	['at Reject', ['reject', 'accept']],
])('sends nothing again when a Raw result has an error of its own %s', async (_, decisions) => {
	let answered = 0;
	const { url } = await listenJson(() => {
		const decision = decisions[answered++];
		return {
			body: fixture('scan-accept', { decision, ...(decision !== 'accept' && { error: 'X' }) }),
		};
	});

	const { outputs } = await run({
		items: documentItems(2).items,
		parameters: { output: 'raw', branchOnDecision: true, options: { maxParallelRequests: 1 } },
		credential: { baseUrl: url },
		settings,
	});

	expect(answered).toBe(2);
	expect(outputs.flat()).toHaveLength(2);
});

it('never hands a result of one loop round to the next', async () => {
	let answered = 0;
	const server = await listenJson(() => ({
		body: fixture('scan-accept', { error: 'X', transactionId: `tx-${++answered}` }),
	}));
	const [first, second] = [documentItems(1).items, documentItems(1).items];

	const { runs } = await run({
		items: first,
		laterItems: [second],
		parameters: { output: 'raw' },
		credential: { baseUrl: server.url },
		settings: { ...settings, maxTries: 2 },
	});

	expect(runs.map(([items]) => items?.map(({ json }) => json.transactionId))).toEqual([
		['tx-1'],
		['tx-2'],
	]);
});

describe('of the answers with an error status', () => {
	const ask = async (status: number, headers: OutgoingHttpHeaders = {}) => {
		const body = { decision: 'accept' };
		const { asked, credential } = await serviceWithStatuses([status], body, headers);
		return { ...failureOf(await run({ credential, settings })), asked: asked() };
	};

	it.each([
		300, 303, 408, 409, 410, 412, 418, 423, 425, 428, 431, 451, 499, 500, 501, 502, 503, 504, 520,
		522, 524, 599,
	])(
		'does not send again what was answered with %d, and says that it may have been charged',
		async (status) => {
			const { asked, message, description } = await ask(status);

			expect(asked).toBe(1);
			expect(message).toMatch(`status ${status}. The request may have been processed and charged`);
			expect(description).toContain(
				"Look the request up in the service's web portal before you run this item again. 'Retry On Fail' won't send it again; Retry in the executions list will, and may pay again.",
			);
		},
	);

	it.each<[number, OutgoingHttpHeaders]>([
		[400, {}],
		[503, { 'Retry-After': '1' }],
	])('sends again what was plainly refused with %d %j', async (refusal, headers) => {
		const { asked, status } = await ask(refusal, headers);

		expect({ asked, status }).toEqual({ asked: 2, status: 'success' });
	});
});
