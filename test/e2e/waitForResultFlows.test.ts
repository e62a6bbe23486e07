import { poll } from '../../dev/stack/poll';
import { itemsOf } from '../../dev/stack/execution';
import type { Execution } from '../../dev/stack/execution';
import { runInEditor } from '../kit/examples/run';
import { openStack } from '../kit/n8n/handle';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { PROFILE, SECRET, leftBecause, useResults } from '../kit/n8n/results';
import { useService } from '../kit/n8n/service';
import {
	AWAITED,
	CREATE,
	DEADLINE,
	START,
	WAIT,
	awaitNode,
	branchesOf,
	chain,
	createNode,
	flowOfWays,
	startFlow,
	startWaiting,
	untilStatus,
	waitingFlow,
} from '../kit/n8n/waitingFlow';
import {
	branchNode,
	loopNode,
	manualNode,
	n8nNode,
	requestNode,
	webhookNode,
	workflowOf,
} from '../kit/n8n/workflow';
import type { Link } from '../kit/n8n/workflow';
import { useReceiver } from '../kit/receiver';

const { api } = openStack();
const service = useService(api, SECRET);
const { sandbox } = service;
const results = useResults(api, service);
const outside = useReceiver();

const options = () => ({ credentialId: service.credentialId, profile: PROFILE });

/** n8n looks once a minute for executions whose time is over. */
const SECONDS = { waitUpTo: 0.5, waitUnit: 'minutes' };

/** Until a year of five digits. */
const FOR_EVER = { waitUpTo: 3_000_000, waitUnit: 'days' };

/** Makes two items of one. */
const SPLIT = {
	nodes: [
		n8nNode('List', 'set', 3.4, {
			mode: 'raw',
			jsonOutput: '{ "people": ["a", "b"] }',
			options: {},
		}),
		n8nNode('Split', 'splitOut', 1, { fieldToSplitOut: 'people', options: {} }),
	],
	links: [
		[CREATE, 'List'],
		['List', 'Split'],
		['Split', WAIT],
	] as Link[],
};

/** A second Wait for Result behind No Result of the first one. */
const waitAgain = (name: string) =>
	name === AWAITED[0] ? awaitNode(name, options()) : branchNode(name);

const branchesFrom = (name: string): Link[] =>
	AWAITED.map((branch, output) => [name, branch, output]);

it('goes on at No Result when nobody finishes, and can wait again', async () => {
	const hasty = await LiveWorkflow.start(api, waitingFlow({ ...options(), wait: SECONDS }));
	const patient = await LiveWorkflow.start(api, reminderFlow());
	const endless = await LiveWorkflow.start(api, waitingFlow({ ...options(), wait: FOR_EVER }));
	const late = await startWaiting(api, hasty, 'late');
	const reminded = await startWaiting(api, patient, 'reminded');
	const forEver = await startWaiting(api, endless, 'for ever');

	const given = await untilStatus(api, late.executionId, 'success');

	expect(branchesOf(given)).toEqual({
		'No Result': [{ decision: null, reference: late.link.reference, customData: 'late' }],
	});
	await sandbox.finishLink(late.link.url, 'accept');
	expect(await results.undelivered()).toEqual({
		Accept: leftBecause(/gone on without it/, { customData: 'late' }),
	});
	await poll(
		async () =>
			'Remind' in (await api.getExecution(reminded.executionId)).data ? true : undefined,
		{ what: 'a reminder', ...DEADLINE },
	);
	await untilStatus(api, reminded.executionId, 'waiting');
	await sandbox.finishLink(reminded.link.url, 'accept');
	const execution = await untilStatus(api, reminded.executionId, 'success');
	expect(itemsOf(execution, 'Accepted in the End')).toEqual([
		expect.objectContaining({ customData: 'reminded', decision: 'accept' }),
	]);
	expect(await api.getExecution(forEver.executionId)).toMatchObject({ status: 'waiting' });
});

