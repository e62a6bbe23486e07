import type { IDataObject, IRun } from 'n8n-workflow';

import linkSchema from '../../nodes/IdentityVerification/__schema__/v1.0.0/verification/createHostedLink.json';
import { IdentityVerification } from '../../nodes/IdentityVerification/IdentityVerification.node';
import { openAddress, splitAddress } from '../../nodes/IdentityVerification/delivery/address';
import type { AddressedValue } from '../../nodes/IdentityVerification/delivery/address';
import { runFlow } from '../kit/engine';
import type { Flow, FlowNode } from '../kit/engine';
import { sandboxCredential } from '../kit/engine/action';
import { listenToEnd } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { CONTINUE, WEBHOOK_SECRET } from '../kit/settings';

// How an execution gets to wait. What comes after that needs a whole n8n: test/e2e/waitForResult/.

const sandbox = useSandbox();

const WEAK_SECRET = /^Wait for Result needs a 'Webhook Secret' of 20 or more random characters/;
const CREATE = 'Create Hosted Link';
const WAIT = 'Wait for Result';
const BRANCHES = ['No Result', 'Review', 'Accept', 'Reject'];
const PROFILE = 'sandbox-onboarding';
const BEHIND = BRANCHES.map((name, output): [string, string, number] => [WAIT, name, output]);
const DAY_MS = 24 * 3_600_000;

interface Options extends Partial<Flow> {
	wait?: FlowNode['parameters'];
	waitSettings?: FlowNode['settings'];
	/** ID of the credential of the Wait for Result, if it isn't that of the link. */
	waitCredential?: string;
	webhookSecret?: string;
	/** Names of nodes between the link and the waiting. */
	between?: string[];
}

/** Creates a link, and waits for its result. */
async function run(options: Options = {}): Promise<IRun> {
	const { wait, waitSettings, waitCredential, ...others } = options;
	const { webhookSecret = WEBHOOK_SECRET, between = [], ...rest } = others;
	const { nodes, ...flow } = rest;
	const way = [CREATE, ...between, WAIT];
	return await runFlow({
		node: new IdentityVerification(),
		credential: sandboxCredential(sandbox, { webhookSecret }),
		nodes: {
			[CREATE]: {
				parameters: {
					operation: 'createHostedLink',
					profile: PROFILE,
					mode: 0,
					customData: '={{ $json.id }}',
				},
			},
			...Object.fromEntries(between.map((name) => [name, {}])),
			[WAIT]: {
				parameters: { operation: 'waitForResult', ...wait },
				settings: waitSettings,
				credentialId: waitCredential,
			},
			...Object.fromEntries(BRANCHES.map((name) => [name, {}])),
			...nodes,
		},
		connections: [
			['Start', CREATE],
			...way.slice(1).map((to, index): [string, string] => [way[index] ?? '', to]),
			...BEHIND,
		],
		items: [{ id: 'applicant-1' }],
		...flow,
	});
}

/** The items that arrived at each branch that ran. */
function branchesOf({ data }: IRun): Record<string, IDataObject[]> {
	const { runData } = data.resultData;
	const ran = BRANCHES.filter((name) => name in runData);
	const itemsOf = (name: string) =>
		(runData[name] ?? []).flatMap((run) => run.data?.main?.[0] ?? []);
	return Object.fromEntries(ran.map((name) => [name, itemsOf(name).map(({ json }) => json)]));
}

const messageOf = ({ data }: IRun) => data.resultData.error?.message ?? '';

/** What to do, which comes before what an error always says. */
const adviceOf = ({ data }: IRun) =>
	String(data.resultData.error?.description).replace(
		/ ?A link that was created stays valid.*/s,
		'',
	);

/** The node that waits, and the item with which it goes on when the time is over. */
const waitingAt = ({ data }: IRun) => data.executionData?.nodeExecutionStack[0];

