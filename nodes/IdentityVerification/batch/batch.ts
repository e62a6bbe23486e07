import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { PARALLEL_DOWNLOADS } from '../actions/downloadFiles/downloadFiles.operation';
import { GivenUp, asNodeError, logUnexpected } from '../errors/nodeErrors';
import type { NodeRun } from '../item';
import { outputHint } from '../operation';
import type { Done, TaskKind } from '../operation';
import {
	readMaxPaid,
	readMaxParallel,
	readStopBelow,
	readTimes,
} from '../parameters/readParameters';
import { Progress } from '../progress';
import { routeAll } from '../result/outputs';
import { MAX_OPEN } from '../transport/pace/concurrency';
import { Budget, CreditFloor } from './budget';
import { logCanceledRun } from './canceledRunLog';
import { failedItem } from './failedItem';
import { PaidRequests } from './paid/paidRequests';
import { errorOfItems } from './runError';
import { carryOut, makeStep, outcomeWithoutRequest } from './step';
import type { Batch, Outcome, Step } from './step';

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
	const { isStopping, paid, connection } = batch;
	const outcomes = await (isStopping ? sendOrStop(batch) : sendEach(batch));
	try {
		if (context.getExecutionCancelSignal()?.aborted) {
			logCanceledRun(context, connection.run.progress.sentInAll, outcomes, paid);
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
	context.addExecutionHints(...hintsOf(batch, done).map(outputHint));
	if (!isRepeated(context, outputs[0])) paid.forget();
	return outputs;
}

/** @throws NodeOperationError when an option that all items share isn't valid */
function openBatch(nodeRun: NodeRun, kind: TaskKind): Batch {
	const { context, isAgentTool } = nodeRun;
	const maxPaid = readMaxPaid(nodeRun);
	const stopBelow = readStopBelow(context);
	const maxParallel = readMaxParallel(context);
	const { patienceMs, timeoutMs } = readTimes(context);
	const stop = new AbortController();
	const paid = new PaidRequests(context, isAgentTool);
	const isStopping = !context.continueOnFail();
	const credits = stopBelow === undefined ? undefined : new CreditFloor(nodeRun, stopBelow);
	const run = {
		isAutomatic: maxParallel === undefined,
		patienceMs,
		since: performance.now(),
		progress: new Progress(context.logger),
		stopSignal: AbortSignal.any(
			[stop.signal, credits?.stopSignal, context.getExecutionCancelSignal()].filter(
				(signal) => signal !== undefined,
			),
		),
	};
	return {
		context,
		isAgentTool,
		kind,
		connection: { context, isAgentTool, run, timeoutMs },
		paid,
		budget: maxPaid === undefined ? undefined : new Budget(nodeRun, maxPaid),
		credits,
		isStopping,
		parallel: maxParallel ?? (kind === 'downloads' ? PARALLEL_DOWNLOADS : MAX_OPEN),
		stop,
	};
}

/**
 * For a node that is set to continue. Items fail independently, and each is read just before it is
 * sent.
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
 * Runs a task for each value, for at most `limit` at a time.
 * @param task never rejects
 * @returns the results in the order of the values
 */
async function inParallel<Value, Result>(
	values: Value[],
	limit: number,
	task: (value: Value, index: number) => Promise<Result>,
): Promise<Result[]> {
	const results: Result[] = [];
	const rest = values.entries();
	const work = async () => {
		// All workers share the iterator: each takes the next value.
		for (const [index, value] of rest) results[index] = await task(value, index);
	};
	await Promise.all(Array.from({ length: Math.min(limit, values.length) }, work));
	return results;
}

/** A node that is set to continue returns its failed items, too. */
function doneOf(batch: Batch, itemIndex: number, outcome: Outcome): Done {
	switch (outcome.kind) {
		case 'done':
			return outcome.done;
		case 'failed':
			return { item: failedItem(batch, batch.paid, itemIndex, outcome.error), hints: [] };
		case 'givenUp':
			// Only beside an item that failed, whose error has ended the run before.
			throw new GivenUp();
	}
}

/** Texts for the output panel. */
function hintsOf({ connection, credits }: Batch, done: Done[]): string[] {
	const { progress } = connection.run;
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
