import { PARALLEL_DOWNLOADS } from '../actions/downloadFiles/downloadFiles.operation';
import type { NodeRun, PacedRun } from '../item';
import type { TaskKind } from '../operation';
import {
	readMaxPaid,
	readMaxParallel,
	readStopBelow,
	readTimes,
} from '../parameters/readParameters';
import { Progress } from '../progress';
import { MAX_OPEN } from '../transport/pace/allowance';
import { Accounts } from './account';
import { Budget, CreditFloor } from './budget';
import { PaidRequests } from './paid/paidRequests';

/** What the items of a run share. */
export interface Batch extends NodeRun {
	/** Of the task that each item becomes. */
	kind: TaskKind;
	/** How requests wait for their turn. */
	run: PacedRun;
	timeoutMs: number;
	/** Missing if the first failure ends the run anyway. */
	accounts?: Accounts;
	paid: PaidRequests;
	/** Missing if the execution may pay as much as it needs. */
	budget?: Budget;
	/** Missing if credits stop nothing. */
	credits?: CreditFloor;
	/** Whether a failed item stops the workflow, as it does unless the node is set to continue. */
	isStopping: boolean;
	/** How many items are worked on at the same time. */
	parallel: number;
	/** Ends all sending when an item has failed and the workflow is going to stop. */
	stop: AbortController;
}

/**
 * Reads what all items share.
 * @throws NodeOperationError when an option that all items share isn't valid
 */
export function openBatch(nodeRun: NodeRun, kind: TaskKind): Batch {
	const { context, isAgentTool } = nodeRun;
	const maxPaid = readMaxPaid(nodeRun);
	const stopBelow = readStopBelow(context);
	const maxParallel = readMaxParallel(context);
	const { patienceMs, timeoutMs } = readTimes(context);
	const stop = new AbortController();
	const paid = new PaidRequests(nodeRun);
	const isStopping = !context.continueOnFail();
	const credits = stopBelow === undefined ? undefined : new CreditFloor(nodeRun, stopBelow);
	const run = {
		patienceMs,
		since: performance.now(),
		progress: new Progress(context.logger),
		seeCredit: (credit?: number) => credits?.see(credit),
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
		run,
		timeoutMs,
		accounts: isStopping ? undefined : new Accounts(run),
		paid,
		budget: maxPaid === undefined ? undefined : new Budget(nodeRun, maxPaid),
		credits,
		isStopping,
		parallel: maxParallel ?? (kind === 'downloads' ? PARALLEL_DOWNLOADS : MAX_OPEN),
		stop,
	};
}
