import { BinaryDataService } from 'n8n-core';
import { NodeOperationError } from 'n8n-workflow';
import type { INode, NodeApiError } from 'n8n-workflow';

import { Container } from '../kit/engine/container';
import { fixture } from '../kit/data/fixtures';
import { listenJson } from '../kit/service/httpServer';
import { sha256, useSandbox } from '../kit/service/sandbox';
import { picture } from '../kit/data/picture';
import { actionRunner, documentItems, downloadsOf, failureOf, jsonOf } from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import type { NodeRun, NodeSettings } from '../kit/engine';
import { CONTINUE, retryOnFail } from '../kit/settings';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

const LINK = { operation: 'createHostedLink', mode: 1 };
const oneByOne = { options: { maxParallelRequests: 1 } };
const RETRY_ON_FAIL = retryOnFail(3);

/** What is said of an item that only an earlier execution has paid, or may have been charged, for. */
const EARLIER_CHARGE =
	/An earlier request of this node may have been processed and charged \(charge: possible\)( \[item \d+\])?$/;

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

/** Refuses the request for a link after so many others. */
const refuseLink = async (skip: number) =>
	await sandbox.fault({ on: 'hosted', kind: 'status', status: 400, skip });

const transactionsOf = (result: NodeRun) =>
	jsonOf(result).map(({ transactionId }) => transactionId);

/** What n8n stores of the outcomes in the node's context. */
const storedOutcomes = ({ stored }: NodeRun) =>
	JSON.stringify(stored.executionData?.contextData ?? {});

describe('of two items, of which the first is paid and the second refused, Retry sends', () => {
	const file = () => ({ content: picture() });

	/** The statuses of all requests: two of the failed execution, then those of its Retry. */
	async function statusesOf(first: ActionOptions, second: ActionOptions) {
		const items = [1, 2].map(() => ({ files: { data: file(), other: file() } }));
		await sandbox.setProfile('other', {});
		const refusal = { kind: 'status', status: 400, skip: 1 } as const;
		await sandbox.fault({ on: 'scan', ...refusal });
		await sandbox.fault({ on: 'hosted', ...refusal });
		const together = {
			...first,
			...second,
			parameters: { ...oneByOne, ...first.parameters, ...second.parameters },
		};

		const failed = await run({ items, ...first, parameters: { ...oneByOne, ...first.parameters } });
		const passed = await run({ ...together, retryOf: failed });

		expect(failed.status).toBe('error');
		expect(jsonOf(passed)).toHaveLength(2);
		return await sandbox.statuses();
	}

	const inVariable = (name: string, value: string): ActionOptions => ({
		parameters: { [name]: '={{ $vars.value }}' },
		variables: { value },
	});
	const fields = (value: string): ActionOptions => ({
		parameters: {
			options: { ...oneByOne.options, additionalRequestFields: `{ "output": "${value}" }` },
		},
	});
	const contract = (value: string): ActionOptions => {
		const { parameters, variables } = inVariable('contractSign', value);
		return { parameters: { ...LINK, mode: 3, ...parameters }, variables };
	};
	const image = (binaryMode: ActionOptions['binaryMode']): ActionOptions => ({
		...inVariable('documentBinaryField', 'data'),
		binaryMode,
	});
	const other = { variables: { value: 'other' } };
	const changing = (customData: string): ActionOptions => ({ parameters: { ...LINK, customData } });

	it.each<[string, ActionOptions, ActionOptions]>([
		['profile', {}, { parameters: { profile: 'other' } }],
		[
			'profile in a variable',
			inVariable('profile', 'sandbox-accept'),
			inVariable('profile', 'other'),
		],
		['credential', {}, { credentialId: 'another' }],
		['image in memory', image('default'), other],
		['image that n8n stores', image('filesystem'), other],
		[
			'face in a variable',
			{
				parameters: { faceSource: 'binary', faceBinaryField: '={{ $vars.value }}' },
				variables: { value: 'data' },
			},
			other,
		],
		['contract in a variable', contract('wrong'), contract('right')],
		['value of an additional request field', fields('a'), fields('b')],
	])('both with another %s', async (_, first, second) => {
		expect(await statusesOf(first, second)).toEqual([200, 400, 200, 200]);
	});

	it.each<[string, ActionOptions, () => ActionOptions]>([
		[
			'other options of how it is sent',
			{},
			() => ({
				parameters: { options: { timeout: 240, maxParallelRequests: 1, maxRateLimitWait: 60 } },
			}),
		],
		[
			'another Branch on Decision',
			{ parameters: { branchOnDecision: true } },
			() => ({ parameters: { branchOnDecision: false } }),
		],
		[
			'the same address, written in another way',
			{},
			() => ({ credential: { baseUrl: `${sandbox.url.replace('http', 'HTTP')}//` } }),
		],
		['the time in an expression', changing('={{ $itemIndex }} {{ $now.toMillis() }}'), () => ({})],
	])('only the second with %s', async (_, first, second) => {
		expect(await statusesOf(first, second())).toEqual([200, 400, 200]);
	});
});

