import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { GivenUp, asNodeError, logUnexpected } from '../errors/nodeErrors';
import type { NodeRun } from '../item';
import { outputHint } from '../operation';
import type { Done, ItemOperation } from '../operation';
import { readMaxParallel, readTimes } from '../parameters/readParameters';
import { Progress } from '../progress';
import { MAX_OPEN } from '../transport/pace/concurrency';
import { logCanceledRun } from './canceledRunLog';
import { failedItem } from './failedItem';
import { PaidRequests } from './paid/paidRequests';
import { errorOfItems } from './runError';
import { carryOut, makeStep, outcomeWithoutRequest } from './step';
import type { Batch, Outcome } from './step';

/** A batch, and what controls its run. */
interface RunningBatch extends Batch {
	/** Whether a failed item stops the workflow, as it does unless the node is set to continue. */
	isStopping: boolean;
	/** How many items are worked on at the same time. */
	parallel: number;
	progress: Progress;
	/** Ends all sending when an item has failed and the workflow is going to stop. */
	stop: AbortController;
}

/**
 * Runs an operation for all items of a node run.
 * @param route distributes the finished items over the node's outputs
 * @returns one item for each input item, by output and in order; a failed item contains its error
 * @throws NodeApiError or NodeOperationError when an item failed and the node isn't set to
 * continue, or when an option that all items share isn't valid
 */
export async function runBatch(
	nodeRun: NodeRun,
	operation: ItemOperation,
	route: (done: Done[]) => INodeExecutionData[][],
): Promise<INodeExecutionData[][]> {
	const { context } = nodeRun;
	const batch = openBatch(nodeRun, operation);
	const { isStopping, paid, progress } = batch;
	const outcomes = await (isStopping ? sendOrStop(batch) : sendEach(batch));
	try {
		if (context.getExecutionCancelSignal()?.aborted) {
			logCanceledRun(context, progress.sentInAll, outcomes, paid);
		}
		const error = isStopping ? errorOfItems(batch, outcomes) : undefined;
		if (error) throw error;
		return returnItems(batch, outcomes, route);
	} catch (failed: unknown) {
		logUnexpected(context, failed);
		throw asNodeError({ context, itemIndex: 0 }, failed, 'possible');
	}
}

function returnItems(
	batch: RunningBatch,
	outcomes: Outcome[],
	route: (done: Done[]) => INodeExecutionData[][],
): INodeExecutionData[][] {
	const { context, paid } = batch;
	const done = outcomes.map((outcome, itemIndex) => doneOf(batch, itemIndex, outcome));
	const outputs = route(done);
	context.addExecutionHints(...hintsOf(batch, done).map(outputHint));
	if (!isRepeated(context, outputs[0])) paid.forget();
	return outputs;
}

/** @throws NodeOperationError when an option that all items share isn't valid */
function openBatch({ context, isAgentTool }: NodeRun, operation: ItemOperation): RunningBatch {
	const maxParallel = readMaxParallel(context);
	const { patienceMs, timeoutMs } = readTimes(context);
	const progress = new Progress(context.logger);
	const stop = new AbortController();
	const canceled = context.getExecutionCancelSignal();
	const paid = new PaidRequests(context, isAgentTool);
	const isStopping = !context.continueOnFail();
	const itemCount = context.getInputData().length;
	const run = {
		isAutomatic: maxParallel === undefined,
		patienceMs,
		since: performance.now(),
		progress,
		ended: AbortSignal.any(canceled ? [stop.signal, canceled] : [stop.signal]),
	};
	return {
		context,
		isAgentTool,
		operation,
		connection: { context, isAgentTool, run, timeoutMs },
		paid,
		comparesAddresses: isStopping && paid.results(itemCount).size < itemCount,
		isStopping,
		parallel: maxParallel ?? MAX_OPEN,
		progress,
		stop,
	};
}

/**
 * For a node that is set to continue. Items fail independently, and each is read just before it is
 * sent.
 */
async function sendEach(batch: RunningBatch): Promise<Outcome[]> {
	const { context, parallel } = batch;
	return await inParallel(context.getInputData(), parallel, async (_, itemIndex) => {
		return await carryOut(batch, itemIndex, await makeStep(batch, itemIndex));
	});
}

/**
 * For a node that stops the workflow. All items are read before the first one is sent, and the
 * first failure ends the sending.
 */
async function sendOrStop(batch: RunningBatch): Promise<Outcome[]> {
	const { context, parallel, stop } = batch;
	const steps = await inParallel(context.getInputData(), parallel, async (_, itemIndex) => {
		return await makeStep(batch, itemIndex);
	});
	if (steps.some(({ kind }) => kind === 'failed')) {
		return steps.map(outcomeWithoutRequest);
	}
	return await inParallel(steps, parallel, async (step, itemIndex) => {
		const outcome = await carryOut(batch, itemIndex, step);
		if (outcome.kind === 'failed') stop.abort();
		return outcome;
	});
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
function hintsOf({ operation, progress }: RunningBatch, done: Done[]): string[] {
	const ofItems = new Set(done.flatMap(({ hints }) => hints));
	const ofRequests = progress.hasSummary ? [`${progress.summary}.`] : [];
	return [...ofItems, ...ofRequests, ...(operation.summarize?.(done) ?? [])];
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