/**
 * As n8n leaves it when a result was taken and the execution is then interrupted: the node is
 * switched on again.
 */
function withResult({ data }: IRun, outputs: IDataObject[][]): IRun['data'] {
	const stacked = waitingAt({ data } as IRun);
	if (!stacked) throw new Error('Nothing waits');
	stacked.data.main = outputs.map((items) =>
		items.map((json) => ({ json, pairedItem: { item: 0 } })),
	);
	stacked.metadata = { forwardAllOutputs: true };
	return { ...data, waitTill: undefined };
}

async function onlyLink() {
	const { links } = await sandbox.state();
	expect(links).toHaveLength(1);
	return links[0];
}

describe('an execution waits', () => {
	it('for the result of its link, and goes on at No Result when the time is over', async () => {
		const waiting = await run({ executionId: '17' });
		const link = await onlyLink();

		expect(waiting.status).toBe('waiting');
		expect(link?.customData).toMatch(/^applicant-1\.w1\.[\w-]{126,}$/);
		const awaited = splitAddress(link?.customData) as AddressedValue;
		expect(openAddress(WEBHOOK_SECRET, PROFILE, awaited)).toMatchObject({ executionId: '17' });
		const { reference, url } = link ?? {};
		const [created] = waiting.data.resultData.runData[CREATE] ?? [];
		// Executions that were interrupted before they waited keep this item.
		const createdItem = created?.data?.main?.[0]?.[0]?.json ?? {};
		expect(createdItem).toMatchObject({
			...{ reference, url, customData: 'applicant-1' },
			...{ awaitedBy: '17', createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) },
		});
		// The editor offers these fields for mapping before there is a link.
		const offered = Object.keys(linkSchema.properties);
		expect(offered.sort()).toEqual([...Object.keys(createdItem), 'unreadable'].sort());
		const item = { decision: null, customData: 'applicant-1', reference, url };
		expect(waitingAt(waiting)?.data.main).toEqual([[{ json: item, pairedItem: { item: 0 } }]]);
		const over = await run({ executionId: '17', data: waiting.data });
		expect(over.status).toBe('success');
		expect(branchesOf(over)).toEqual({ 'No Result': [item] });
	});

	it.each([
		[{}, 7 * DAY_MS],
		[{ waitUpTo: 0.5, waitUnit: 'minutes' }, 30_000],
		[{ waitUpTo: 3, waitUnit: 'hours' }, 3 * 3_600_000],
		[{ waitUpTo: '2', waitUnit: 'days' }, 2 * DAY_MS],
	])('as long as it says: %j', async (wait, ms) => {
		const before = Date.now();
		const { waitTill } = await run({ wait });

		const till = Number(waitTill);
		expect(till).toBeGreaterThanOrEqual(before + ms);
		expect(till).toBeLessThanOrEqual(Date.now() + ms);
	});

	it('until a year of four digits, which is all that the database of n8n compares', async () => {
		const { waitTill } = await run({ wait: { waitUpTo: 3_000_000, waitUnit: 'days' } });

		expect(waitTill?.toISOString()).toBe('9999-01-01T00:00:00.000Z');
	});

	it('for the newest of several links', async () => {
		const second = { parameters: { operation: 'createHostedLink', profile: PROFILE, mode: 0 } };
		const waiting = await run({ between: ['Second'], nodes: { Second: second } });

		const [, newest] = (await sandbox.state()).links;
		expect(waitingAt(waiting)?.data.main?.[0]?.[0]?.json.reference).toBe(newest?.reference);
	});

	it('for the second link of a loop, when the first one has its result', async () => {
		const loop: Partial<Flow> = {
			executionId: '17',
			connections: [
				['Start', CREATE],
				[CREATE, WAIT],
				[WAIT, CREATE, 1],
			],
		};
		const waiting = await run(loop);
		const { reference } = (await onlyLink()) ?? {};

		const again = await run({
			...loop,
			data: withResult(waiting, [
				[],
				[{ id: 'applicant-1', decision: 'review', reference }],
				[],
				[],
			]),
		});

		const [, second] = (await sandbox.state()).links;
		expect(again.status).toBe('waiting');
		expect(waitingAt(again)?.data.main?.[0]?.[0]?.json.reference).toBe(second?.reference);
	});

	it('also where another node that creates links has not run', async () => {
		const unused = { parameters: { operation: 'createHostedLink' } };
		const connections: Flow['connections'] = [
			['Start', CREATE],
			[CREATE, WAIT],
			['Unused', WAIT],
		];

		expect((await run({ nodes: { Unused: unused }, connections })).status).toBe('waiting');
	});

	it.each([
		['whose timeout is longer', { workflowSettings: { executionTimeout: 8 * 24 * 3_600 } }],
		['without a timeout', { workflowSettings: { executionTimeout: -1 } }],
		['that is a sub-workflow with nodes behind it', { mode: 'integrated' as const }],
		['with a secret that is just long enough', { webhookSecret: 'x'.repeat(20) }],
		['that n8n saves', { workflowSettings: { saveDataErrorExecution: 'all' as const } }],
	])('in a workflow %s', async (_, options) => {
		expect((await run(options)).status).toBe('waiting');
	});
});

