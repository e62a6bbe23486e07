import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Done, ItemOperation, Task } from '../actions';
import { readMaxParallel, readRateLimitWaitMs, readTimeoutMs } from '../actions/description';
import { outputHint } from '../actions/operation';
import { readService } from '../credential';
import { isAgentTool, runsOnEngine2 } from '../runtime';
import { NotStarted } from '../transport/errors';
import { MOST_OPEN } from '../transport/pace/gate';
import { Progress } from '../transport/pace/progress';
import type { PacedRun } from '../transport/pace/gate';
import type { Connection } from '../transport/request';
import {
	asNodeError,
	canceledRun,
	earlierExecutions,
	errorOfItem,
	stopError,
	unknownOperation,
} from './errors';
import type { FailedItem } from './errors';
import { PaidOutcomes } from './paidOutcomes';

/** Behind the headline of an item. */
const EARLIER = '. An earlier request for it may have been processed and charged';

/** What the items of one node run share. */
interface Batch {
	context: IExecuteFunctions;
	count: number;
	/** How many of them are worked on at the same time. */
	parallel: number;
	outcomes: PaidOutcomes;
	/** Ends all sending when an item has failed and the workflow is going to stop. */
	stop: AbortController;
	/** Resolves with a function that processes the item. */
	prepare(itemIndex: number): Promise<() => Promise<Done>>;
}

/**
 * Runs an operation for all items of a node.
 * @param operation undefined for one that the node doesn't have
 * @param route spreads the items over the node's outputs
 * @returns an item for each item by output, in their order on each; a failed one holds its error
 * @throws NodeApiError or NodeOperationError when an item failed and `stopsAtFailure`
 */
export async function runBatch(
	context: IExecuteFunctions,
	operation: ItemOperation | undefined,
	stopsAtFailure: boolean,
	route: (items: INodeExecutionData[]) => INodeExecutionData[][],
): Promise<INodeExecutionData[][]> {
	const stop = new AbortController();
	const outcomes = new PaidOutcomes(context);
	const maxParallel = readMaxParallel(context);
	const progress = new Progress(context.logger);
	const canceled = context.getExecutionCancelSignal();
	// When a node that is set to continue throws, n8n passes its input on as a success. So a problem that
	// concerns all items is reported on each of them.
	const ready = connect(context, operation, outcomes, {
		isAutomatic: maxParallel === undefined,
		since: performance.now(),
		progress,
		ended: AbortSignal.any(canceled ? [stop.signal, canceled] : [stop.signal]),
	});
	// Without items, nothing waits for it.
	ready.catch(() => {});
	const batch: Batch = {
		context,
		count: context.getInputData().length,
		parallel: maxParallel ?? MOST_OPEN,
		outcomes,
		stop,
		prepare: async (itemIndex) =>
			await outcomes.prepare(itemIndex, async () => {
				const prepareItem = await ready.catch((failure: unknown) => {
					throw errorOfItem(context, itemIndex, failure);
				});
				return await prepareItem(itemIndex);
			}),
	};
	const done = await (stopsAtFailure ? runOrStop(batch) : runEach(batch)).finally(() => {
		// n8n throws away what a canceled node returns, so this is the only trace of it.
		const hasSent = outcomes.areCharged && progress.sentInAll > 0;
		if (canceled?.aborted && (hasSent || outcomes.paid.size > 0)) {
			context.logger.warn(canceledRun(context, progress.sentInAll, outcomes));
		}
	});
	const outputs = route(done.map(({ item }) => item));
	const hints = [
		...new Set(done.flatMap((each) => each.hints)),
		...(progress.hasSummary ? [`${progress.summary}.`] : []),
		...(operation?.summarize?.(done) ?? []),
	];
	context.addExecutionHints(...hints.map(outputHint));
	outcomes.forget(outputs[0]);
	return outputs;
}

async function connect(
	context: IExecuteFunctions,
	operation: ItemOperation | undefined,
	outcomes: PaidOutcomes,
	run: Omit<PacedRun, 'patienceMs'>,
): Promise<(itemIndex: number) => Promise<Task>> {
	if (!operation) throw unknownOperation(context);
	const service = await readService(context);
	outcomes.baseUrl = service.baseUrl;
	const connection: Connection = {
		context,
		service,
		run: { ...run, patienceMs: readRateLimitWaitMs(context) },
		timeoutMs: readTimeoutMs(context),
	};
	return async (itemIndex) => await operation.prepare(connection, itemIndex);
}

/** Items fail independently. */
async function runEach({ context, count, parallel, outcomes, prepare }: Batch): Promise<Done[]> {
	return await inParallel(count, parallel, async (itemIndex) => {
		const done = prepare(itemIndex).then(async (run) => await run());
		return await done.catch((failure: unknown): Done => {
			const earlier = earlierExecutions(outcomes, itemIndex);
			return { item: failedItem(context, itemIndex, failure, earlier), hints: [] };
		});
	});
}

/**
 * An item that holds its error, for a node that is set to continue.
 * @param earlier what to say of earlier executions, if anything
 */
export function failedItem(
	context: IExecuteFunctions,
	itemIndex: number,
	failure: unknown,
	earlier = '',
): INodeExecutionData {
	const error = asNodeError(context, itemIndex, failure);
	if (earlier) {
		error.description = `${error.description ?? ''} ${earlier}`.trim();
		// n8n keeps the message alone, which says what this execution was charged.
		error.message += EARLIER;
	}
	// n8n adds the message to the item itself, but not in Engine 2.0, and not for an older agent.
	const json = isAgentTool(context) || runsOnEngine2(context) ? { error: error.message } : {};
	return { json, error, pairedItem: { item: itemIndex } };
}

/** All items are checked before the first one is sent, and the first failure ends the sending. */
async function runOrStop(batch: Batch): Promise<Done[]> {
	const { context, count, parallel, outcomes, stop, prepare } = batch;
	const failed: FailedItem[] = [];
	const started = new Set<number>();
	const forAll = async <Result>(step: (itemIndex: number) => Promise<Result>) => {
		const results = await inParallel(count, parallel, async (itemIndex) => {
			return await step(itemIndex).catch((failure: unknown) => {
				if (failure instanceof NotStarted) started.delete(itemIndex);
				else failed.push({ itemIndex, error: asNodeError(context, itemIndex, failure) });
			});
		});
		if (failed.length > 0) throw stopError(context, failed, started, outcomes);
		return results as Result[];
	};
	const runs = await forAll(prepare);
	return await forAll(async (itemIndex) => {
		const run = runs[itemIndex];
		if (!run || stop.signal.aborted) throw new NotStarted();
		started.add(itemIndex);
		return await run().catch((failure: unknown) => {
			stop.abort();
			throw failure;
		});
	});
}

/**
 * Runs a task for the indexes 0 to count - 1, at most `limit` at a time. After the first failure no
 * new one is started, the running ones finish, and the failure is thrown.
 * @returns the results in the order of the indexes
 */
async function inParallel<Result>(
	count: number,
	limit: number,
	task: (index: number) => Promise<Result>,
): Promise<Result[]> {
	const results: Result[] = [];
	const failures: unknown[] = [];
	let next = 0;
	async function work(): Promise<void> {
		while (next < count && failures.length === 0) {
			const index = next++;
			await task(index).then(
				(result) => {
					results[index] = result;
				},
				(failure: unknown) => failures.push(failure),
			);
		}
	}
	await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, count)) }, work));
	if (failures.length > 0) throw failures[0];
	return results;
}
