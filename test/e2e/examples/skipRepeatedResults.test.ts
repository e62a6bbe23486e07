import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import type { Execution } from '../../../dev/stack/execution';
import { deleteTable, rowsOf } from '../../kit/examples/dataTable';
import { runInEditor } from '../../kit/examples/run';
import { fixture } from '../../kit/fixtures';
import { branchNode, failNode } from '../../kit/n8n/workflow';
import { useExample } from '../../kit/examples/useExample';

const TRIGGER = 'Verification Completed';
const TABLE = 'Handled results';
const HANDLED = 'Note It as Handled';
const OWN_STEP = /^Your Steps/;

let ownStep = branchNode;
const example = useExample('skip-repeated-results', {
	nodes: (nodes) => nodes.map((node) => (OWN_STEP.test(node.name) ? ownStep(node.name) : node)),
});
const { api } = example;

/** Publishes the example, with these nodes in place of the user's own steps. */
async function start(step = branchNode): Promise<void> {
	ownStep = step;
	await example.start();
}

beforeEach(async () => {
	await deleteTable(api, TABLE);
	await start();
	await runInEditor(api, example.workflow.file, 'Set Up Once');
	await example.workflow.newExecutions();
});

afterAll(async () => await deleteTable(api, TABLE));

async function receive(result: IDataObject): Promise<Execution> {
	await example.receive(result);
	return await example.workflow.newExecution();
}

/** Whether each of these results was handled, one after the other. */
async function handled(...results: IDataObject[]): Promise<boolean[]> {
	const executions: Execution[] = [];
	for (const result of results) executions.push(await receive(result));
	expect(executions.map(({ status }) => status)).toEqual(results.map(() => 'success'));
	return executions.map(({ data }) => HANDLED in data);
}

const resultOf = (changes: IDataObject = {}) =>
	fixture('webhook-accept', { transactionId: randomUUID(), ...changes });

it.each([
	['review', 'Is the Review New?', 'Your Steps for a Review'],
	['accept', 'Is the Accept New?', 'Your Steps for an Accept'],
	['reject', 'Is the Reject New?', 'Your Steps for a Reject'],
])('a %s is handled once', async (decision, check, step) => {
	const result = resultOf({ decision });

	const first = await receive(result);
	const copy = await receive(result);

	expect(Object.keys(first.data)).toEqual([TRIGGER, check, step, HANDLED]);
	expect(Object.keys(copy.data)).toEqual([TRIGGER, check]);
	const noted = { result: `${String(result.transactionId)} ${decision}` };
	expect(await rowsOf(api, TABLE)).toEqual([expect.objectContaining(noted)]);
});

it('another decision of a transaction is a result of its own', async () => {
	const review = resultOf({ decision: 'review' });

	expect(await handled(review, { ...review, decision: 'accept' }, review)).toEqual([
		true,
		true,
		false,
	]);
});

it.each([
	['the link where there is no transaction', { transactionId: null, hosted: 'link-1' }, false],
	['nothing where there is neither', { transactionId: null, hosted: null }, true],
])('compares %s', async (_, changes, isHandledAgain) => {
	const result = resultOf(changes);

	expect(await handled(result, result)).toEqual([true, isHandledAgain]);
});

it('a result whose steps failed is handled by Retry, once', async () => {
	const result = resultOf();
	await start(failNode);
	const failed = await receive(result);
	await start();

	const retried = await api.retryExecution(failed.id, true);

	expect(Object.keys(retried.data)).toContain(HANDLED);
	await example.workflow.newExecutions();
	expect(await handled(result)).toEqual([false]);
});