describe('after an interruption', () => {
	const result = { decision: 'reject', customData: 'applicant-1' };

	it('Retry with the saved workflow goes on at the output of the result that was taken', async () => {
		const waiting = await run({ executionId: '17' });

		const retried = await run({
			executionId: '18',
			data: withResult(waiting, [[], [], [], [result]]),
		});

		expect(branchesOf(retried)).toEqual({ Reject: [result] });
	});

	it('an expression behind its decision reaches over the waiting', async () => {
		const customData = "={{ $('Start').item.json.id }} again";
		const parameters = { operation: 'createHostedLink', profile: PROFILE, mode: 0, customData };
		const nodes = { Reject: { parameters } };
		const waiting = await run({ executionId: '17', nodes });

		await run({ executionId: '18', nodes, data: withResult(waiting, [[], [], [], [result]]) });

		const [, second] = (await sandbox.state()).links;
		expect(second?.customData).toBe('applicant-1 again');
	});

	it('a second way to the node does not wait for a result that is there', async () => {
		const connections: Flow['connections'] = [
			['Start', CREATE],
			[CREATE, 'Mail'],
			[CREATE, 'Chat'],
			['Mail', WAIT],
			['Chat', WAIT],
			...BEHIND,
		];
		const paths = { connections, between: ['Mail', 'Chat'] };
		const waiting = await run({ ...paths, executionId: '17' });
		const { reference } = (await onlyLink()) ?? {};

		const retried = await run({
			...paths,
			executionId: '18',
			data: withResult(waiting, [[], [], [{ ...result, reference }], []]),
		});

		expect(retried.status).toBe('success');
		expect(branchesOf(retried)).toEqual({ Accept: [{ ...result, reference }] });
		const hints = retried.data.resultData.runData[WAIT]?.at(-1)?.hints ?? [];
		expect(hints.map(({ message }) => message)).toEqual([expect.stringMatching(/already arrived/)]);
	});

	it('Retry waits for no link of the execution before', async () => {
		const waiting = await run({ executionId: '17' });
		const data = { ...waiting.data, waitTill: undefined };

		const retried = await run({ executionId: '18', data });

		expect(messageOf(retried)).toMatch(/found no link that this execution created/);
		expect(messageOf(retried)).toContain('Nothing was charged for waiting');
	});
});

