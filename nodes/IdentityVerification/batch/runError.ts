import { mayBeCharged } from '../errors/charge';
import { asNodeError, reworded, unmarkedMessage } from '../errors/nodeErrors';
import type { NodeError } from '../errors/nodeErrors';
import type { NodeRun } from '../item';
import { keepsPaidRequests } from '../n8n/whatN8nStores';
import type { Batch } from './batch';
import { withEarlierCharge } from './earlierCharge';
import type { Outcome } from './outcome';
import { PaidRequests, idOf } from './paid/paidRequests';

/** How many items a message lists. */
const MAX_LISTED = 50;

/**
 * The error that stops the workflow: the failure that matters most to the user, and what became of
 * the other items.
 * @returns undefined if no item has failed
 */
export function errorOfItems(batch: Batch, outcomes: Outcome[]): NodeError | undefined {
	const { context, paid } = batch;
	const failed = failures(outcomes);
	const charged = failed.filter(({ error }) => mayBeCharged(error));
	const first = charged[0] ?? failed[0];
	if (!first) return undefined;
	const results = paid.results(outcomes.length);
	const others = failed.filter((item) => item !== first);
	const advice = sentences(
		first.error.description,
		alsoCharged(others.filter(({ error }) => mayBeCharged(error))),
		alsoFailed(others.filter(({ error }) => !mayBeCharged(error))),
		paidItems([...results.values()].map(idOf), keepsPaidRequests(batch)),
		unprocessed(outcomes.filter(({ kind }) => kind === 'givenUp').length),
	);
	const charge = charged[0] ? 'possible' : 'none';
	// A cause would invite n8n to run the node again, which can pay again for what is paid.
	return reworded(context, first.error, { advice }, results.size > 0 ? { charge } : undefined);
}

/**
 * The error with which `execute()` ends.
 * @param failed what was thrown; if it isn't a complete error yet, it concerns the whole node
 */
export function errorOfRun(nodeRun: NodeRun, failed: unknown): NodeError {
	const { context } = nodeRun;
	const paid = new PaidRequests(nodeRun);
	const thrown = asNodeError({ context }, failed, 'none');
	const isPaidEarlier = context
		.getInputData()
		.some((_, itemIndex) => paid.lacksEarlierResult(itemIndex));
	const error = isPaidEarlier ? withEarlierCharge(nodeRun, thrown) : thrown;
	return context.getExecutionCancelSignal()?.aborted ? error : notCanceled(nodeRun, error);
}

/**
 * If the message of an error contains the word "canceled", n8n treats the execution as canceled and
 * offers no Retry (architecture.md#n8n-canceled). But only a Retry returns what is paid, so the
 * word is respelled.
 */
function notCanceled({ context }: NodeRun, error: NodeError): NodeError {
	const { message, description } = error;
	if (!message.includes('canceled')) return error;
	return reworded(context, error, {
		message: unmarkedMessage(error).replaceAll('canceled', 'cancelled'),
		advice: sentences(description, `In its original spelling: "${message}"`),
	});
}

/** An item that failed, by its index in the node's input. */
interface FailedItem {
	index: number;
	error: NodeError;
}

function failures(outcomes: Outcome[]): FailedItem[] {
	return outcomes.flatMap((outcome, index) =>
		outcome.kind === 'failed' ? [{ index, error: outcome.error }] : [],
	);
}

function alsoCharged(items: FailedItem[]): string {
	if (items.length === 0) return '';
	const it = items.length === 1 ? 'it' : 'them';
	return `${namesOf(items)} may have been charged, too. Look ${it} up as well.`;
}

function alsoFailed(items: FailedItem[]): string {
	if (items.length === 0) return '';
	return `${namesOf(items)} failed, too, and ${items.length === 1 ? 'was' : 'were'} not charged in this execution.`;
}

/** Such as `Items 2, 3 and 7`. */
function namesOf(items: FailedItem[]): string {
	const names = items.slice(0, MAX_LISTED).map(({ index }) => String(index));
	if (items.length > MAX_LISTED) names.push(`${items.length - MAX_LISTED} others`);
	const last = names.pop();
	return names.length === 0 ? `Item ${last}` : `Items ${names.join(', ')} and ${last}`;
}

/** @param ids an empty one for an item whose ID isn't known */
function paidItems(ids: string[], isKept: boolean): string {
	if (ids.length === 0) return '';
	const are = ids.length === 1 ? '1 item is' : `${ids.length} items are`;
	const known = ids.filter(Boolean).join(', ');
	const next = isKept
		? 'If n8n saved this execution, use Retry in the executions list, with unchanged parameters, to get the paid results without paying again.'
		: "A retry does not find the results: look them up in the service's web portal.";
	return `${are} done and paid for${known && ` (${known})`}. ${next}`;
}

/**
 * Covers items that weren't sent, and items that were still being refused with 429 when the run
 * stopped.
 */
function unprocessed(count: number): string {
	if (count === 0) return '';
	const others = count === 1 ? '1 other item was' : `${count} other items were`;
	return `${others} not processed in this execution.`;
}

function sentences(...texts: Array<string | null | undefined>): string {
	return texts.filter(Boolean).join(' ');
}
