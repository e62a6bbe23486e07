import { BinaryDataService } from 'n8n-core';
import { NodeOperationError } from 'n8n-workflow';
import type { INode, NodeApiError } from 'n8n-workflow';

import { IdentityVerification } from '../../nodes/IdentityVerification/IdentityVerification.node';
import { runNode } from '../kit/engine';
import { Container } from '../kit/engine/container';
import { fixture } from '../kit/data/fixtures';
import { listenJson } from '../kit/service/httpServer';
import { sha256, useSandbox } from '../kit/service/sandbox';
import { picture } from '../kit/data/picture';
import {
	actionRunner,
	sandboxCredential,
	documentItem,
	documentItems,
	downloadsOf,
	failureOf,
	jsonOf,
} from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import type { NodeRun, NodeSettings } from '../kit/engine';
import { profileIds } from '../kit/data/profileIds';
import { CONTINUE, retryOnFail } from '../kit/settings';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

const LINK = { operation: 'createHostedLink', mode: 1 };
const oneByOne = { options: { maxParallelRequests: 1 } };
const RETRY_ON_FAIL = retryOnFail(3);

/** Refuses the request for a link after so many others. */
const refuseLink = async (skip: number) =>
	await sandbox.fault({ on: 'hosted', kind: 'status', status: 400, skip });

/** Another service, such as the live one, which counts what it is asked. */
async function serviceThatCounts() {
	let count = 0;
	const { url } = await listenJson(() => {
		count++;
		return { body: { decision: 'review' } };
	});
	return { url, asked: () => count };
}

/**
 * Runs two rounds of a loop. The answer to the first one moves the credential to another address.
 */
async function runTwoRounds(
	body: object,
	nextUrl: string,
	{
		parameters,
		settings,
		laterItems = 1,
	}: Pick<ActionOptions, 'parameters' | 'settings'> & { laterItems?: number } = {},
): Promise<NodeRun> {
	const first = await listenJson(() => {
		credential.values.baseUrl = nextUrl;
		return { body };
	});
	const credential = sandboxCredential(sandbox, { baseUrl: first.url });
	return await runNode({
		node: IdentityVerification,
		items: documentItems(1).items,
		laterItems: [documentItems(laterItems).items],
		parameters: { operation: 'scan', profile: 'sandbox-accept', ...oneByOne, ...parameters },
		credential,
		settings,
	});
}

/** Moves the files of a failed execution to another folder, as n8n does with a form's uploads. */
async function moveFiles({ stored }: NodeRun): Promise<void> {
	const items = stored.executionData?.nodeExecutionStack.flatMap(
		({ data }) => data.main?.[0] ?? [],
	);
	for (const { binary = {} } of items ?? []) {
		for (const file of Object.values(binary)) {
			const [mode, path = ''] = file.id?.split(':') ?? [];
			const moved = path.replace(/executions\/[^/]+/, 'executions/moved');
			await Container.get(BinaryDataService).rename(path, moved);
			file.id = `${mode}:${moved}`;
		}
	}
}

const transactionsOf = (result: NodeRun) =>
	jsonOf(result).map(({ transactionId }) => transactionId);

/** What n8n stores of the outcomes in the node's context. */
const storedOutcomes = ({ stored }: NodeRun) =>
	JSON.stringify(stored.executionData?.contextData ?? {});