describe('a link is refused before it is paid', () => {
	it.each<[string, Options, RegExp]>([
		['without a webhook secret', { webhookSecret: '' }, WEAK_SECRET],
		['with a short one', { webhookSecret: 'x'.repeat(19) }, WEAK_SECRET],
		['with one that changes in a URL', { webhookSecret: `${'x'.repeat(20)}&` }, WEAK_SECRET],
		['for several items', { items: [{ id: 'a' }, { id: 'b' }] }, /accepts only one item at a time/],
		[
			'where Wait for Result has another credential',
			{ waitCredential: 'another' },
			/Wait for Result and Create Hosted Link have different credentials/,
		],
		[
			'where Wait for Result has Always Output Data',
			{ waitSettings: { alwaysOutputData: true } },
			/cannot run with 'Always Output Data'/,
		],
		['for no time', { wait: { waitUpTo: 0 } }, /'Wait Up To' of Wait for Result is not a number/],
		[
			'for an unknown time',
			{ wait: { waitUnit: 'years' } },
			/'Unit' of Wait for Result is not one of days, hours, minutes\./,
		],
		['with an unknown Output', { wait: { output: 'all' } }, /'Output' of Wait for Result/],
		[
			'with a field that does not exist',
			{ wait: { output: 'decisionAndFields', documentFields: ['age'] } },
			/'Fields' of Wait for Result is not one of .*fields\.age/,
		],
		[
			'where failed executions are not saved',
			{ workflowSettings: { saveDataErrorExecution: 'none' } },
			/needs a workflow that saves failed executions/,
		],
		[
			'in a workflow that times out at the same time',
			{ workflowSettings: { executionTimeout: 7 * 24 * 3_600 } },
			/timeout is too short/,
		],
		[
			'at the end of a sub-workflow',
			{
				mode: 'integrated',
				connections: [
					['Start', CREATE],
					[CREATE, WAIT],
				],
			},
			/cannot be the last node of a sub-workflow/,
		],
		['in an n8n before 2.39', { resumeToken: '' }, /needs n8n 2\.39 or newer/],
		[
			"in n8n's Execution Logic v2",
			{ workflowSettings: { binaryMode: 'combined' } },
			/Execution Logic v2 cannot wait for a result/,
		],
	])('%s', async (_, options, message) => {
		const result = await run(options);

		expect(result.status).toBe('error');
		expect(messageOf(result)).toMatch(message);
		expect(messageOf(result)).toMatch(/Nothing was charged/);
		expect(adviceOf(result)).toMatch(/^[A-Z]/);
		expect(await sandbox.billed()).toBe(0);
	});

	it.each<[string, FlowNode, Options, RegExp]>([
		[
			'takes too long together with the first',
			{},
			{ workflowSettings: { executionTimeout: 13 * 24 * 3_600 } },
			/timeout is too short/,
		],
		['has no time', { parameters: { waitUpTo: 0 } }, {}, /'Wait Up To' of Wait for Result/],
		['has an unknown unit', { parameters: { waitUnit: 'years' } }, {}, /'Unit' of Wait for Result/],
		['has an unknown Output', { parameters: { output: 'all' } }, {}, /'Output' of Wait for Result/],
		[
			'has a field that does not exist',
			{ parameters: { output: 'decisionAndFields', documentFields: ['age'] } },
			{},
			/'Fields' of Wait for Result/,
		],
		['has another credential', { credentialId: 'another' }, {}, /have different credentials/],
		[
			'has Always Output Data',
			{ settings: { alwaysOutputData: true } },
			{},
			/cannot run with 'Always Output Data'/,
		],
		['ends a sub-workflow', {}, { mode: 'integrated' }, /cannot be the last node/],
	])('for a second Wait for Result that %s', async (_, node, options, message) => {
		const again = { ...node, parameters: { operation: 'waitForResult', ...node.parameters } };
		const connections: Flow['connections'] = [
			['Start', CREATE],
			[CREATE, WAIT],
			[WAIT, 'Wait Again'],
		];

		const result = await run({ nodes: { 'Wait Again': again }, connections, ...options });

		expect(messageOf(result)).toMatch(message);
		expect(await sandbox.billed()).toBe(0);
	});

	it('but not because of a Wait for Result that is switched off', async () => {
		const result = await run({ webhookSecret: '', waitSettings: { disabled: true } });

		const { reference, customData } = (await onlyLink()) ?? {};
		expect(customData).toBe('applicant-1');
		expect(branchesOf(result)).toMatchObject({ 'No Result': [{ reference }] });
	});
});

