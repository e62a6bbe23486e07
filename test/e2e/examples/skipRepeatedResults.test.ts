import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { itemsOf } from '../../../dev/stack/execution';
import type { Execution } from '../../../dev/stack/execution';
import { useTable } from './support/dataTable';
import { useExample } from './support/useExample';
import { fixture } from '../../kit/data/fixtures';
import { branchNode, failNode } from '../../kit/n8n/workflow';

const NOTED = 'Note It as Handled';
const WAIT = 'Wait for It';
const COPIES = 10;
const ROUNDS = 4;
/** How long a copy waits for another one that doesn't end, in place of ten minutes. */
const LEASE_SECONDS = 8;
const LEASE = { 'minutes: 10': `seconds: ${LEASE_SECONDS}` };
let ownStep = branchNode;
const example = useExample('skip-repeated-results', {
	nodes: (nodes) =>
		nodes.map((node) => (node.name.startsWith('Your Steps') ? ownStep(node.name) : node)),
});
const table = useTable(example.api, 'skip-repeated-results');

/** Publishes the example, with these nodes in place of the user's own steps. */
async function start(step = branchNode, replace: Record<string, string> = {}): Promise<void> {
	ownStep = step;
	await example.start({ ...LEASE, ...replace });
}

beforeEach(async () => {
	await table.remove();
	expect(await example.run('Set Up Once')).toMatchObject({ status: 'success' });
	await start();
});

/** Lets results arrive, one after the other. */
async function sendResults(...results: IDataObject[]): Promise<Execution[]> {
	const executions: Execution[] = [];
	for (const result of results) {
		await example.sendResult(result);
		executions.push(await example.takeSucceeded());
	}
	return executions;
}

const isHandled = ({ data }: Execution) => NOTED in data;

const handled = async (...results: IDataObject[]) => (await sendResults(...results)).map(isHandled);

const resultOf = (changes: IDataObject = {}) =>
	fixture('webhook-accept', { transactionId: randomUUID(), ...changes });

it.each([
	['review', 'Your Steps for a Review', {}],
	['accept', 'Your Steps for an Accept', {}],
	['reject', 'Your Steps for a Reject', {}],
	// Not to be trusted, because the service says that the request failed.
	['accept', 'Your Steps for a Review', { success: false }],
])('handles a result once: %s at %s', async (decision, step, changes) => {
	await start(branchNode, { '"decisionOnly"': '"raw"' });
	const result = resultOf({ decision, ...changes });
	const executions = await sendResults(result, result);

	const steps = executions.map(({ data }) =>
		Object.keys(data).filter((name) => name.startsWith('Your Steps') || name === WAIT),
	);
	expect(steps).toEqual([[step], []]);
	expect(itemsOf(executions[0] as Execution, step)).toEqual([expect.objectContaining(result)]);
	expect(await table.rows()).toEqual([
		expect.objectContaining({
			result: `${String(result.transactionId)} ${decision}`,
			state: 'handled',
		}),
	]);
});

it('handles a result once of which many copies arrive at the same moment', async () => {
	for (let round = 0; round < ROUNDS; round += 1) {
		const result = resultOf();
		await Promise.all(Array.from({ length: COPIES }, async () => await example.sendResult(result)));
		const executions = await example.workflow.takeExecutions(COPIES);

		expect(executions.map(({ status }) => status)).toEqual(Array(COPIES).fill('success'));
		expect(executions.filter(isHandled)).toHaveLength(1);
	}
	const rows = await table.rows();
	expect(rows.map(({ state }) => state)).toEqual(Array(ROUNDS).fill('handled'));
});

it('lets a copy through when the steps for the first one have failed, but not before', async () => {
	const result = resultOf();
	await start(failNode);
	await example.sendResult(result);
	expect(await example.workflow.takeExecution()).toMatchObject({ status: 'error' });
	await start();

	const [copy] = await sendResults(result);

	expect(Object.keys(copy?.data ?? {})).toEqual(expect.arrayContaining([WAIT, NOTED]));
	expect((await table.rows()).map(({ state }) => state)).toEqual(['started', 'handled']);
	expect(await handled(result)).toEqual([false]);
});

it('takes another decision of a transaction for a result of its own', async () => {
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

it('handles a result whose steps failed by Retry, once', async () => {
	const result = resultOf();
	await start(failNode);
	await example.sendResult(result);
	const failed = await example.workflow.takeExecution();
	await start();

	const retried = await example.api.retryExecution(failed.id, true);

	expect(Object.keys(retried.data)).toContain(NOTED);
	await example.workflow.takeExecutions();
	expect(await handled(result)).toEqual([false]);
});
