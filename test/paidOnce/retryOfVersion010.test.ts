import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { NodeRun } from '../kit/engine';
import { actionRunner, jsonOf } from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import { useSandbox } from '../kit/service/sandbox';

// Failed executions are retried after an update: what version 0.1.0 has stored in n8n has to be
// found by each later one.

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

// The image is too small to be sent otherwise.
const OPTIONS: INodeParameters = { maxParallelRequests: 1, sendOtherFileTypes: true };
const SCAN_PARAMETERS: INodeParameters = { options: OPTIONS };
const LINK: INodeParameters = {
	operation: 'createHostedLink',
	mode: 2,
	customData: 'applicant-1',
	options: OPTIONS,
};

/** Always the same image, because the stored outcome is found by it. */
function itemWith(lastByte: string) {
	const content = Buffer.from(`ffd8ffda0008010100003f00${lastByte}ffd9`, 'hex');
	return { files: { data: { content }, face: { content } } };
}

/** The node's context, as it is stored with a failed execution that has paid for its first item. */
function stored(
	fingerprint: string,
	json: IDataObject,
	{ baseUrl = sandbox.url, branch }: { baseUrl?: string; branch?: string } = {},
): IDataObject {
	const done = { item: { json, pairedItem: { item: 0 } }, hints: [], branch };
	const paid = { kind: 'paid', executionId: '17', baseUrl, done };
	return { paidRequests: { '0:0': { [fingerprint]: paid } } };
}

/** Execution 17, which fails at its second item, with this context of the node. */
async function failAtSecond(setup: ActionOptions, context: IDataObject): Promise<NodeRun> {
	await sandbox.fault({ on: 'scan', kind: 'status', status: 402, skip: 1 });
	await sandbox.fault({ on: 'hosted', kind: 'status', status: 402, skip: 1 });
	const items = ['01', '02'].map(itemWith);
	const failed = await run({ ...setup, items, executionId: '17' });
	const { executionData } = failed.stored;
	if (!executionData) throw new Error('n8n stored nothing to run again.');
	executionData.contextData = { 'node:Node Under Test': context };
	return failed;
}

it('Retry sends nothing to another address than the one at which version 0.1.0 has paid', async () => {
	const paidElsewhere = stored(
		'paid',
		{ transactionId: 'paid' },
		{ baseUrl: 'https://before.example.com' },
	);
	const failed = await failAtSecond({ parameters: SCAN_PARAMETERS }, paidElsewhere);

	const { error } = await run({ parameters: SCAN_PARAMETERS, retryOf: failed });

	expect(error?.message).toMatch(
		/^This item is already paid for \(paid\), at an address other than/,
	);
	expect(error?.message).not.toContain('may have been');
	expect(error?.description).toContain('https://before.example.com,');
	expect(await sandbox.statuses()).toEqual([200, 402]);
});

it('Retry sends once more what may have been charged in version 0.1.0', async () => {
	const failure = { message: 'No answer from the service', description: 'Look it up first.' };
	const request = { kind: 'possiblyCharged', executionId: '17', baseUrl: sandbox.url, failure };
	const failed = await failAtSecond(
		{ parameters: SCAN_PARAMETERS },
		{ paidRequests: { '0:0': { sent: request } } },
	);

	const retried = await run({ parameters: SCAN_PARAMETERS, retryOf: failed });

	expect(retried.status).toBe('success');
	expect(await sandbox.statuses()).toEqual([200, 402, 200, 200]);
});

it('what version 0.1.0 stores is what this version stores', async () => {
	const node = 'node:Node Under Test';
	const items = ['01', '02'].map(itemWith);
	await sandbox.fault({ on: 'scan', kind: 'broken', skip: 1 });

	const { stored: execution } = await run({
		parameters: SCAN_PARAMETERS,
		items,
		executionId: '17',
	});

	const fingerprint = expect.stringMatching(/^[\w-]{43}$/) as string;
	const { paidRequests } = execution.executionData?.contextData[node] ?? {};
	const requests = Object.values(paidRequests as object).flatMap((each: object) =>
		Object.entries(each),
	);
	const sent = { executionId: '17', baseUrl: sandbox.url };
	expect(Object.keys(paidRequests as object)).toEqual(['0:0', '0:1']);
	expect(requests).toEqual([
		[
			fingerprint,
			{
				...sent,
				kind: 'paid',
				done: {
					item: {
						json: expect.objectContaining({ decision: 'accept' }) as object,
						pairedItem: { item: 0 },
					},
					hints: [],
					branch: 'accept',
				},
			},
		],
		[
			fingerprint,
			{
				...sent,
				kind: 'possiblyCharged',
				failure: {
					message: expect.stringContaining('No answer from the service') as string,
					description: expect.any(String) as string,
				},
			},
		],
	]);
});

const PAID: [string, INodeParameters, string, IDataObject][] = [
	[
		'scan',
		SCAN_PARAMETERS,
		'CKhRter40Lf-FgWQQ-ZL2D10lRwfih0oHOwpPvlK_oA',
		{ transactionId: 'paid' },
	],
	[
		'link',
		LINK,
		'iOkSRoD3H5JFKWpQ7w5vWnFeEMcDRRlXLDFFqESeoms',
		{ reference: 'paid', url: 'https://verify.example.com/paid' },
	],
];

it.each(PAID)(
	'Retry pays for no %s that version 0.1.0 has paid',
	async (_, parameters, fingerprint, json) => {
		const setup = { parameters, credentialId: 'credential-1' };
		const failed = await failAtSecond(setup, stored(fingerprint, json));

		const retried = await run({ ...setup, retryOf: failed });

		expect(jsonOf(retried)).toEqual([json, expect.not.objectContaining(json)]);
		expect((await sandbox.statuses()).sort()).toEqual([200, 200, 402]);
	},
);

// n8n leaves the option out of a saved workflow, but not out of one that it stored with an execution.
it.each(PAID)(
	'Retry pays for no %s that version 0.1.0 has paid with an option that is gone',
	async (_, parameters, fingerprint, json) => {
		const setup = { parameters, credentialId: 'credential-1' };
		const failed = await failAtSecond(setup, stored(fingerprint, json));
		for (const { node } of failed.stored.executionData?.nodeExecutionStack ?? []) {
			node.parameters.options = { ...OPTIONS, repeatAfterServerErrors: true };
		}

		for (const isOriginalWorkflow of [true, false]) {
			const retried = await run({ ...setup, retryOf: failed, isOriginalWorkflow });

			expect(jsonOf(retried)).toEqual([json, expect.not.objectContaining(json)]);
		}
		expect((await sandbox.statuses()).sort()).toEqual([200, 200, 200, 402]);
	},
);

it.each([
	['reject', 2],
	['accept', 1],
	// A result that was stored without its branch, whatever its item says.
	[undefined, 0],
])(
	'Retry returns what is paid on the output that was stored with it: %s',
	async (branch, output) => {
		const parameters = { ...SCAN_PARAMETERS, branchOnDecision: true };
		const setup = { parameters, credentialId: 'credential-1' };
		const fingerprint = 'CKhRter40Lf-FgWQQ-ZL2D10lRwfih0oHOwpPvlK_oA';
		const json = { decision: 'accept', transactionId: 'paid' };
		const failed = await failAtSecond(setup, stored(fingerprint, json, { branch }));

		const { outputs } = await run({ ...setup, retryOf: failed });

		const found = outputs.findIndex((items) =>
			items.some((item) => item.json.transactionId === 'paid'),
		);
		expect(found).toBe(output);
	},
);