describe.each(['default', 'filesystem'] as const)(
	'Retry of a failed execution in binary mode %s',
	(binaryMode) => {
		it('pays 10 scans for 10 items, and puts each result at its item', async () => {
			const { items, images } = documentItems(10);
			await sandbox.refuse(images[6]);

			const failed = await run({ binaryMode, items });
			const paidBefore = await sandbox.billed();
			const passed = await run({ binaryMode, retryOf: failed });

			expect(failed.status).toBe('error');
			expect(paidBefore).toBeGreaterThan(0);
			expect(passed.status).toBe('success');
			expect(await sandbox.billed()).toBe(10);
			const sent = (await sandbox.requests()).filter(({ status }) => status === 200);
			const digests = sent.map((request) => request.images.document?.sha256);
			expect([...digests].sort()).toEqual(images.map(sha256).sort());
			expect(new Set(transactionsOf(passed)).size).toBe(10);
			expect(passed.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual(
				items.map((_, item) => ({ item })),
			);
		});

		it('pays 3 links for 3 items, QR codes included', async () => {
			await refuseLink(2);
			const parameters = {
				...LINK,
				customData: 'the same for all',
				options: { qrCodeBinaryField: 'qr', maxParallelRequests: 1 },
			};

			const failed = await run({ binaryMode, items: [{}, {}, {}], parameters });
			const passed = await run({ binaryMode, retryOf: failed, parameters });

			expect(failed.status).toBe('error');
			expect(await sandbox.billed()).toBe(3);
			expect(new Set(jsonOf(passed).map(({ reference }) => reference)).size).toBe(3);
			const codes = passed.outputs[0]?.map(({ files }) => files.qr?.content) ?? [];
			expect(codes.map((code) => code?.subarray(1, 4).toString())).toEqual(['PNG', 'PNG', 'PNG']);
			expect(new Set(codes.map((code) => code && sha256(code))).size).toBe(3);
		});
	},
);

describe('Retry of a failed execution', () => {
	it('pays nothing again when it fails again, and again', async () => {
		const { items, images } = documentItems(4);
		for (let time = 0; time < 3; time++) await sandbox.refuse(images[3]);

		let result = await run({ items, parameters: oneByOne });
		for (let time = 0; time < 2; time++)
			result = await run({ retryOf: result, parameters: oneByOne });
		const failure = failureOf(result);
		const passed = await run({ retryOf: result, parameters: oneByOne });

		expect(failure).toMatchObject({ status: 'error', itemIndex: 3 });
		expect(passed.status).toBe('success');
		expect(await sandbox.billed()).toBe(4);
		expect(await sandbox.requests()).toHaveLength(4 + 3);
	});

	it('asks again for a changed profile, and for another credential', async () => {
		await sandbox.setProfile('other', { scenario: 'textForgery' });
		const { items, images } = documentItems(2);
		const failing = async () => {
			await sandbox.refuse(images[1]);
			return await run({ items, parameters: oneByOne });
		};

		const first = await run({ retryOf: await failing(), parameters: { profile: 'other' } });
		const second = await run({ retryOf: await failing(), credentialId: 'another' });

		expect(profileIds(jsonOf(first))).toEqual(['other', 'other']);
		expect(second.status).toBe('success');
		expect(await sandbox.billed()).toBe(3 + 3);
	});

	it('asks again for another face, though the parameters are the same', async () => {
		const file = () => ({ content: picture() });
		const items = [1, 2].map(() => ({ files: { data: file(), one: file(), another: file() } }));
		const faceBinaryField = '={{ $vars.face }}';
		const parameters = { ...oneByOne, faceSource: 'binary', faceBinaryField };
		await sandbox.fault({ on: 'scan', kind: 'status', status: 402, skip: 1 });
		const failed = await run({ items, parameters, variables: { face: 'one' } });

		await run({ retryOf: failed, parameters, variables: { face: 'another' } });

		expect(await sandbox.statuses()).toEqual([200, 402, 200, 200]);
	});

	it.each([
		['stopWorkflow', 0],
		['continueRegularOutput', 1],
	] as const)(
		'sends no item that is paid at another address, and mixes no results, with On Error %s',
		async (onError, unpaid) => {
			const { items, images } = documentItems(3);
			await sandbox.refuse(images[2]);
			const live = await serviceThatCounts();
			const failed = await run({ items, parameters: oneByOne });
			const settings = { onError };

			const moved = await run({
				retryOf: failed,
				credential: { baseUrl: live.url },
				settings,
				parameters: oneByOne,
			});
			const again = await run({ retryOf: failed, parameters: oneByOne });

			const isStopped = onError === 'stopWorkflow';
			const errors = moved.outputs[0]?.map((item) => item.error) ?? [];
			const error = isStopped ? failureOf(moved) : errors[0];
			expect(error?.message).toMatch(/address other than the credential.*Nothing was charged/);
			expect(error?.description).toContain(`paid for at ${sandbox.url}`);
			expect(error?.description).toContain(`leads to ${live.url}`);
			expect(error?.description).toContain(transactionsOf(again)[0]);
			expect(error?.description).toContain('set the credential back and use Retry');
			expect(moved.status).toBe(isStopped ? 'error' : 'success');
			expect(errors.filter(Boolean)).toHaveLength(isStopped ? 0 : 2);
			expect(live.asked()).toBe(unpaid);
			expect(transactionsOf(again)).toHaveLength(3);
			expect(await sandbox.billed()).toBe(3);
		},
	);

	it('mixes no results of two addresses in the tries of Retry On Fail', async () => {
		const second = await serviceThatCounts();
		const paid = { body: { decision: 'review' } };
		const answers = [paid, paid, { status: 400, body: {} }];
		const first = await listenJson(() => {
			if (answers.length === 1) credential.values.baseUrl = second.url;
			return answers.shift() ?? { body: {} };
		});
		const credential = sandboxCredential(sandbox, { baseUrl: first.url });
		const { items } = documentItems(3);

		const result = await runNode({
			node: IdentityVerification,
			items,
			parameters: { operation: 'scan', profile: 'sandbox-accept', ...oneByOne },
			credential,
			settings: RETRY_ON_FAIL,
		});

		const { message, description } = failureOf(result);
		expect(message).toMatch(/address other than the credential/);
		expect(description).toMatch(/2 items are done and paid for\..*1 other item was not processed/);
		expect(description).not.toMatch(/failed, too/);
		expect(second.asked()).toBe(0);
	});

	// n8n runs a node again whose first item has an `error`, even if it's set to continue.
	it('returns what an earlier try has paid though the address has changed, with Continue', async () => {
		const answers = [
			{ body: { decision: 'review', error: 'n8n takes this for a failed try' } },
			{ status: 400, body: {} },
		];
		const second = await listenJson(() => ({ status: 400, body: {} }));
		const first = await listenJson(() => {
			if (answers.length === 1) credential.values.baseUrl = second.url;
			return answers.shift() ?? { body: {} };
		});
		const credential = sandboxCredential(sandbox, { baseUrl: first.url });

		const result = await runNode({
			node: IdentityVerification,
			items: documentItems(2).items,
			parameters: {
				operation: 'scan',
				profile: 'sandbox-accept',
				branchOnDecision: false,
				output: 'raw',
				...oneByOne,
			},
			credential,
			settings: { ...RETRY_ON_FAIL, ...CONTINUE },
		});

		expect(jsonOf(result)).toMatchObject([
			{ decision: 'review' },
			{ error: expect.stringContaining('status 400') as string },
		]);
	});

	it('returns what an earlier try has paid though the credential cannot be read any more', async () => {
		const { items, images } = documentItems(2);
		await sandbox.refuse(images[1]);

		const result = await run({
			items,
			parameters: oneByOne,
			// Once for each item of the first try.
			credentialFailure: { failure: new Error('The database is away'), failsAfter: 2 },
			settings: RETRY_ON_FAIL,
		});

		const { itemIndex, message, description } = failureOf(result);
		expect(itemIndex).toBe(1);
		expect(message).toMatch(/The database is away\. Nothing was charged/);
		expect(description).toMatch(/1 item is done and paid for\./);
		expect(description).not.toMatch(/failed, too/);
	});

	it('lets a later round of a loop go to another address, but not what a Retry finds paid', async () => {
		const third = await serviceThatCounts();
		const answers = [{ body: { decision: 'review' } }, { status: 400, body: {} }];
		const second = await listenJson(() => answers.shift() ?? { body: {} });

		const failed = await runTwoRounds({ decision: 'review' }, second.url, { laterItems: 2 });
		const moved = await run({ retryOf: failed, credential: { baseUrl: third.url } });

		expect(failureOf(failed).message).toMatch(/status 400/);
		expect(failureOf(moved)).toMatchObject({
			message: expect.stringMatching(/address other than the credential/) as string,
			description: expect.stringContaining(`paid for at ${second.url}`) as string,
			itemIndex: 0,
		});
		expect(third.asked()).toBe(0);
	});

	it('lets a later round go to another address though an earlier one is kept for its next try', async () => {
		const second = await serviceThatCounts();
		const body = { decision: 'review', error: 'n8n takes this for a failed try' };

		const result = await runTwoRounds(body, second.url, {
			parameters: { output: 'raw', branchOnDecision: false },
			settings: RETRY_ON_FAIL,
		});

		expect(result.error).toBeUndefined();
		expect(second.asked()).toBe(1);
	});

	it('says that an earlier execution paid for items that it cannot return', async () => {
		const { items, images } = documentItems(3);
		await sandbox.refuse(images[2]);
		const failed = await run({ items, parameters: oneByOne });

		const again = await run({ retryOf: failed, credential: { baseUrl: 'nonsense' } });

		expect(failureOf(again).description).toMatch(
			/An earlier execution has paid, .* for items that this one didn't return\.$/,
		);
		expect(again.error).toMatchObject({ failure: undefined });
	});

	it.each<[string, ActionOptions]>([
		['an option is not valid', { parameters: { options: { timeout: 0 } } }],
		['its outputs are an expression', { parameters: { branchOnDecision: '={{ true }}' } }],
	])('says so also where the run fails as a whole, because %s', async (_, wrong) => {
		const { items, images } = documentItems(2);
		await sandbox.refuse(images[1]);
		const failed = await run({ items, parameters: oneByOne });

		const stopped = await run({ retryOf: failed, ...wrong });
		const onError = 'continueRegularOutput';
		const continued = await run({ retryOf: failed, ...wrong, settings: { onError } });

		expect(failureOf(stopped).description).toMatch(/An earlier execution has paid.* return\.$/);
		expect(stopped.error).toMatchObject({ failure: undefined });
		const [first, second] = jsonOf(continued).map(({ error }) => String(error));
		expect(first).toMatch(/An earlier request for it may have been processed and charged$/);
		expect(second).toMatch(/Nothing was charged/);
		expect(second).not.toMatch(/earlier/);
	});

	it('says nothing of what an earlier execution paid for an item that is paid again', async () => {
		const { items, images } = documentItems(2);
		await sandbox.refuse(images[1]);
		await sandbox.refuse(images[1]);
		await sandbox.setProfile('other', {});
		const failed = await run({ items, parameters: oneByOne });

		const again = await run({ retryOf: failed, parameters: { ...oneByOne, profile: 'other' } });

		expect(failureOf(again).description).toMatch(/1 item is done and paid for\./);
		expect(failureOf(again).description).not.toMatch(/earlier execution/);
	});

	it('says under Continue that an earlier request for the item may have been charged', async () => {
		const { items, images } = documentItems(1);
		await sandbox.faultOn(images[0], { kind: 'truncated' });
		const failed = await run({ items });
		await sandbox.setCredits(0);

		const again = await run({ retryOf: failed, settings: CONTINUE });

		expect(jsonOf(again)).toEqual([
			{
				error: expect.stringMatching(
					/status 402.*An earlier request for it may have been processed and charged$/,
				),
			},
		]);
	});

	it('says of each item alone what an earlier execution may have been charged', async () => {
		const { items, images } = documentItems(3);
		await sandbox.refuse(images[2]);
		const failed = await run({ items, parameters: oneByOne });

		const again = await run({
			retryOf: failed,
			credential: { baseUrl: 'nonsense' },
			settings: CONTINUE,
		});

		const notCharged =
			"The credential's 'Base URL' is not a web address. Nothing was charged [item";
		const earlier = '. An earlier request for it may have been processed and charged';
		expect(jsonOf(again).map(({ error }) => error)).toEqual([
			`${notCharged} 0]${earlier}`,
			`${notCharged} 1]${earlier}`,
			`${notCharged} 2]`,
		]);
		const [, second, third] = (again.outputs[0] ?? []).map(
			({ error }) => error as NodeApiError | undefined,
		);
		expect(second?.description).toMatch(
			/^Open the .* credential .*\. An earlier execution has paid for the item, or may have been charged\.$/,
		);
		// By a cause, n8n could send the item again.
		expect(second?.failure).toBeUndefined();
		expect(third?.failure).toEqual({ cause: 'configuration-invalid' });
	});

	it.each([{ kind: 'status', status: 400 }, { kind: 'broken' }] as const)(
		'goes to another address where nothing was paid, after %j',
		async (fault) => {
			const { items, images } = documentItems(1);
			await sandbox.faultOn(images[0], fault);
			const live = await serviceThatCounts();

			const failed = await run({ items });
			const passed = await run({ retryOf: failed, credential: { baseUrl: live.url } });

			expect(jsonOf(passed)).toMatchObject([{ decision: 'review' }]);
		},
	);

	it('finds what is paid when the same address is written in another way', async () => {
		const { items, images } = documentItems(2);
		await sandbox.refuse(images[1]);
		const baseUrl = `${sandbox.url.replace('http', 'HTTP')}//`;

		const failed = await run({ items, parameters: oneByOne });
		const passed = await run({ retryOf: failed, parameters: oneByOne, credential: { baseUrl } });

		expect(passed.status).toBe('success');
		expect(await sandbox.billed()).toBe(2);
	});

	it('does not ask again for other options of how it is sent', async () => {
		const { items, images } = documentItems(3);
		await sandbox.refuse(images[2]);
		const parameters = {
			options: { timeout: 240, maxParallelRequests: 1, maxRateLimitWait: 60 },
		};

		const failed = await run({ items, parameters: oneByOne });
		await run({ retryOf: failed, parameters });

		expect(await sandbox.billed()).toBe(3);
	});

	it('does not ask again for another Branch on Decision', async () => {
		const profiles = ['sandbox-aml', 'sandbox-accept', 'sandbox-low-confidence', 'sandbox-accept'];
		const items = profiles.map((profile) => ({ ...documentItem(), json: { profile } }));
		await sandbox.fault({ on: 'scan', kind: 'status', status: 400, skip: 2 });
		const parameters = { ...oneByOne, profile: '={{ $json.profile }}' };

		const failed = await run({ items, parameters: { ...parameters, branchOnDecision: true } });
		const passed = await run({ retryOf: failed, parameters });

		expect(failed.status).toBe('error');
		expect(passed.outputs.map((outputItems) => outputItems.length)).toEqual([4]);
		expect(await sandbox.billed()).toBe(4);
	});

	it.each(['default', 'filesystem'] as const)(
		'asks again when an item has another image, in binary mode %s',
		async (binaryMode) => {
			const [first, second, third] = [picture(), picture(), picture()];
			const items = [
				{ files: { data: { content: first }, other: { content: second } } },
				{ files: { data: { content: third }, other: { content: third } } },
			];
			await sandbox.refuse(third);

			const failed = await run({ binaryMode, items, parameters: oneByOne });
			const parameters = { documentBinaryField: 'other' };
			const passed = await run({ binaryMode, retryOf: failed, parameters });

			const sent = await sandbox.documents();
			expect(passed.status).toBe('success');
			expect(sent).toContain(sha256(second));
			expect(await sandbox.billed()).toBe(1 + 2);
		},
	);

	it('finds what is paid though n8n has moved an uploaded file since', async () => {
		const uploads = [picture(), picture()];
		const items = uploads.map((content) => ({ files: { data: { content } } }));
		await sandbox.refuse(uploads[1]);
		const setup = { binaryMode: 'filesystem', parameters: oneByOne } as const;

		const failed = await run({ ...setup, items });
		await moveFiles(failed);
		const passed = await run({ ...setup, retryOf: failed });

		expect(passed.status).toBe('success');
		expect(await sandbox.statuses()).toEqual([200, 400, 200]);
	});

	it('never shares a link between two rounds of a loop', async () => {
		await refuseLink(1);
		const parameters = { ...LINK, customData: 'the same for all' };

		const failed = await run({ items: [{}], laterItems: [[{}], [{}]], parameters });
		const passed = await run({ retryOf: failed, parameters });

		const references = passed.runs.map(([items]) => items?.[0]?.json.reference);
		expect(passed.status).toBe('success');
		expect(new Set(references).size).toBe(3);
		expect(await sandbox.billed()).toBe(3);
	});

	it('repeats what may have been charged once for each execution that a person starts', async () => {
		for (let time = 0; time < 2; time++) await sandbox.fault({ on: 'scan', kind: 'truncated' });
		const settings = retryOnFail(3);

		const failed = await run({ settings });
		const again = await run({ retryOf: failed, settings });
		const sentThen = (await sandbox.requests()).length;
		const passed = await run({ retryOf: again, settings });

		expect(failureOf(again).message).toMatch(
			/may have been processed and charged for "document\.jpg" \[item 0\]/,
		);
		expect(sentThen).toBe(2);
		expect(passed.status).toBe('success');
		expect(await sandbox.requests()).toHaveLength(3);
	});
});

describe('what n8n stores of paid outcomes', () => {
	const failWith = async (options: ActionOptions) => {
		const { items, images } = documentItems(2);
		await sandbox.refuse(images[1]);
		return await run({ items, ...options, parameters: { ...oneByOne, ...options.parameters } });
	};

	it('is nothing when the node succeeds, also after a retry', async () => {
		const failed = await failWith({});
		const passed = await run({ retryOf: failed, parameters: oneByOne });

		expect(storedOutcomes(failed)).toMatch(/paidRequests.*transactionId/);
		expect(storedOutcomes(passed)).not.toContain('paidRequests');
		expect(storedOutcomes(await run())).not.toContain('paidRequests');
	});

	// n8n takes a first item with an error for a failure, and runs the node again if it's set to
	// retry.
	it.each<[object, NodeSettings]>([
		[{}, RETRY_ON_FAIL],
		[{ error: false }, RETRY_ON_FAIL],
		[{ error: 'X' }, {}],
	])('is nothing when a Raw result ends the node: %j with %j', async (changes, settings) => {
		const { url } = await listenJson(() => ({ body: { ...fixture('scan-accept'), ...changes } }));

		const passed = await run({
			parameters: { output: 'raw' },
			credential: { baseUrl: url },
			settings,
		});

		expect(passed.status).toBe('success');
		expect(storedOutcomes(passed)).not.toContain('paidRequests');
	});

	it('is nothing of downloads, which are free', async () => {
		const fileUrl = `${sandbox.filesUrl}/files/large?bytes=9`;
		await sandbox.fault({ on: 'files', kind: 'serverError', skip: 1 });

		const failed = await run(downloadsOf(2, fileUrl, { parameters: oneByOne }));

		expect(failed.status).toBe('error');
		expect(storedOutcomes(failed)).not.toContain('paidRequests');
	});

	it('is no more than Output returns', async () => {
		const person = { data: { fullName: [{ value: 'ALEX SPECIMEN' }] } };
		let asked = 0;
		const server = await listenJson(() =>
			asked++ % 2 === 0
				? { body: fixture('scan-accept', person) }
				: { status: 400, body: { message: 'no' } },
		);
		const credential = { baseUrl: server.url };

		const simplified = await failWith({ credential });
		const decisionOnly = await failWith({ credential, parameters: { output: 'decisionOnly' } });

		expect(storedOutcomes(simplified)).toContain('ALEX SPECIMEN');
		expect(storedOutcomes(decisionOnly)).toContain('accept');
		expect(storedOutcomes(decisionOnly)).not.toContain('ALEX SPECIMEN');
	});

	it('holds no key, no image, and no hash of the key', async () => {
		const failed = await failWith({ binaryMode: 'default' });

		const outcomes = storedOutcomes(failed);
		expect(outcomes).not.toContain(sandbox.apiKey);
		expect(outcomes).not.toContain(sha256(Buffer.from(sandbox.apiKey)));
		expect(outcomes.length).toBeLessThan(10_000);
	});
});

describe('an expression that gives something else each time', () => {
	const values = [
		'{{ $itemIndex }} {{ $now.toMillis() }}',
		'{{ $execution.id }}',
		'{{ Math.random() }}',
	];

	it.each(values)('pays nothing again in Retry: %s', async (value) => {
		await refuseLink(4);
		const parameters = { ...LINK, ...oneByOne, customData: `=${value}` };

		const failed = await run({ items: [{}, {}, {}, {}, {}], parameters });
		const passed = await run({ retryOf: failed, parameters });

		expect(passed.status).toBe('success');
		expect(await sandbox.billed()).toBe(5);
	});

	it('repeats nothing that may have been charged in Retry On Fail', async () => {
		await sandbox.fault({ on: 'scan', kind: 'broken' });

		const result = await run({
			parameters: { options: { additionalRequestFields: '={{ { requestId: Math.random() } }}' } },
			settings: RETRY_ON_FAIL,
		});

		expect(result.status).toBe('error');
		expect(await sandbox.requests()).toHaveLength(1);
	});
});

describe('a second try that can only fail', () => {
	const settings = retryOnFail(2);
	const parameters = {
		options: { ...oneByOne.options, additionalRequestFields: '={{ $vars.fields }}' },
	};

	/**
	 * A service that answers with these, one after the other, and makes the fields no JSON at the
	 * last.
	 */
	async function serviceThatSpoilsFields(answers: { status?: number; body: object }[]) {
		const variables = { fields: '{}' };
		const server = await listenJson(() => {
			const answer = answers.shift() ?? { status: 500, body: {} };
			if (answers.length === 0) variables.fields = '{';
			return answer;
		});
		return { variables, credential: { baseUrl: server.url } };
	}

	it('still says what may have been charged in the first', async () => {
		const service = await serviceThatSpoilsFields([{ status: 500, body: {} }]);

		const { message, description } = failureOf(await run({ ...service, parameters, settings }));

		expect(service.variables.fields).toBe('{');
		expect(message).toMatch(
			/status 500\. The request may have been.* charged for "document\.jpg" \[item 0\]$/,
		);
		expect(description).not.toMatch(/Nothing was sent/);
	});

	it('does not call items failed or unpaid that the first has paid for', async () => {
		const { items } = documentItems(3);
		const scanned = { body: fixture('scan-accept') };
		const service = await serviceThatSpoilsFields([scanned, scanned, { status: 400, body: {} }]);

		const result = await run({ ...service, items, parameters, settings });

		const { itemIndex, message, description } = failureOf(result);
		expect(itemIndex).toBe(2);
		expect(message).toMatch(/not a JSON object/);
		expect(description).toMatch(/2 items are done and paid for\./);
		expect(description).not.toMatch(/failed, too/);
	});
});

describe('what is paid is kept', () => {
	it.each<NodeSettings>([{}, CONTINUE])(
		'and mentioned when a later request for the item may have been charged, with %j',
		async (settings) => {
			await sandbox.setProfile('other', {});
			const { items, images } = documentItems(2);
			await sandbox.refuse(images[1]);
			const failed = await run({ items, parameters: oneByOne });
			const [, transaction = ''] = /"transactionId":"([\w-]+)"/.exec(storedOutcomes(failed)) ?? [];
			await sandbox.fault({ on: 'scan', kind: 'broken' });
			const parameters = { ...oneByOne, profile: 'other' };

			const again = await run({ retryOf: failed, parameters, settings });

			expect(transaction).not.toBe('');
			expect(storedOutcomes(again)).toContain(transaction);
			const { message, description } = again.error ?? again.outputs[0]?.[0]?.error ?? {};
			expect(message).toMatch(/may have been processed and charged/);
			expect(description).toMatch(/An earlier execution has paid/);
		},
	);
});

describe('a retry of an execution that had paid', () => {
	/** Items of which the last one is refused, after the others are paid. */
	async function failAtLast(count: number, options: ActionOptions = {}) {
		const { items, images } = documentItems(count);
		await sandbox.refuse(images.at(-1));
		const failed = await run({ items, parameters: oneByOne, ...options });
		return { failed, images };
	}

	it('asks again for a profile that was corrected in a variable', async () => {
		await sandbox.setProfile('right', {});
		const parameters = { ...oneByOne, profile: '={{ $vars.profile }}' };
		const { failed } = await failAtLast(2, {
			parameters,
			variables: { profile: 'sandbox-accept' },
		});

		const passed = await run({ retryOf: failed, parameters, variables: { profile: 'right' } });

		expect(profileIds(jsonOf(passed))).toEqual(['right', 'right']);
	});

	it('asks again for a contract that was corrected in a variable', async () => {
		const link = { operation: 'createHostedLink', mode: 3, contractSign: '={{ $vars.contract }}' };
		const parameters = { ...oneByOne, ...link };
		await sandbox.fault({ on: 'hosted', kind: 'status', status: 402, skip: 1 });
		const items = [{}, {}];
		const failed = await run({ items, parameters, variables: { contract: 'wrong' } });

		await run({ retryOf: failed, parameters, variables: { contract: 'right' } });

		expect(await sandbox.statuses()).toEqual([200, 402, 200, 200]);
	});

	it.each([
		['the stored image is gone', { chunksOf: () => [] }],
		[
			'the credential cannot be read',
			{ credentialFailure: { failure: new Error('The database is away') } },
		],
		[
			'the credential is gone',
			{ credentialFailure: { failure: new NodeOperationError({} as INode, 'No credential') } },
		],
	] as [string, ActionOptions][])('loses nothing with Continue when %s', async (_, broken) => {
		const { failed } = await failAtLast(2, { binaryMode: 's3' });
		const [, transaction = ''] = /"transactionId":"([\w-]+)"/.exec(storedOutcomes(failed)) ?? [];

		const settings = CONTINUE;
		const again = await run({ binaryMode: 's3', retryOf: failed, settings, ...broken });

		expect(transaction).not.toBe('');
		expect(storedOutcomes(again)).toContain(transaction);
		expect(again.outputs[0]?.[0]?.error?.description).toMatch(
			/(^|\. )An earlier execution has paid for the item, or may have been charged\.$/,
		);
	});

	it('says what was paid earlier when it fails before it knows the request', async () => {
		const { failed } = await failAtLast(3);

		const { description } = failureOf(
			await run({
				retryOf: failed,
				credentialFailure: { failure: new Error('The database is away') },
			}),
		);

		expect(description).toMatch(/An earlier execution has paid.* this one didn't return\.$/);
	});

	it('says what may have been charged earlier, and claims only what is true of itself', async () => {
		const { items, images } = documentItems(4);
		await sandbox.faultOn(images[1], { kind: 'broken' });
		const failed = await run({ items, parameters: oneByOne });
		await sandbox.refuse(images[1]);

		const { message, description } = failureOf(
			await run({ retryOf: failed, parameters: oneByOne }),
		);

		expect(message).toMatch(/status 400.*\[item 1\]$/);
		expect(description).toMatch(/1 item is done and paid for\./);
		expect(description).toMatch(/2 other items were not processed in this execution\./);
		expect(description).toMatch(
			/An earlier execution has paid, or may have been charged, for items that this one didn't return\.$/,
		);
	});
});

it('asks again for changed Additional Request Fields, whatever their names', async () => {
	const { items, images } = documentItems(2);
	await sandbox.refuse(images[1]);
	const parameters = (output: string) => ({
		options: { ...oneByOne.options, additionalRequestFields: JSON.stringify({ output }) },
	});

	const failed = await run({ items, parameters: parameters('a') });
	await run({ retryOf: failed, parameters: parameters('b') });

	expect(await sandbox.billed()).toBe(1 + 2);
});