describe('Retry of a failed execution', () => {
	it('pays 10 scans for 10 items, and puts each result at its item', async () => {
		const { items, images } = documentItems(10);
		await sandbox.refuse(images[6]);

		const failed = await run({ items });
		const paidBefore = await sandbox.billed();
		const passed = await run({ retryOf: failed });

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

		const failed = await run({ items: [{}, {}, {}], parameters });
		const passed = await run({ retryOf: failed, parameters });

		expect(failed.status).toBe('error');
		expect(await sandbox.billed()).toBe(3);
		expect(new Set(jsonOf(passed).map(({ reference }) => reference)).size).toBe(3);
		const codes = passed.outputs[0]?.map(({ files }) => files.qr?.content) ?? [];
		expect(codes.map((code) => code?.subarray(1, 4).toString())).toEqual(['PNG', 'PNG', 'PNG']);
		expect(new Set(codes.map((code) => code && sha256(code))).size).toBe(3);
	});

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
			/may have been processed and charged for "document\.jpg" \(charge: possible\) \[item 0\]/,
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

describe('an item for which an earlier execution has paid', () => {
	/** The first item is paid, and the second refused. */
	async function failAtSecond(options: ActionOptions = {}) {
		const { items, images } = documentItems(2);
		await sandbox.refuse(images[1]);
		return await run({ items, parameters: oneByOne, ...options });
	}

	const wrong = (parameters: ActionOptions['parameters']) => ({ parameters });
	const unreadable = (failure: Error) => ({ credentialFailure: { failure } });

	it.each<[string, ActionOptions]>([
		['its Base URL is wrong', { credential: { baseUrl: 'nonsense' } }],
		['its credential is gone', unreadable(new NodeOperationError({} as INode, 'No credential'))],
		['its stored image is gone', { chunksOf: () => [] }],
		['an option is not valid', wrong({ options: { timeout: 0 } })],
		['the outputs of the node are an expression', wrong({ branchOnDecision: '={{ true }}' })],
	])('is kept, and its error says so, when %s', async (_, broken) => {
		const failed = await failAtSecond({ binaryMode: 's3' });
		const [, transaction = ''] = /"transactionId":"([\w-]+)"/.exec(storedOutcomes(failed)) ?? [];
		const retry = { binaryMode: 's3', retryOf: failed, ...broken } as const;

		const stopped = await run(retry);
		const continued = await run({ ...retry, settings: CONTINUE });

		expect(transaction).not.toBe('');
		expect(failureOf(stopped).message).toMatch(EARLIER_CHARGE);
		// By a cause, n8n could send the item again.
		expect(stopped.error).toMatchObject({ failure: undefined });
		const [first, second] = continued.outputs[0] ?? [];
		expect(first?.error?.message).toMatch(EARLIER_CHARGE);
		expect((first?.error as NodeApiError).failure).toBeUndefined();
		expect(second?.error?.message).toMatch(
			/Nothing was charged( for "document\.jpg")? \(charge: none\)( \[item \d\])?$/,
		);
		for (const result of [stopped, continued]) {
			expect(storedOutcomes(result)).toContain(transaction);
		}
	});

	it('is kept, and its error says so, when another request for it may have been charged', async () => {
		await sandbox.setProfile('other', {});
		const failed = await failAtSecond();
		const [, transaction = ''] = /"transactionId":"([\w-]+)"/.exec(storedOutcomes(failed)) ?? [];
		await sandbox.fault({ on: 'scan', kind: 'broken' });

		const again = await run({ retryOf: failed, parameters: { ...oneByOne, profile: 'other' } });

		expect(transaction).not.toBe('');
		expect(storedOutcomes(again)).toContain(transaction);
		const { message } = failureOf(again);
		expect(message).toMatch(/^No answer.*charged for "document.jpg"\. An earlier request/);
		expect(message).toMatch(EARLIER_CHARGE);
	});

	it('is kept, and the error of another item does not claim its payment', async () => {
		const failed = await failAtSecond();

		const again = await run({
			retryOf: failed,
			parameters: { ...oneByOne, profile: "={{ $itemIndex === 0 ? 'other' : '' }}" },
		});

		const { message } = failureOf(again);
		expect(message).toMatch(/'Profile' is empty.*\. An earlier .*\(charge: possible\) \[item 1\]$/);
		expect(message).toMatch(EARLIER_CHARGE);
	});

	it('says nothing of what an earlier execution paid for an item that is paid again', async () => {
		const { items, images } = documentItems(2);
		await sandbox.refuse(images[1]);
		await sandbox.refuse(images[1]);
		await sandbox.setProfile('other', {});
		const failed = await run({ items, parameters: oneByOne });

		const again = await run({ retryOf: failed, parameters: { ...oneByOne, profile: 'other' } });

		expect(failureOf(again).description).toMatch(/1 item is done and paid for \([^)]+\)\./);
		expect(failureOf(again).message).not.toMatch(/earlier/);
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
					/status 402.*Nothing was charged.*An earlier request .* charged \(charge: possible\) \[item 0\]$/,
				),
			},
		]);
	});

	it('says what may have been charged earlier, and claims only what is true of itself', async () => {
		const { items, images } = documentItems(4);
		await sandbox.faultOn(images[1], { kind: 'broken' });
		const failed = await run({ items, parameters: oneByOne });
		await sandbox.refuse(images[1]);

		const { message, description } = failureOf(
			await run({ retryOf: failed, parameters: oneByOne }),
		);

		expect(message).toMatch(/status 400.*Nothing was charged.*\[item 1\]$/);
		expect(message).toMatch(EARLIER_CHARGE);
		expect(description).toMatch(/1 item is done and paid for \([^)]+\)\./);
		expect(description).toMatch(/2 other items were not processed in this execution\./);
	});
});
