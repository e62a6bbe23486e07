import { linkDone, prepareLink } from '../actions/createHostedLink/createHostedLink.operation';
import type { LinkTask } from '../actions/createHostedLink/createHostedLink.operation';
import { downloadsDone, prepareDownloads } from '../actions/downloadFiles/downloadFiles.operation';
import type { DownloadsTask } from '../actions/downloadFiles/downloadFiles.operation';
import { prepareScan, scanDone } from '../actions/scan/scan.operation';
import type { ScanTask } from '../actions/scan/scan.operation';
import { CREATE_HOSTED_LINK, SCAN } from '../contract/endpoints';
import { readService } from '../credential';
import { mayBeCharged } from '../errors/charge';
import {
	GivenUp,
	asNodeError,
	logUnexpected,
	nodeError,
	restoreFailure,
	storableFailure,
} from '../errors/nodeErrors';
import type { NodeError } from '../errors/nodeErrors';
import { canceledBefore } from '../errors/requestErrors';
import type { ConnectedItem, ItemContext, PacedRun } from '../item';
import type { Done, TaskKind } from '../operation';
import { call } from '../transport/call';
import { downloadAll } from '../transport/download';
import type { Batch } from './batch';
import type { Outcome } from './outcome';
import { fingerprintOf } from './paid/fingerprint';
import { idOf } from './paid/paidRequests';
import type { RequestKey } from './paid/paidRequests';
import type { Paid, PaidRequest } from './paid/stored';

/** What is left to do for an item that has been read and checked. */
export type Task = ScanTask | LinkTask | DownloadsTask;

/** What to do for an item. */
export type Step =
	/** The item is checked, and not paid for yet. Without a `key`, it costs nothing. */
	| { kind: 'send'; item: ConnectedItem; task: Task; key?: RequestKey }
	/** An earlier try or execution has paid for the item. */
	| { kind: 'paid'; done: Done }
	/** The item failed before anything was sent. */
	| { kind: 'failed'; error: NodeError };

/**
 * Reads and checks an item. Sends nothing, and never rejects.
 *
 * What a Retry, or the next try of Retry On Fail, does depends on what became of the item's request:
 *
 * | The request was | This try |
 * |---|---|
 * | paid in this execution, at the same address | returns its result again |
 * | possibly charged in this execution | returns its error again |
 * | paid in an earlier execution, with the same fingerprint and address | returns its result again |
 * | paid in any execution, at another address | fails |
 * | possibly charged in an earlier execution | sends it, because Retry asks for it |
 * | anything else | sends it |
 *
 * It fails at another address so that a Retry neither mixes results of two services nor pays again
 * without being asked to. If this execution has paid, and its credential can't be read now, the
 * address is taken to be the same.
 */
export async function makeStep(batch: Batch, itemIndex: number): Promise<Step> {
	const { context, isAgentTool, run, timeoutMs, kind, paid } = batch;
	try {
		const own = paid.inThisExecution(itemIndex);
		if (own) return await stepOfThisExecution({ context, itemIndex }, own);
		if (context.getExecutionCancelSignal()?.aborted) throw canceledBefore({ context, itemIndex });
		const service = await readService(context, itemIndex);
		const item = { context, isAgentTool, itemIndex, service, run, timeoutMs };
		const task = await prepare(kind, item);
		if (task.kind === 'downloads') return { kind: 'send', item, task };
		const fingerprint = fingerprintOf(context, task.requestIdentity);
		const key = { itemIndex, fingerprint, baseUrl: service.baseUrl };
		return stepOfEarlierExecutions(batch, key) ?? { kind: 'send', item, task, key };
	} catch (failed: unknown) {
		return { kind: 'failed', error: asNodeError({ context, itemIndex }, failed, 'none') };
	}
}

async function prepare(kind: TaskKind, item: ConnectedItem): Promise<Task> {
	switch (kind) {
		case 'scan':
			return await prepareScan(item);
		case 'link':
			return await prepareLink(item);
		case 'downloads':
			return prepareDownloads(item);
	}
}