describe('Wait for Result refuses to wait', () => {
	const straight: Flow['connections'] = [['Start', WAIT], ...BEHIND];

	it.each<[string, Options, RegExp]>([
		['for a link that nobody has created', {}, /found no link that this execution created/],
		['for several items', { items: [{}, {}] }, /accepts only one item at a time/],
		[
			'with Always Output Data',
			{ waitSettings: { alwaysOutputData: true } },
			/cannot run with 'Always Output Data'/,
		],
	])('%s', async (_, options, message) => {
		const result = await run({ connections: straight, ...options });

		expect(result.status).toBe('error');
		expect(messageOf(result)).toMatch(message);
		expect(messageOf(result)).toContain('Nothing was charged for waiting');
		expect(adviceOf(result)).toMatch(/^[A-Z]/);
	});

	it('with another credential than the one that created the link', async () => {
		const waiting = await run({ executionId: '17' });
		const data = { ...waiting.data, waitTill: undefined };
		const parameters = { operation: 'createHostedLink', profile: PROFILE, mode: 0 };
		const nodes = { [CREATE]: { parameters, credentialId: 'another' } };

		const again = await run({ executionId: '17', data, nodes });

		expect(messageOf(again)).toMatch(/have different credentials/);
		expect(adviceOf(again)).toMatch(/^Choose the same credential in both nodes/);
		expect(await sandbox.billed()).toBe(2);
	});

	it('for a link that could not be created', async () => {
		const parameters = { operation: 'createHostedLink', profile: 'unknown', mode: 0 };
		const failing: FlowNode = { parameters, settings: CONTINUE };

		expect(messageOf(await run({ nodes: { [CREATE]: failing } }))).toMatch(/found no link/);
	});

	it('but not for a link without Custom Data: its execution knows whose it is', async () => {
		const parameters = { operation: 'createHostedLink', profile: PROFILE, mode: 1 };

		const { data } = await run({ nodes: { [CREATE]: { parameters } } });

		const [created] = data.resultData.runData[CREATE] ?? [];
		expect(created?.data?.main?.[0]?.[0]?.json).toMatchObject({
			...{ customData: '', awaitedBy: expect.any(String) },
		});
		expect(created?.hints ?? []).toEqual([]);
	});

	it('for a link without a readable reference, which says so itself', async () => {
		const { url: baseUrl } = await listenToEnd((_, response) =>
			response.end('{"url":"https://hosted.example.com","reference":" "}'),
		);
		const credential = sandboxCredential(sandbox, { webhookSecret: WEBHOOK_SECRET, baseUrl });

		const result = await run({ credential });

		const [created] = result.data.resultData.runData[CREATE] ?? [];
		const item = created?.data?.main?.[0]?.[0]?.json;
		expect(item).toMatchObject({ reference: null, unreadable: ['reference'] });
		expect(item).not.toHaveProperty('awaitedBy');
		expect(created?.hints?.map(({ message }) => message)).toContainEqual(
			expect.stringMatching(/^A link came without a reference, so Wait for Result cannot/),
		);
		expect(messageOf(result)).toMatch(
			/^The link came without a reference.*Nothing was charged for waiting/,
		);
	});

	it('and with On Error set to continue, what fails is at No Result', async () => {
		const result = await run({
			connections: straight,
			waitSettings: CONTINUE,
		});

		expect(branchesOf(result)).toEqual({
			'No Result': [{ error: expect.stringMatching(/found no link/) as string }],
		});
	});
});
