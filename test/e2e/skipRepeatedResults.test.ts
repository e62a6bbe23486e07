import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { fetchN8n } from '../../dev/stack/fetchN8n';
import { outputsTaken } from '../../dev/stack/execution';
import type { Execution } from '../../dev/stack/execution';
import { fixture } from '../kit/fixtures';
import { openStack } from '../kit/n8n/handle';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { branchNode, failNode, triggerNode, workflowOf } from '../kit/n8n/workflow';
import type { Link } from '../kit/n8n/workflow';

const TRIGGER = 'Verification Completed';
const BRANCHES = ['Review', 'Accept', 'Reject'];
const DECISIONS = ['review', 'accept', 'reject'];

const { api } = openStack();

/** A trigger that leads to a node for each decision. */
async function start(
	options: IDataObject = { skipRepeatedResults: true },
	{ settings = {}, branch = branchNode } = {},
): Promise<LiveWorkflow> {
	const parameters = { authentication: 'none', output: 'raw', options };
	const nodes = [triggerNode(TRIGGER, { parameters }), ...BRANCHES.map(branch)];
	const links = BRANCHES.map((name, output): Link => [TRIGGER, name, output]);
	return await LiveWorkflow.start(api, workflowOf(nodes, links, settings));
}

/** A result of a transaction of its own unless the values say otherwise. */
function resultOf(values: IDataObject = {}): IDataObject {
	return fixture('webhook-review', { transactionId: randomUUID(), ...values });
}

/** Sends results, each when n8n is done with the one before; returns the outputs that each one took. */
async function outputsFor(workflow: LiveWorkflow, results: IDataObject[]): Promise<number[][]> {
	const executions: Execution[] = [];
	for (const result of results) {
		expect((await workflow.send(TRIGGER, result)).status).toBe(200);
		executions.push(await workflow.newExecution());
	}
	expect(executions.map(({ status }) => status)).toEqual(results.map(() => 'success'));
	return executions.map((execution) => outputsTaken(execution, TRIGGER));
}

function hintsOf({ data }: Execution): string[] {
	return (data[TRIGGER] ?? []).flatMap(({ hints = [] }) => hints.map(({ message }) => message));
}

describe.each(['v0', 'v1'])('in the execution order %s', (executionOrder) => {
	it.each([true, false])(
		'each decision takes its output, with Skip Repeated Results %s',
		async (on) => {
			const workflow = await start({ skipRepeatedResults: on }, { settings: { executionOrder } });
			const results = DECISIONS.map((decision) => resultOf({ decision }));

			expect(await outputsFor(workflow, results)).toEqual([[0], [1], [2]]);
			const again = on ? [[], [], []] : [[0], [1], [2]];
			expect(await outputsFor(workflow, results)).toEqual(again);
		},
	);
});

it('says of a repetition that it was one', async () => {
	const workflow = await start();
	const result = resultOf();
	await workflow.send(TRIGGER, result);
	const first = await workflow.newExecution();
	await workflow.send(TRIGGER, result);
	const second = await workflow.newExecution();

	expect(hintsOf(first)).toEqual([]);
	expect(hintsOf(second)).toEqual([expect.stringContaining('handled a result with this')]);
	expect(Object.keys(second.data)).toEqual([TRIGGER]);
});

it('takes another decision of a transaction for another result', async () => {
	const transactionId = randomUUID();
	const results = ['review', 'accept', 'review'].map((decision) =>
		resultOf({ transactionId, decision }),
	);

	expect(await outputsFor(await start(), results)).toEqual([[0], [1], []]);
});

it.each([
	['the link where there is no transaction', { transactionId: null, hosted: 'link-1' }, [[0], []]],
	['nothing where there is neither', { transactionId: null, hosted: null }, [[0], [0]]],
])('compares %s', async (_, values, outputs) => {
	expect(await outputsFor(await start(), [resultOf(values), resultOf(values)])).toEqual(outputs);
});

it('forgets the oldest results', async () => {
	const workflow = await start({ skipRepeatedResults: true, rememberedResults: 2 });
	const [a, b, c] = [resultOf(), resultOf(), resultOf()] as const;

	const outputs = await outputsFor(workflow, [a, b, c, b, b, a]);

	expect(outputs).toEqual([[0], [0], [0], [], [], [0]]);
});

it('remembers for each trigger alone', async () => {
	const result = resultOf();

	expect(await outputsFor(await start(), [result])).toEqual([[0]]);
	expect(await outputsFor(await start(), [result])).toEqual([[0]]);
});

it('runs the Retry of a failed execution', async () => {
	const workflow = await start(undefined, { branch: failNode });
	await workflow.send(TRIGGER, resultOf());
	const failed = await workflow.newExecution();

	const retried = await api.retryExecution(failed.id);

	expect(failed.status).toBe('error');
	expect(retried.data).toHaveProperty('Review');
});

it('does not remember test runs in the editor, and does not skip in them', async () => {
	const workflow = await start();
	const result = resultOf();
	const test = async () => {
		await api.listenForTest(workflow.file.id, TRIGGER);
		const answer = await fetchN8n(workflow.url(TRIGGER).replace('/webhook/', '/webhook-test/'), {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(result),
		});
		expect(answer.status).toBe(200);
		return outputsTaken(await workflow.newExecution(), TRIGGER);
	};

	expect(await test()).toEqual([0]);
	expect(await outputsFor(workflow, [result, result])).toEqual([[0], []]);
	expect(await test()).toEqual([0]);
});
