import { NodeHelpers } from 'n8n-workflow';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';

import { IdentityVerification } from '../../nodes/IdentityVerification/IdentityVerification.node';
import { OPERATIONS } from '../../nodes/IdentityVerification/operations';
import { picture } from '../kit/data/picture';
import {
	actionRunner,
	agentTool,
	documentItem,
	documentItems,
	failureOf,
	jsonOf,
	sandboxCredential,
} from '../kit/engine/action';
import { callToolOften } from '../kit/engine/agent';
import type { Caller } from '../kit/engine/agent';
import { listenJson } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { CONTINUE, retryOnFail } from '../kit/settings';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

const LINK = { operation: 'createHostedLink', profile: 'sandbox-accept', mode: 1 };
const messagesOf = (result: Awaited<ReturnType<typeof run>>) =>
	jsonOf(result).map(({ error }) => error);

describe('Max Paid Requests', () => {
	const limited = (maxPaidRequests: unknown, options: object = {}) =>
		({ options: { maxParallelRequests: 1, maxPaidRequests, ...options } }) as INodeParameters;

	it('fails a run that would need more, with both numbers, before anything is sent', async () => {
		const result = await run({ ...documentItems(4), parameters: limited(3) });

		expect(failureOf(result)).toMatchObject({
			message:
				"4 requests would be paid, but 'Max Paid Requests' allows 3. Nothing was charged for them (charge: none)",
			description: expect.stringMatching(
				/^Raise 'Max Paid Requests' in the options, or pass fewer items to the node\./,
			) as string,
		});
		expect(await sandbox.requests()).toEqual([]);
	});

	it('lets a run pass that needs exactly as many', async () => {
		const { error } = await run({ ...documentItems(3), parameters: limited(3) });

		expect(error).toBeUndefined();
		expect(await sandbox.billed()).toBe(3);
	});

	it('refuses what is above it, unpaid, where the node is set to continue', async () => {
		const items = documentItems(5);
		const result = await run({ ...items, parameters: limited(3), settings: CONTINUE });

		const refused = expect.stringMatching(
			/^'Max Paid Requests' is used up: it allows 3 in an execution\. Nothing was charged \(charge: none\) \[item \d\]$/,
		) as string;
		expect(messagesOf(result)).toEqual([undefined, undefined, undefined, refused, refused]);
		expect(await sandbox.requests()).toHaveLength(3);
	});

	it.each([
		['2 requests', 'them', 3],
		['1 request', 'it', 2],
	])('counts the earlier runs of a loop, which has %s more', async (more, them, max) => {
		const laterItems = [1, max - 1].map((count) => documentItems(count).items);
		const result = await run({ laterItems, parameters: limited(max) });

		expect(failureOf(result)).toMatchObject({
			message: `${more} would be paid, but 'Max Paid Requests' allows ${max - 2} (2 of ${max} are used). Nothing was charged for ${them} (charge: none)`,
			description: expect.stringContaining("Raise 'Max Paid Requests' in the options.") as string,
		});
		expect(await sandbox.billed()).toBe(2);
	});

	it('does not count what a Retry finds as paid, and begins at zero for the rest', async () => {
		const { items, images } = documentItems(4);
		await sandbox.refuse(images[3]);

		const failed = await run({ items, parameters: limited(4) });
		expect(await sandbox.billed()).toBe(3);
		const passed = await run({ retryOf: failed, parameters: limited(1) });

		expect(passed.error).toBeUndefined();
		expect(jsonOf(passed)).toHaveLength(4);
		expect(await sandbox.billed()).toBe(4);
	});

	it.each([
		['is set', limited(undefined), limited(9)],
		['is changed', limited(9), limited(5, { stopBelowCredits: 3 })],
		['is taken away', limited(9, { stopBelowCredits: 3 }), limited(undefined)],
	])('a Retry pays nothing again when it %s', async (_, before, after) => {
		const { items, images } = documentItems(3);
		await sandbox.refuse(images[2]);

		const failed = await run({ items, parameters: before });
		const passed = await run({ retryOf: failed, parameters: after });

		expect(passed.error).toBeUndefined();
		expect(await sandbox.billed()).toBe(3);
	});

	it('gives a place back only if the answer says that nothing was charged', async () => {
		const { items, images } = documentItems(4);
		await sandbox.refuse(images[0]);
		await sandbox.faultOn(images[1], { kind: 'serverError' });

		const result = await run({ items, parameters: limited(2), settings: CONTINUE });

		expect(messagesOf(result)).toEqual([
			expect.stringContaining('status 400'),
			expect.stringContaining('status 500'),
			undefined,
			expect.stringContaining('is used up'),
		]);
	});

	it('takes no place for a request that is refused each time', async () => {
		const image = picture();
		await sandbox.faultOn(image, { kind: 'status', status: 400, times: 2 });

		const items = [documentItem(image)];
		await run({ items, parameters: limited(1), settings: retryOnFail(3) });

		expect(await sandbox.statuses()).toEqual([400, 400, 200]);
	});

	it('takes no place for a request that was given up because another item failed', async () => {
		const { items, images } = documentItems(3);
		await sandbox.faultOn(images[0], { kind: 'status', status: 400 });

		const settings = retryOnFail(2);
		const { error } = await run({ items, parameters: limited(3), settings });

		expect(error).toBeUndefined();
		expect(await sandbox.statuses()).toEqual([400, 200, 200, 200]);
	});

	it.each([[0], [-1], [1.5], ['3'], ['={{ 5 }}'], [null], [true]])(
		'refuses %j, which is no whole number above 0',
		async (value) => {
			const { message } = failureOf(await run({ parameters: limited(value) }));

			expect(message).toBe(
				"'Max Paid Requests' is not a whole number above 0. Nothing was charged (charge: none)",
			);
			expect(await sandbox.requests()).toEqual([]);
		},
	);

	describe('of a tool', () => {
		const call = async (caller: Caller, calls: number, parameters: INodeParameters = {}) =>
			await callToolOften(caller, {
				tool: agentTool(),
				credential: sandboxCredential(sandbox),
				parameters: { ...LINK, ...parameters },
				calls,
			});
		const paidOf = (answers: string[]) => answers.filter((answer) => answer.includes('reference'));

		it.each<Caller>(['agent 2', 'agent 3'])(
			'pays 3 when the model of an %s asks a hundred times in one execution',
			async (caller) => {
				const answers = await call(caller, 100);

				expect(answers).toHaveLength(100);
				expect(paidOf(answers)).toHaveLength(3);
				const refused = answers.filter((answer) => /is used up.*\(charge: none\)/.test(answer));
				expect(refused).toHaveLength(97);
				expect(await sandbox.requests()).toHaveLength(3);
			},
		);

		it.each<Caller>(['agent 2', 'agent 3'])('pays what is set for an %s', async (caller) => {
			await call(caller, 10, { maxPaidRequests: 5, options: { maxPaidRequests: 1 } });

			expect(await sandbox.billed()).toBe(5);
		});

		it('begins at zero for each call of an MCP client, which is an execution', async () => {
			expect(paidOf(await call('MCP client', 5, { maxPaidRequests: 1 }))).toHaveLength(5);
		});

		it('cannot be set by the model', async () => {
			const maxPaidRequests = "={{ $fromAI('limit', '', 'number', 50) }}";
			const [answer] = await call('agent 3', 1, { maxPaidRequests });

			expect(answer).toContain("'Max Paid Requests' is not a whole number above 0");
			expect(await sandbox.requests()).toEqual([]);
		});
	});

	it.each([
		['an option of the node', new IdentityVerification(), { options: 1, parameters: 0 }],
		['a parameter of the tool', agentTool(), { options: 0, parameters: 1 }],
	])('is shown as %s', (_, { description }, shown) => {
		const isShown = (field: INodeProperties, values: object) =>
			field.name === 'maxPaidRequests' &&
			NodeHelpers.displayParameter({ ...values }, field, null, description);
		for (const operation of ['scan', 'createHostedLink']) {
			const values = { resource: 'verification', operation };
			const [options] = description.properties.filter(
				(field) =>
					field.name === 'options' &&
					NodeHelpers.displayParameter(values, field, null, description),
			);
			const entries = (options?.options ?? []).filter((entry) => 'type' in entry);
			expect({
				options: entries.filter((entry) => isShown(entry, {})).length,
				parameters: description.properties.filter((field) => isShown(field, values)).length,
			}).toEqual(shown);
		}
	});

	it('is there for each operation that pays, and for no other', () => {
		const items = OPERATIONS.filter(({ kind }) => kind !== 'wait');
		const has = (fields: { name: string }[]) =>
			fields.some(({ name }) => name === 'maxPaidRequests');
		const found = items.map(({ choice, options = [], parameters }) => ({
			operation: choice.value,
			hasOption: has(options),
			hasFieldOfTool: has(parameters),
		}));
		const expected = items.map(({ choice }) => {
			const isPaid = /\bcredits?\b/.test(choice.description ?? '');
			return { operation: choice.value, hasOption: isPaid, hasFieldOfTool: isPaid };
		});

		expect(found).toEqual(expected);
		expect(expected.filter(({ hasOption }) => hasOption)).toHaveLength(2);
	});
});

