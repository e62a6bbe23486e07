import { readService } from '../credential';
import { mayBeCharged } from '../errors/charge';
import {
	GivenUp,
	asNodeError,
	itemError,
	logUnexpected,
	restoreFailure,
	storableFailure,
} from '../errors/nodeErrors';
import type { NodeError } from '../errors/nodeErrors';
import { canceledBefore } from '../errors/requestErrors';
import type { Connection, ItemContext, NodeRun } from '../item';
import type { Done, ItemOperation, Task } from '../operation';
import { fingerprintOf } from './paid/fingerprint';
import { idOf } from './paid/paidRequests';
import type { PaidRequests, RequestKey } from './paid/paidRequests';
import type { Paid, PaidRequest } from './paid/stored';

/** What the items of a node run share. */
export interface Batch extends NodeRun {
	operation: ItemOperation;
	/** How requests are sent. Each item adds the service to which its credential leads. */
	connection: Connection;
	paid: PaidRequests;
	/**
	 * Whether a result that an earlier try paid for is returned only while its item leads to the same
	 * address. Otherwise, this try could mix results of two services.
	 */
	comparesAddresses: boolean;
}

/** What to do for an item. */
export type Step =
	/** The item is checked, and not paid for yet. Without a `key`, it costs nothing. */
	| { kind: 'send'; task: Task; key?: RequestKey }
	/** An earlier try or execution has paid for the item. */
	| { kind: 'paid'; done: Done }
	/** The item failed before anything was sent. */
	| { kind: 'failed'; error: NodeError };

/** What became of an item. */
export type Outcome =
	| { kind: 'done'; done: Done }
	| { kind: 'failed'; error: NodeError }
	/** Another item failed first. */
	| { kind: 'givenUp' };

/**
 * Reads and checks an item. Sends nothing, and never rejects.
 *
 * What a Retry, or the next try of Retry On Fail, does depends on what became of the item's request:
 *
 * | The request was | This try |
 * |---|---|
 * | paid in this execution | returns its result again |
 * | possibly charged in this execution | returns its error again |
 * | paid in an earlier execution, with the same fingerprint and address | returns its result again |
 * | paid in an earlier execution, at another address | fails |
 * | anything else | sends it |
 *
 * It fails at another address so that a Retry neither mixes results of two services nor pays again
 * without being asked to. `comparesAddresses` says when the same applies within an execution.
 */
export async function makeStep(batch: Batch, itemIndex: number): Promise<Step> {
	const { context, operation, connection, paid } = batch;
	const item = { context, itemIndex };
	try {
		const own = paid.inThisExecution(itemIndex);
		if (own) return await stepOfThisExecution(batch, item, own);
		if (context.getExecutionCancelSignal()?.aborted) throw canceledBefore(item);
		const service = await readService(context, itemIndex);
		const task = await operation.prepare({ ...connection, service, itemIndex });
		if (!task.requestIdentity) return { kind: 'send', task };
		const fingerprint = fingerprintOf(context, task.requestIdentity);
		const key = { itemIndex, fingerprint, baseUrl: service.baseUrl };
		return stepOfEarlierExecutions(batch, key) ?? { kind: 'send', task, key };
	} catch (failed: unknown) {
		return { kind: 'failed', error: asNodeError(item, failed, 'none') };
	}
}

/** Nobody can change what an item asks for during an execution, so only the address is compared. */
async function stepOfThisExecution(
	{ comparesAddresses }: Batch,
	item: ItemContext,
	own: PaidRequest,
): Promise<Step> {
	if (own.kind === 'possiblyCharged') {
		return { kind: 'failed', error: restoreFailure(item, own.failure) };
	}
	if (comparesAddresses) {
		// A paid result is returned even if the credential can no longer be read.
		const service = await readService(item.context, item.itemIndex).catch(() => undefined);
		if (service && service.baseUrl !== own.baseUrl) {
			return { kind: 'failed', error: paidElsewhere(item, own, service.baseUrl) };
		}
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
	const { task, key } = step;
	try {
		const done = await task.send();
		if (key) batch.paid.rememberPaid(key, done);
		return { kind: 'done', done };
	} catch (failed: unknown) {
		if (failed instanceof GivenUp) return { kind: 'givenUp' };
		logUnexpected(batch.context, failed);
		const item = { context: batch.context, itemIndex };
		const error = asNodeError(item, failed, key ? 'possible' : 'none');
		if (key && mayBeCharged(error)) {
			batch.paid.rememberPossiblyCharged(key, storableFailure(error));
		}
		return { kind: 'failed', error };
	}
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
	return itemError(
		item,
		"This item is already paid for, at an address other than the credential's",
		`It was paid for at ${baseUrl}${id && ` (${id})`}, and the credential now leads to ${leadsTo}. If n8n saved this execution, set the credential back and use Retry to get the result without paying again. To send the item to the new address, start a new run, which pays for it.`,
	);
}
