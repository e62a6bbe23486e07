import { poll } from '../../../dev/stack/poll';
import { itemsOf } from '../../../dev/stack/execution';
import { openStack } from '../../kit/n8n/stack';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { PROFILE, useResults } from '../../kit/n8n/results';
import { useSandboxInN8n } from '../../kit/n8n/sandboxInN8n';
import {
	AWAITED,
	CREATE,
	DEADLINE,
	START,
	WAIT,
	awaitNode,
	branchesOf,
	createNode,
	flowOfPaths,
	startFlow,
	startWaiting,
	untilStatus,
	waitingFlow,
} from '../../kit/n8n/waitingFlow';
import { branchNode, loopNode, n8nNode, webhookNode, workflowOf } from '../../kit/n8n/workflow';
import type { Connection } from '../../kit/n8n/workflow';
import { WEBHOOK_SECRET } from '../../kit/settings';

const { api } = openStack();
const sandboxInN8n = useSandboxInN8n(api, WEBHOOK_SECRET);
const { sandbox } = sandboxInN8n;
const results = useResults(api, sandboxInN8n);

const options = () => ({ credentialId: sandboxInN8n.credentialId, profile: PROFILE });

/** n8n looks once a minute for executions whose time is over. */
const SECONDS = { waitUpTo: 0.5, waitUnit: 'minutes' };

/** Until a year of five digits. */
const FOR_EVER = { waitUpTo: 3_000_000, waitUnit: 'days' };

const branchesFrom = (name: string): Connection[] =>
	AWAITED.map((branch, output) => [name, branch, output]);

it('goes on at No Result when nobody finishes, and can wait again', async () => {
	const patient = await LiveWorkflow.start(api, reminderFlow());
	const endless = await LiveWorkflow.start(api, waitingFlow({ ...options(), wait: FOR_EVER }));
	const { executionId, link } = await startWaiting(api, patient);
	const forEver = await startWaiting(api, endless);

	const isReminded = async () =>
		'Remind' in (await api.getExecution(executionId)).data ? true : undefined;
	await poll(isReminded, { what: 'a reminder', ...DEADLINE });
	await untilStatus(api, executionId, 'waiting');
	await sandbox.finishLink(link.url, 'accept');

	const execution = await untilStatus(api, executionId, 'success');
	expect(itemsOf(execution, 'Accepted in the End')).toEqual([
		expect.objectContaining({ customData: 'applicant-1', decision: 'accept' }),
	]);
	expect(await api.getExecution(forEver.executionId)).toMatchObject({ status: 'waiting' });
});

it('a link is not paid when Wait for Result has another credential, which n8n shows to the other node', async () => {
	const another = await sandboxInN8n.saveCredential({ webhookSecret: WEBHOOK_SECRET });
	const credentials = { identityVerificationApi: { id: another, name: 'Another' } };
	const file = waitingFlow({ ...options(), waitSettings: { credentials } });
	const flow = await LiveWorkflow.start(api, file);
	const before = await sandbox.billed();

	await startFlow(flow, 'applicant-1');

	const execution = await flow.takeExecution();
	expect(execution.data[CREATE]?.[0]?.error?.message).toMatch(/have different credentials/);
	expect(await sandbox.billed()).toBe(before);
});

it('several people take turns in a loop', async () => {
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

describe('goes on once', () => {
	const paths = ['Mail', 'Text Message', 'Chat'];

	it.each([
		['over other nodes', paths, 'v1'],
		['also a straight one', ['Mail', ''], 'v1'],
		['in the legacy order', paths, 'v0'],
	])('when several paths lead to the node that n8n disables, %s', async (_, names, order) => {
		const flow = await LiveWorkflow.start(api, flowOfPaths(names, order, options()));
		const { executionId, link } = await startWaiting(api, flow);

		await sandbox.finishLink(link.url, 'accept');

		const execution = await untilStatus(api, executionId, 'success');
		expect(branchesOf(execution)).toEqual({
			Accept: [expect.objectContaining({ customData: 'applicant-1' })],
		});
	});
});

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

/** A link for each person of a list, one after the other. */
function loopFlow() {
	const people = n8nNode('People', 'splitOut', 1, {
		fieldToSplitOut: 'body.applicantId',
		options: { destinationFieldName: 'applicantId' },
	});
	return workflowOf(
		[
			webhookNode(START, { responseMode: 'onReceived' }),
			people,
			loopNode('Loop'),
			createNode(CREATE, { ...options(), create: { customData: '={{ $json.applicantId }}' } }),
			awaitNode(WAIT, options()),
			...AWAITED.map(branchNode),
		],
		[
			[START, 'People'],
			['People', 'Loop'],
			['Loop', CREATE, 1],
			[CREATE, WAIT],
			...branchesFrom(WAIT),
			...AWAITED.map((name): Connection => [name, 'Loop']),
		],
	);
}