describe('several people', () => {
	it('take turns in a loop', async () => {
		const loop = await LiveWorkflow.start(api, loopFlow());
		const executionId = await startFlow(loop, ['first', 'second', 'third']);
		const scenarios = { first: 'accept', second: 'expired', third: 'lowConfidence' };
		for (const [name, scenario] of Object.entries(scenarios)) {
			await untilStatus(api, executionId, 'waiting');
			const { url } = await results.linkFor(name);
			await sandbox.finishLink(url, scenario);
		}

		const execution = await untilStatus(api, executionId, 'success');

		expect(branchesOf(execution)).toEqual({
			Accept: [expect.objectContaining({ customData: 'first' })],
			Reject: [expect.objectContaining({ customData: 'second' })],
			Review: [expect.objectContaining({ customData: 'third' })],
		});
	});

	it('wait in sub-workflows that the main one waits for', async () => {
		const { main, sub } = await startSubFlow();
		const parentId = await startFlow(main, 'applicant-1');
		const [child] = await poll(
			async () => {
				const waiting = (await sub.list()).filter(({ status }) => status === 'waiting');
				return waiting.length > 0 ? waiting : undefined;
			},
			{ what: 'the sub-workflow to wait', ...DEADLINE },
		);

		await sandbox.finishLink((await results.linkFor('applicant-1')).url, 'expired');

		expect(branchesOf(await untilStatus(api, child?.id ?? '', 'success'))).toHaveProperty('Reject');
		await untilStatus(api, parentId, 'success');
	});

	it('are refused at once before anything is paid', async () => {
		const executionId = await startFlow(await LiveWorkflow.start(api, splitFlow()), ['a', 'b']);

		const execution = await untilStatus(api, executionId, 'error');

		expect(errorOf(execution, CREATE)).toMatch(/takes one item at a time/);
		expect(await sandbox.billed()).toBe(0);
	});
});

describe('is refused before anything is paid', () => {
	it.each([
		['', /has no webhook secret/],
		['kyc-4711', /secret of the credential is too short/],
	])('with the webhook secret "%s"', async (webhookSecret, reason) => {
		const credentialId = await service.saveCredential({ webhookSecret });
		const flow = await LiveWorkflow.start(api, waitingFlow({ ...options(), credentialId }));

		const execution = await untilStatus(api, await startFlow(flow, 'applicant-1'), 'error');

		expect(errorOf(execution, CREATE)).toMatch(reason);
		expect(await sandbox.billed()).toBe(0);
	});

	it('when nobody can say how long to wait', async () => {
		const wait = { waitUpTo: 0 };
		const flow = await LiveWorkflow.start(api, waitingFlow({ ...options(), wait }));

		const execution = await untilStatus(api, await startFlow(flow, 'applicant-1'), 'error');

		expect(errorOf(execution, CREATE)).toMatch(/'Wait Up To' of Wait for Result is not a number/);
		expect(await sandbox.billed()).toBe(0);
	});

	it('when nobody can say what to put out', async () => {
		const wait = { output: 'everything' };
		const flow = await LiveWorkflow.start(api, waitingFlow({ ...options(), wait }));

		const execution = await untilStatus(api, await startFlow(flow, 'applicant-1'), 'error');

		expect(errorOf(execution, CREATE)).toMatch(/'Output' of Wait for Result/);
		expect(await sandbox.billed()).toBe(0);
	});

	it('as the last node of a sub-workflow', async () => {
		const { main, sub } = await startSubFlow([]);
		await untilStatus(api, await startFlow(main, 'applicant-1'), 'error');

		const [child] = await sub.list();
		const execution = await api.getExecution(child?.id ?? '');
		expect(errorOf(execution, CREATE)).toMatch(/cannot be the last node of a sub-workflow/);
		expect(await sandbox.billed()).toBe(0);
	});

	it('in a workflow whose failed executions are not saved', async () => {
		const file = waitingFlow(options());
		// It answers when the execution has ended, which n8n doesn't list.
		const nodes = file.nodes.map((node) =>
			node.name === START
				? { ...node, parameters: { ...node.parameters, responseMode: 'lastNode' } }
				: node,
		);
		const settings = { executionOrder: 'v1', saveDataErrorExecution: 'none' };
		const flow = await LiveWorkflow.start(api, { ...file, nodes, settings });

		expect((await flow.send(START, { applicantId: 'applicant-1' })).status).toBe(500);

		expect(await sandbox.billed()).toBe(0);
	});

	it.each([
		['before', 1, branchNode],
		['at the same time', 7, branchNode],
		['before a second Wait for Result behind No Result', 13, waitAgain],
	])('in a workflow that times out %s', async (_, days, branch) => {
		const file = waitingFlow({ ...options(), branch });
		const settings = { executionOrder: 'v1', executionTimeout: days * 24 * 3_600 };
		const flow = await LiveWorkflow.start(api, { ...file, settings });

		const execution = await untilStatus(api, await startFlow(flow, 'applicant-1'), 'error');

		expect(errorOf(execution, CREATE)).toMatch(/timeout of the workflow is shorter/);
		expect(await sandbox.billed()).toBe(0);
	});
});