describe('Stop Below Credits', () => {
	const stopping = (stopBelowCredits: number, maxParallelRequests = 1) => ({
		options: { stopBelowCredits, maxParallelRequests },
	});
	const LOW =
		/^'Stop Below Credits' is 3, and an answer said that 2 are left\. Nothing was charged \(charge: none\) \[item \d\]$/;

	it('ends a run as soon as an answer says that fewer are left, and a Retry sends the rest', async () => {
		await sandbox.setCredits(5);
		const { items } = documentItems(6);

		const failed = await run({ items, parameters: stopping(3) });
		expect(failureOf(failed).message).toMatch(LOW);
		expect(failureOf(failed).description).toMatch(
			/^Top up the account, then run this item in another execution\. Items 4 and 5 failed, too,.* 3 items are done and paid/,
		);
		expect(await sandbox.requests()).toHaveLength(3);

		await sandbox.setCredits(50);
		const passed = await run({ retryOf: failed, parameters: stopping(3) });
		expect(passed.error).toBeUndefined();
		expect(await sandbox.billed()).toBe(6);
	});

	it('refuses the rest, unpaid, where the node is set to continue', async () => {
		await sandbox.setCredits(5);
		const result = await run({ ...documentItems(5), parameters: stopping(3), settings: CONTINUE });

		const low = expect.stringMatching(LOW) as string;
		expect(messagesOf(result)).toEqual([undefined, undefined, undefined, low, low]);
		expect(await sandbox.requests()).toHaveLength(3);
	});

	it('sends nothing in later runs of the node, nor when Retry On Fail repeats it', async () => {
		await sandbox.setCredits(5);
		const [items, ...laterItems] = [4, 2].map((count) => documentItems(count).items);
		const parameters = stopping(3);

		const looped = await run({ items, laterItems, parameters, settings: CONTINUE });
		expect(messagesOf(looped)).toEqual([0, 1].map(() => expect.stringMatching(LOW) as string));
		expect(await sandbox.requests()).toHaveLength(3);

		await run({ items, parameters, settings: retryOnFail(3) });
		expect(await sandbox.requests()).toHaveLength(4);
	});

	it('sends nothing after a Wait, nor in another worker, which knows only what n8n has stored', async () => {
		await sandbox.setCredits(3);
		const { items } = documentItems(3);
		const shared = { executionId: 'the same', parameters: stopping(3) };

		const stopped = await run({ items, ...shared });
		await sandbox.setCredits(50);
		const resumed = await run({ retryOf: stopped, ...shared });

		expect(failureOf(resumed).message).toMatch(LOW);
		expect(await sandbox.requests()).toHaveLength(1);
	});

	it('does not blame the credits if the run stopped because an item failed', async () => {
		const { items, images } = documentItems(3);
		await sandbox.refuse(images[0]);

		const { message, description } = failureOf(await run({ items, parameters: stopping(3) }));

		expect(message).toContain('status 400');
		expect(description).toContain('2 other items were not processed in this execution.');
	});

	it('sends nothing in later calls of an agent', async () => {
		await sandbox.setCredits(3);
		const base64 = picture().toString('base64');
		const scan = { operation: 'scan', documentSource: 'base64', documentBase64: base64 };

		const answers = await callToolOften('agent 3', {
			tool: agentTool(),
			credential: sandboxCredential(sandbox),
			parameters: { profile: 'sandbox-accept', maxPaidRequests: 100, ...scan, ...stopping(3) },
			calls: 3,
		});

		const low = expect.stringMatching(LOW) as string;
		expect(answers).toEqual([expect.stringContaining('accept'), low, low]);
		expect(await sandbox.requests()).toHaveLength(1);
	});

	it.each([{}, CONTINUE])(
		'still pays only what is open, and nothing that waits: %j',
		async (settings) => {
			await sandbox.setModel({ latency: { ms: 50 } });

			await run({ ...documentItems(60), parameters: stopping(1_000_000, 0), settings });

			expect(await sandbox.billed()).toBeLessThanOrEqual(16);
			expect(await sandbox.requests()).toHaveLength(await sandbox.billed());
		},
	);

	it.each([200, 400, 429, 500])(
		'ends a run as soon as an answer with status %i says so that is no result',
		async (status) => {
			const { url: baseUrl, asked } = await listenJson(() => ({
				...{ status, headers: { 'Retry-After': '3600' } },
				body: { success: false, error: 'failed', credit: 2 },
			}));

			const result = await run({
				...documentItems(3),
				...{ parameters: stopping(3), settings: CONTINUE, credential: { baseUrl } },
			});

			expect(asked()).toBe(1);
			expect(messagesOf(result).slice(1)).toEqual([LOW, LOW].map(expect.stringMatching));
		},
	);

	it('lets a run pass whose last answer is the first to say so', async () => {
		await sandbox.setCredits(4);
		const { error, hints } = await run({ ...documentItems(2), parameters: stopping(3) });

		expect(error).toBeUndefined();
		expect(hints.filter(({ message }) => message.includes('Stop Below'))).toEqual([]);
	});

	it('stops nothing while the credits are unknown, and says so once', async () => {
		const { transactionId, decision } = { transactionId: 'tx-1', decision: 'accept' };
		const { url: baseUrl } = await listenJson(() => ({ body: { transactionId, decision } }));
		const parameters = stopping(3);

		const { error, hints } = await run({
			...documentItems(3),
			parameters,
			credential: { baseUrl },
		});

		expect(error).toBeUndefined();
		expect(
			hints.map(({ message }) => message).filter((message) => /Stop Below/.test(message)),
		).toEqual([
			"'Stop Below Credits' could not be checked: an answer did not say how many credits are left.",
		]);
	});

	it.each([[0], ['3'], [null]])('refuses %j, which is no number above 0', async (value) => {
		const parameters = { options: { stopBelowCredits: value } };
		const { message } = failureOf(await run({ parameters }));

		expect(message).toMatch(/^'Stop Below Credits' is not a number above 0\. Nothing was charged/);
		expect(await sandbox.requests()).toEqual([]);
	});
});