/** Nobody can change what an item asks for during an execution, so only the address is compared. */
async function stepOfThisExecution(item: ItemContext, own: PaidRequest): Promise<Step> {
	if (own.kind === 'possiblyCharged') {
		return { kind: 'failed', error: restoreFailure(item, own.failure) };
	}
	const service = await readService(item.context, item.itemIndex).catch(() => undefined);
	if (service && service.baseUrl !== own.baseUrl) {
		return { kind: 'failed', error: paidElsewhere(item, own, service.baseUrl) };
	}
	return { kind: 'paid', done: own.done };
}

/** Undefined if the item should be sent. */
function stepOfEarlierExecutions({ context, paid }: Batch, key: RequestKey): Step | undefined {
	const { itemIndex, fingerprint, baseUrl } = key;
	const earlier = paid.inEarlierExecutions(itemIndex);
	const same = earlier[fingerprint];
	if (same?.kind === 'paid' && same.baseUrl === baseUrl) {
		// The result now belongs to this execution as well, so its next try and its error will find it.
		paid.rememberPaid(key, same.done);
		return { kind: 'paid', done: same.done };
	}
	const elsewhere = Object.values(earlier)
		.filter((request) => request.kind === 'paid')
		.find((request) => request.baseUrl !== baseUrl);
	if (!elsewhere) return undefined;
	return { kind: 'failed', error: paidElsewhere({ context, itemIndex }, elsewhere, baseUrl) };
}

/** Carries out a step, and remembers what it paid for. Never rejects. */
export async function carryOut(batch: Batch, itemIndex: number, step: Step): Promise<Outcome> {
	if (step.kind !== 'send') return outcomeWithoutRequest(step);
	const { context, accounts, budget, credits } = batch;
	const { item, key } = step;
	const place = { context, itemIndex };
	if (!key) return await send(batch, step, item.run);
	if (budget && !budget.take()) return { kind: 'failed', error: budget.usedUp(place) };
	const account = accounts?.of(item);
	const outcome = account
		? await account.send(place, async (run) => await send(batch, step, run))
		: await send(batch, step, item.run);
	if (isFree(outcome)) budget?.giveBack();
	const isStoppedByCredits = outcome.kind === 'givenUp' && credits?.isReached;
	return isStoppedByCredits ? { kind: 'failed', error: credits.reached(place) } : outcome;
}

async function send(
	{ context, paid }: Batch,
	{ item, task, key }: Extract<Step, { kind: 'send' }>,
	run: PacedRun,
): Promise<Outcome> {
	try {
		const done = await sendTask({ ...item, run }, task);
		if (key) paid.rememberPaid(key, done);
		return { kind: 'done', done };
	} catch (failed: unknown) {
		if (failed instanceof GivenUp) return { kind: 'givenUp' };
		logUnexpected(context, failed);
		const error = asNodeError(item, failed, key ? 'possible' : 'none');
		if (key && mayBeCharged(error)) paid.rememberPossiblyCharged(key, storableFailure(error));
		return { kind: 'failed', error };
	}
}

async function sendTask(item: ConnectedItem, task: Task): Promise<Done> {
	switch (task.kind) {
		case 'scan':
			return scanDone(item, task, await call(item, SCAN, task));
		case 'link':
			return await linkDone(item, task, await call(item, CREATE_HOSTED_LINK, task));
		case 'downloads':
			return downloadsDone(item, task, await downloadAll(item, task.files, task.maxBytes));
	}
}

/** Whether a request that isn't done has cost nothing for certain. */
function isFree(outcome: Outcome): boolean {
	if (outcome.kind === 'failed') return !mayBeCharged(outcome.error);
	return outcome.kind === 'givenUp';
}

/** The outcome of an item for which nothing is sent. */
export function outcomeWithoutRequest(step: Step): Outcome {
	switch (step.kind) {
		case 'paid':
			return { kind: 'done', done: step.done };
		case 'failed':
			return step;
		case 'send':
			return { kind: 'givenUp' };
	}
}

function paidElsewhere(item: ItemContext, { baseUrl, done }: Paid, leadsTo: string): NodeError {
	const id = idOf(done.item);
	return nodeError(item, {
		message: `This item is already paid for${id && ` (${id})`}, at an address other than the credential's`,
		advice: `Nothing was sent for this item. It was paid for at ${baseUrl}, and the credential now leads to ${leadsTo}. If n8n saved this execution, set the credential back and use Retry to get the result without paying again. To send the item to the new address, start a new run, which pays for it.`,
		charge: 'possible',
		chargeText: '',
	});
}