describe('waits for the link', () => {
	it('that the execution has created last', async () => {
		const second = 'Second Link';
		const between = {
			nodes: [createNode(second, options())],
			links: [
				[CREATE, second],
				[second, WAIT],
			] as Link[],
		};
		const twice = await LiveWorkflow.start(api, waitingFlow({ ...options(), between }));
		const { executionId, link } = await startWaiting(api, twice);
		const execution = await api.getExecution(executionId);

		await sandbox.finishLink(link.url, 'accept');

		expect(await results.undelivered()).toEqual({ Accept: leftBecause(/of another link/) });
		await sandbox.finishLink(String(itemsOf(execution, second)[0]?.url), 'expired');
		expect(branchesOf(await untilStatus(api, executionId, 'success'))).toHaveProperty('Reject');
	});
});

describe('goes on once', () => {
	const ways = ['Mail', 'Text Message', 'Chat'];

	it.each([
		['over other nodes', ways, 'v1'],
		['also a straight one', ['Mail', ''], 'v1'],
		['in the legacy order', ways, 'v0'],
	])('when several ways lead to the waiting, %s', async (_, names, order) => {
		const flow = await LiveWorkflow.start(api, flowOfWays(names, order, options()));
		const { executionId, link } = await startWaiting(api, flow);

		await sandbox.finishLink(link.url, 'accept');

		const execution = await untilStatus(api, executionId, 'success');
		expect(branchesOf(execution)).toEqual({
			Accept: [expect.objectContaining({ customData: 'applicant-1' })],
		});
	});

	it('for each of two links in a loop', async () => {
		const loop = await LiveWorkflow.start(api, secondLinkFlow());
		const executionId = await startFlow(loop, ['first']);
		for (const node of [WAIT, 'Wait Again']) {
			await untilWaitingAt(executionId, node);
			await sandbox.finishLink((await results.linkFor('first')).url, 'lowConfidence');
		}

		const execution = await untilStatus(api, executionId, 'success');

		expect(itemsOf(execution, 'In Review Again')).toHaveLength(1);
	});
});

describe('does not wait in vain', () => {
	it('for several items', async () => {
		const several = await LiveWorkflow.start(api, waitingFlow({ ...options(), between: SPLIT }));

		const executionId = await startFlow(several, 'applicant-1');

		expect(errorOf(await untilStatus(api, executionId, 'error'), WAIT)).toMatch(
			/one item at a time/,
		);
	});

	it('for a link that was pinned', async () => {
		const pinned = manualFlow();
		const json = { reference: 'link-1', url: 'https://example.com/link-1', awaitedBy: '1' };
		await api.saveWorkflow({ ...pinned, pinData: { [CREATE]: [{ json }] } });

		const execution = await runInEditor(api, pinned, 'By Hand');

		expect(errorOf(execution, WAIT)).toMatch(/finds no link/);
		expect(await sandbox.billed()).toBe(0);
	});

	it('in the Retry of an execution that has created the link', async () => {
		const between = chain(requestNode('Tell Somebody', outside.url));
		const telling = await LiveWorkflow.start(api, waitingFlow({ ...options(), between }));
		outside.failOnce(500);
		const executionId = await startFlow(telling, 'applicant-1');
		await untilStatus(api, executionId, 'error');
		const billed = await sandbox.billed();

		const retried = await api.retryExecution(executionId);

		expect(errorOf(retried, WAIT)).toMatch(/finds no link that this execution has created/);
		expect(await sandbox.billed()).toBe(billed);
	});

	it('with Always Output Data', async () => {
		const noisy = await LiveWorkflow.start(
			api,
			waitingFlow({ ...options(), waitSettings: { alwaysOutputData: true } }),
		);

		const executionId = await startFlow(noisy, 'applicant-1');

		const execution = await untilStatus(api, executionId, 'error');
		expect(errorOf(execution, WAIT)).toMatch(/Always Output Data/);
	});

	it('and puts what fails on No Result when it is set to continue', async () => {
		const going = await LiveWorkflow.start(
			api,
			waitingFlow({
				...options(),
				between: SPLIT,
				waitSettings: { onError: 'continueRegularOutput' },
			}),
		);

		const executionId = await startFlow(going, 'applicant-1');

		const execution = await untilStatus(api, executionId, 'success');
		const failed = { error: expect.stringMatching(/one item at a time/) as string };
		expect(branchesOf(execution)).toEqual({ 'No Result': [failed, failed] });
	});

	it('when the node is disabled, whose input goes to No Result', async () => {
		const off = await LiveWorkflow.start(
			api,
			waitingFlow({ ...options(), waitSettings: { disabled: true } }),
		);

		const executionId = await startFlow(off, 'applicant-1');

		const execution = await untilStatus(api, executionId, 'success');
		expect(Object.keys(branchesOf(execution))).toEqual(['No Result']);
		const [link] = (await sandbox.state()).links;
		expect(link?.customData).toBe('applicant-1');
	});
});

