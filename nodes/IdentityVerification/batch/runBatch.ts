import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { asNodeError, logUnexpected } from '../errors/nodeErrors';
import type { NodeError } from '../errors/nodeErrors';
import { canceledBefore } from '../errors/requestErrors';
import type { NodeRun } from '../item';
import { outputHint } from '../operation';
import type { Done, TaskKind } from '../operation';
import { routeAll } from '../result/outputs';
import { openBatch } from './batch';
import type { Batch } from './batch';
import { logCanceledRun } from './canceledRunLog';
import { failedItem } from './failedItem';
import type { Outcome } from './outcome';
import { errorOfItems } from './runError';
import { carryOut, makeStep, outcomeWithoutRequest } from './step';
import type { Step } from './step';

/**
 * Runs an operation for all items of a node run.
 * @param kind of the task that each item becomes
 * @param isBranched whether each item goes to the output of its decision
 * @returns one item for each input item, by output and in order; a failed item contains its error
 * @throws NodeApiError or NodeOperationError when an item failed and the node isn't set to
 * continue, or when an option that all items share isn't valid
 */
export async function runBatch(
	nodeRun: NodeRun,
	kind: TaskKind,
	isBranched: boolean,
): Promise<INodeExecutionData[][]> {
	const { context } = nodeRun;
	const batch = openBatch(nodeRun, kind);
	const { isStopping, paid, run } = batch;
	const outcomes = await (isStopping ? sendOrStop(batch) : sendEach(batch));
	try {
		if (context.getExecutionCancelSignal()?.aborted) {
			logCanceledRun(context, run.progress.sentInAll, outcomes, paid);
		}
		const error = isStopping ? errorOfItems(batch, outcomes) : undefined;
		if (error) throw error;
		return returnItems(batch, outcomes, isBranched);
	} catch (failed: unknown) {
		logUnexpected(context, failed);
		throw asNodeError({ context }, failed, 'possible');
	}
}

function returnItems(
	batch: Batch,
	outcomes: Outcome[],
	isBranched: boolean,
): INodeExecutionData[][] {
	const { context, paid } = batch;
	const done = outcomes.map((outcome, itemIndex) => doneOf(batch, itemIndex, outcome));
	const outputs = isBranched ? routeAll(done) : [done.map(({ item }) => item)];
	context.addExecutionHints(...hintsOfRun(batch, done).map(outputHint));
	if (!isRepeated(context, outputs[0])) paid.forget();
	return outputs;
}

/**
 * For a node that is set to continue. Items fail independently, unless their account can't go on,
 * and each is read just before it is sent.
 */
async function sendEach(batch: Batch): Promise<Outcome[]> {
	const { context, parallel } = batch;
	return await inParallel(context.getInputData(), parallel, async (_, itemIndex) => {
		return await carryOut(batch, itemIndex, await makeStep(batch, itemIndex));
	});
}

/**
 * For a node that stops the workflow. All items are read before the first one is sent, and the
 * first failure ends the sending. Nothing is sent if Max Paid Requests isn't enough for all.
 */
async function sendOrStop(batch: Batch): Promise<Outcome[]> {
	const { context, parallel, stop } = batch;
	const steps = await inParallel(context.getInputData(), parallel, async (_, itemIndex) => {
		return await makeStep(batch, itemIndex);
	});
	if (steps.some(({ kind }) => kind === 'failed')) {
		return steps.map(outcomeWithoutRequest);
	}
	const refused = refuseAboveBudget(batch, steps);
	if (refused) return refused;
	return await inParallel(steps, parallel, async (step, itemIndex) => {
		const outcome = await carryOut(batch, itemIndex, step);
		if (outcome.kind === 'failed') stop.abort();
		return outcome;
	});
}

/** Undefined if the budget is enough, or for an agent's tool, which has one item. */
function refuseAboveBudget(batch: Batch, steps: Step[]): Outcome[] | undefined {
	const { context, budget, isAgentTool } = batch;
	const isPaid = (step: Step) => step.kind === 'send' && step.key !== undefined;
	const needed = steps.filter(isPaid).length;
	if (!budget || isAgentTool || needed <= budget.left) return undefined;
	const first = steps.findIndex(isPaid);
	return steps.map((step, itemIndex) =>
		itemIndex === first
			? { kind: 'failed', error: budget.tooSmall(context, needed) }
			: outcomeWithoutRequest(step),
	);
}

/**
 * Does some work for each value, for at most `limit` at a time.
 * @param work never rejects
 * @returns the results in the order of the values
 */
async function inParallel<Value, Result>(
	values: Value[],
	limit: number,
	work: (value: Value, index: number) => Promise<Result>,
): Promise<Result[]> {
	const results: Result[] = [];
	const rest = values.entries();
	const worker = async () => {
		// All workers share the iterator: each takes the next value.
		for (const [index, value] of rest) results[index] = await work(value, index);
	};
	await Promise.all(Array.from({ length: Math.min(limit, values.length) }, worker));
	return results;
}

/** What is returned for an item. A node that is set to continue returns its failed items, too. */
function doneOf(batch: Batch, itemIndex: number, outcome: Outcome): Done {
	const { context, paid } = batch;
	const failed = (error: NodeError) => ({
		item: failedItem(batch, paid, itemIndex, error),
		hints: [],
	});
	switch (outcome.kind) {
		case 'done':
			return outcome.done;
		case 'failed':
			return failed(outcome.error);
		case 'givenUp':
			// In a node that is set to continue, only a canceled execution gives items up.
			return failed(canceledBefore({ context, itemIndex }));
	}
}

/** Texts for the output panel. */
function hintsOfRun({ run, credits }: Batch, done: Done[]): string[] {
	const { progress } = run;
	const ofItems = new Set(done.flatMap(({ hints }) => hints));
	const ofRequests = progress.hasSummary ? [`${progress.summary}.`] : [];
	const ofCredits = credits?.hints ?? [];
	return [...ofItems, ...ofCredits, ...ofRequests];
}

/**
 * Whether n8n will repeat a node that has succeeded. It does so if the first item has an `error`,
 * which a Raw result can have (architecture.md#n8n-first-item-error).
 */
function isRepeated(context: IExecuteFunctions, [first]: INodeExecutionData[] = []): boolean {
	const error = first?.json.error;
	const isTakenForFailure = error !== undefined && error !== null && error !== false;
	return isTakenForFailure && context.getNode().retryOnFail === true;
}
