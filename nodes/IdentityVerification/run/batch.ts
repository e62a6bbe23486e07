import type { INodeExecutionData } from 'n8n-workflow';

import { outputHint } from '../actions/operation';
import type { Done, ItemOperation, Task } from '../actions/operation';
import { readMaxParallel, readTimes } from '../actions/parameters';
import { hasSameValues, readService } from '../credential';
import { runsOnEngine2 } from '../runtime';
import { NotStarted, itemError, operationError } from '../transport/errors';
import { MOST_OPEN } from '../transport/pace/pace';
import { Progress } from '../transport/pace/progress';
import type { PacedRun } from '../transport/pace/progress';
import type { Connection } from '../transport/request';
import { asNodeError, canceledRun, earlierExecutions, stopError } from './errors';
import type { FailedItem } from './errors';
import { PaidOutcomes } from './paidOutcomes';

/** A run of the node, and whether an AI agent runs it as its tool. */
export type NodeRun = Pick<Connection, 'context' | 'isAgentTool'>;

/** What the items of one node run share. */
interface Batch extends NodeRun {
	count: number;
	parallel: number;
	outcomes: PaidOutcomes;
	/** Ends all sending when an item has failed and the workflow is going to stop. */
	stop: AbortController;
	prepare(itemIndex: number): Promise<() => Promise<Done>>;
}

/**
 * Runs an operation for all items of a node.
 * @param operation undefined for one that the node doesn't have
 * @param route spreads the items over the node's outputs
 * @returns an item for each input item, by output and in order; a failed one holds its error
 * @throws NodeApiError or NodeOperationError when an item failed and the node isn't set to continue
 */
export async function runBatch(
	{ context, isAgentTool }: NodeRun,
	operation: ItemOperation | undefined,
	route: (items: INodeExecutionData[]) => INodeExecutionData[][],
): Promise<INodeExecutionData[][]> {
	const stop = new AbortController();
	const outcomes = new PaidOutcomes(context, isAgentTool);
	const maxParallel = readMaxParallel(context);
	const progress = new Progress(context.logger);
	const canceled = context.getExecutionCancelSignal();
	// When a node that is set to continue throws, n8n passes its input on as a success. So a problem that
	// concerns all items is reported on each of them.
	const ready = connect({ context, isAgentTool }, operation, outcomes, {
		isAutomatic: maxParallel === undefined,
		since: performance.now(),
		progress,
		ended: AbortSignal.any(canceled ? [stop.signal, canceled] : [stop.signal]),
	});
	// Without items, nothing awaits it.
	ready.catch(() => {});
	const batch: Batch = {
		context,
		isAgentTool,
		count: context.getInputData().length,
		parallel: maxParallel ?? MOST_OPEN,
		outcomes,
		stop,
		prepare: async (itemIndex) =>
			await outcomes.prepare(itemIndex, async () => {
				const prepareItem = await ready.catch((failure: unknown) => {
					// A copy for each item, because each gets its own text.
					const { message, description } = asNodeError({ context, itemIndex }, failure);
					throw operationError(context, message, { description: description ?? undefined });
				});
				return await prepareItem(itemIndex);
			}),
	};
	const runAll = context.continueOnFail() ? runEach : runOrStop;
	const done = await runAll(batch).finally(() => {
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
	{ context, isAgentTool }: NodeRun,
	operation: ItemOperation | undefined,
	outcomes: PaidOutcomes,
	run: Omit<PacedRun, 'patienceMs'>,
): Promise<(itemIndex: number) => Promise<Task>> {
	if (!operation) {
		const description = 'Choose the operation again.';
		throw operationError(context, 'The node has an operation that does not exist', { description });
	}
	const service = await readService(context);
	outcomes.baseUrl = service.baseUrl;
	const { patienceMs, timeoutMs } = readTimes(context);
	const connection: Connection = {
		context,
		isAgentTool,
		service,
		run: { ...run, patienceMs },
		timeoutMs,
	};
	return async (itemIndex) => {
		const item = { ...connection, itemIndex };
		const isSame = itemIndex === 0 || (await hasSameValues(context, itemIndex, service));
		if (isSame) return await operation.prepare(item);
		const advice = 'If it has an expression, use Loop Over Items with a batch size of 1.';
		throw itemError(item, 'The credential has other values than for item 0', advice);
	};
}

/** Items fail independently. */
async function runEach(batch: Batch): Promise<Done[]> {
	const { count, parallel, outcomes, prepare } = batch;
	return await inParallel(count, parallel, async (itemIndex) => {
		const done = prepare(itemIndex).then(async (run) => await run());
		return await done.catch((failure: unknown): Done => {
			const earlier = earlierExecutions(outcomes, [itemIndex]);
			return { item: failedItem(batch, itemIndex, failure, earlier), hints: [] };
		});
	});
}

/**
 * An item that holds its error, for a node that is set to continue.
 * @param earlier what to say of earlier executions, if anything
 */
export function failedItem(
	{ context, isAgentTool }: NodeRun,
	itemIndex: number,
	failure: unknown,
	earlier = '',
): INodeExecutionData {
	const error = asNodeError({ context, itemIndex }, failure);
	if (earlier) {
		error.description = `${error.description ?? ''} ${earlier}`.trim();
		// n8n keeps only the message, which is about this execution's charges.
		error.message += '. An earlier request for it may have been processed and charged';
	}
	// n8n adds the message to the item itself, but not in Engine 2.0, and not for an older agent.
	const json = isAgentTool || runsOnEngine2(context) ? { error: error.message } : {};
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
				else failed.push({ itemIndex, error: asNodeError({ context, itemIndex }, failure) });
			});
		});
		if (failed.length > 0) throw stopError(context, failed, started, outcomes);
		return results as Result[];
	};
	const runs = await forAll(prepare);
	return await forAll(async (itemIndex) => {
		const run = runs[itemIndex];
		if (!run) throw new NotStarted();
		started.add(itemIndex);
		return await run().catch((failure: unknown) => {
			stop.abort();
			throw failure;
		});
	});
}

/**
 * Runs a task for the indexes 0 to count - 1, at most `limit` at a time.
 * @param task never rejects
 * @returns the results in the order of the indexes
 */
async function inParallel<Result>(
	count: number,
	limit: number,
	task: (index: number) => Promise<Result>,
): Promise<Result[]> {
	const results: Result[] = [];
	let next = 0;
	const work = async () => {
		while (next < count) {
			const index = next++;
			results[index] = await task(index);
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, count) }, work));
	return results;
}