function errorOf({ data }: Execution, nodeName: string): string {
	return data[nodeName]?.at(-1)?.error?.message ?? '';
}

/** Waits a second time for whoever hasn't finished. */
function reminderFlow() {
	const again = 'Wait Again';
	return workflowOf(
		[
			webhookNode(START, { responseMode: 'onReceived' }),
			createNode(CREATE, options()),
			awaitNode(WAIT, { ...options(), wait: SECONDS }),
			branchNode('Remind'),
			awaitNode(again, options()),
			branchNode('Accepted in the End'),
		],
		[
			[START, CREATE],
			[CREATE, WAIT],
			[WAIT, 'Remind', 0],
			['Remind', again],
			[again, 'Accepted in the End', 2],
		],
	);
}

const PEOPLE = {
	nodes: [
		n8nNode('People', 'splitOut', 1, {
			fieldToSplitOut: 'body.applicantId',
			options: { destinationFieldName: 'applicantId' },
		}),
	],
	create: { customData: '={{ $json.applicantId }}' },
};

/** A link for each person of a list, one after the other. */
function loopFlow() {
	return workflowOf(
		[
			webhookNode(START, { responseMode: 'onReceived' }),
			...PEOPLE.nodes,
			loopNode('Loop'),
			createNode(CREATE, { ...options(), create: PEOPLE.create }),
			awaitNode(WAIT, options()),
			...AWAITED.map(branchNode),
		],
		[
			[START, 'People'],
			['People', 'Loop'],
			['Loop', CREATE, 1],
			[CREATE, WAIT],
			...branchesFrom(WAIT),
			...AWAITED.map((name): Link => [name, 'Loop']),
		],
	);
}

/** Asks whoever is in review a second time. */
function secondLinkFlow() {
	const create = {
		...options(),
		create: { customData: `={{ $('People').item.json.applicantId }}` },
	};
	return workflowOf(
		[
			webhookNode(START, { responseMode: 'onReceived' }),
			...PEOPLE.nodes,
			loopNode('Loop'),
			createNode(CREATE, create),
			awaitNode(WAIT, options()),
			createNode('Second Link', create),
			awaitNode('Wait Again', options()),
			branchNode('In Review Again'),
		],
		[
			[START, 'People'],
			['People', 'Loop'],
			['Loop', CREATE, 1],
			[CREATE, WAIT],
			[WAIT, 'Second Link', 1],
			['Second Link', 'Wait Again'],
			['Wait Again', 'In Review Again', 1],
			['In Review Again', 'Loop'],
		],
	);
}

async function untilWaitingAt(executionId: string, node: string): Promise<void> {
	await poll(
		async () => {
			const { status, data } = await api.getExecution(executionId);
			return status === 'waiting' && node in data ? true : undefined;
		},
		{ what: `the execution to wait at ${node}`, ...DEADLINE },
	);
}

/** A link for each person of a list, all at once. */
function splitFlow() {
	return workflowOf(
		[
			webhookNode(START, { responseMode: 'onReceived' }),
			...PEOPLE.nodes,
			createNode(CREATE, { ...options(), create: PEOPLE.create }),
			awaitNode(WAIT, options()),
		],
		[
			[START, 'People'],
			['People', CREATE],
			[CREATE, WAIT],
		],
	);
}

function manualFlow() {
	const create = { customData: 'applicant-1' };
	return workflowOf(
		[
			manualNode('By Hand'),
			createNode(CREATE, { ...options(), create }),
			awaitNode(WAIT, options()),
			...AWAITED.map(branchNode),
		],
		[['By Hand', CREATE], [CREATE, WAIT], ...branchesFrom(WAIT)],
	);
}

/** A workflow that hands a person to another one, and waits for its end. */
async function startSubFlow(branches = AWAITED) {
	const called = workflowOf(
		[
			n8nNode('Called', 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' }),
			createNode(CREATE, { ...options(), create: { customData: '={{ $json.body.applicantId }}' } }),
			awaitNode(WAIT, options()),
			...branches.map(branchNode),
		],
		[
			['Called', CREATE],
			[CREATE, WAIT],
			...branches.map((branch, output): Link => [WAIT, branch, output]),
		],
	);
	const sub = await LiveWorkflow.start(api, called);
	const call = n8nNode('Call', 'executeWorkflow', 1.2, {
		workflowId: { __rl: true, mode: 'id', value: api.idOf(called.id) },
		options: { waitForSubWorkflow: true },
	});
	const main = await LiveWorkflow.start(
		api,
		workflowOf(
			[webhookNode(START, { responseMode: 'onReceived' }), call, branchNode('Done')],
			[
				[START, 'Call'],
				['Call', 'Done'],
			],
		),
	);
	return { main, sub };
}
