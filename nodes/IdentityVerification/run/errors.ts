import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { runsOnEngine2 } from '../runtime';
import { NOT_CHARGED, idText, isChargeStated, itemError, mayBeCharged } from '../transport/errors';
import type { ItemContext } from '../transport/errors';
import type { PaidOutcomes } from './paidOutcomes';

/** How many items or IDs a message lists. */
const MAX_LISTED = 50;

/** An item that failed, by its index in the node's input. */
export interface FailedItem {
	itemIndex: number;
	error: NodeApiError | NodeOperationError;
}

/** What the log says of a run that was canceled. A reference opens its link, so links are only counted. */
export function canceledRun(
	context: IExecuteFunctions,
	sent: number,
	{ paid }: PaidOutcomes,
): string {
	const ids = [...paid.values()].flatMap(({ json }) => idText(json.transactionId) || []);
	const transactions = ids.length > 0 ? ` (transactions ${ids.join(', ')})` : '';
	return `Identity Verification: execution ${context.getExecutionId()} was canceled. Requests sent: ${sent}. Items paid: ${paid.size}${transactions}. A request that was still open may have been charged, too.`;
}

/**
 * The error with which `execute()` ends. n8n treats each error with the word "canceled" in its message as a canceled
 * execution, and then offers no Retry, which would return what is paid. Engine 2.0 stores the message only.
 */
export function finalError(
	context: IExecuteFunctions,
	failure: unknown,
): NodeApiError | NodeOperationError {
	const error = asNodeError({ context, itemIndex: 0 }, failure);
	if (runsOnEngine2(context)) error.message = sentences(error.message, error.description);
	const { message, description } = error;
	if (context.getExecutionCancelSignal()?.aborted || !message.includes('canceled')) return error;
	error.message = message.replaceAll('canceled', 'cancelled');
	error.description = sentences(description, `In its original spelling: "${message}"`);
	return error;
}

/** An unexpected failure, such as in an expression, happened before anything was sent. */
export function asNodeError(
	item: ItemContext,
	failure: unknown,
): NodeApiError | NodeOperationError {
	if (failure instanceof NodeApiError || failure instanceof NodeOperationError) {
		// Errors of all items or of n8n, such as an unreadable credential, don't state charges yet.
		if (!isChargeStated(failure)) {
			failure.message = `${failure.message.replace(/\.$/, '')}. ${NOT_CHARGED} by this failure`;
		}
		return failure;
	}
	const { message, description } = (
		failure instanceof Error ? failure : new Error(String(failure))
	) as Error & { description?: string | null };
	return itemError(item, message, description ?? '');
}

/**
 * The error that stops the workflow: of all failures the one that matters most to the user, and what
 * has become of the other items.
 * @param started items that were sent or returned again, whether they failed or not
 */
export function stopError(
	context: IExecuteFunctions,
	failed: FailedItem[],
	started: ReadonlySet<number>,
	outcomes: PaidOutcomes,
): NodeApiError | NodeOperationError {
	const inOrder = [...failed].sort((a, b) => a.itemIndex - b.itemIndex);
	const charged = inOrder.filter(({ error }) => mayBeCharged(error));
	const uncharged = inOrder.filter(({ error }) => !mayBeCharged(error));
	const [first] = [...charged, ...uncharged];
	if (!first) throw new NodeOperationError(context.getNode(), 'No item has failed');
	// A message names its item, unless it concerns all items, as a wrong Base URL does.
	const othersOf = (items: FailedItem[]) =>
		items
			.filter(({ error }) => error.message !== first.error.message)
			.map(({ itemIndex }) => itemIndex);
	const { paid } = outcomes;
	const settled = new Set([...started, ...paid.keys(), ...failed.map((item) => item.itemIndex)]);
	first.error.description = sentences(
		first.error.description,
		alsoCharged(othersOf(charged)),
		alsoFailed(othersOf(uncharged)),
		paidItems([...paid.values()], outcomes.surviveFailure()),
		unprocessed(context.getInputData().length - settled.size),
		earlierExecutions(outcomes),
	);
	return first.error;
}

/**
 * What an error says of items when earlier executions paid for some that aren't returned.
 * @param itemIndexes all items if missing
 */
export function earlierExecutions(outcomes: PaidOutcomes, itemIndexes?: number[]): string {
	const earlier = outcomes.ofEarlierExecutions(itemIndexes);
	if (earlier.size === 0) return '';
	const names = namesOf([...earlier.keys()]);
	const ids = idsOf([...earlier.values()].flat().flatMap(({ done }) => done?.item ?? []));
	return `An earlier execution has paid, or may have been charged, for ${names.replace(/^I/, 'i')}${ids && `: ${ids}`}.`;
}

function alsoCharged(items: number[]): string {
	if (items.length === 0) return '';
	const it = items.length === 1 ? 'it' : 'them';
	return `${namesOf(items)} may have been charged, too. Look ${it} up as well.`;
}

function alsoFailed(items: number[]): string {
	if (items.length === 0) return '';
	return `${namesOf(items)} failed, too, and ${items.length === 1 ? 'was' : 'were'} not charged in this execution.`;
}

/** Such as `Items 2, 3 and 7`. */
function namesOf(items: number[]): string {
	const names = items.slice(0, MAX_LISTED).map(String);
	if (items.length > MAX_LISTED) names.push(`${items.length - MAX_LISTED} others`);
	const last = names.pop();
	return names.length === 0 ? `Item ${last}` : `Items ${names.join(', ')} and ${last}`;
}

function paidItems(items: INodeExecutionData[], areKept: boolean): string {
	if (items.length === 0) return '';
	const are = items.length === 1 ? '1 item is' : `${items.length} items are`;
	if (areKept) {
		return `${are} done and paid. If n8n saved this execution, use Retry in the executions list, with unchanged parameters, to get the paid results without paying again.`;
	}
	const ids = idsOf(items);
	return `${are} done and paid, but a retry may not find the results. Look them up in the service's web portal${ids && `: ${ids}`}.`;
}

function idsOf(items: INodeExecutionData[]): string {
	return items.map(idOf).filter(Boolean).join(', ');
}

/** Transaction ID or link reference. */
function idOf({ json }: INodeExecutionData): string {
	return idText(json.transactionId ?? json.reference);
}

/** Items that weren't sent, or that a 429 kept from being processed before the run stopped. */
function unprocessed(count: number): string {
	if (count <= 0) return '';
	const others = count === 1 ? '1 other item was' : `${count} other items were`;
	return `${others} not processed in this execution.`;
}

function sentences(...texts: Array<string | null | undefined>): string {
	return texts.filter(Boolean).join(' ');
}
