import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions } from 'n8n-workflow';

import { describeProblems } from '../contract/read';
import type { Problem } from '../contract/read';
import { retryAfterOf } from '../transport/retryAfter';
import { withoutSecrets } from './secrets';
import type { Secrets } from './secrets';

/** In n8n's own word, by which it tells a canceled execution from a failed one. */
export const CANCELED = 'the execution was canceled';

/** Whether a request that failed can have used credits. In an error, it is `context.charge`. */
export type Charge = 'none' | 'possible';

/** The charge in the words of the headline, because n8n puts nothing else into a failed item's `error`. */
const CHARGE_TEXTS: Record<Charge, string> = {
	none: 'Nothing was charged',
	possible: 'The request may have been processed and charged',
};

/** Statuses that say that the request was refused before it was processed; 407 is a proxy's. */
const REFUSALS = [400, 401, 402, 403, 404, 405, 407, 413, 415, 422, 429];

/** An item of the node's input: what its parameters are read from, and what an error of it names. */
export interface ItemContext {
	context: IExecuteFunctions;
	itemIndex: number;
	/** A label people recognize, such as the file name. Numbers alone confuse: the editor counts from 1, n8n from 0. */
	name?: string;
}

/** What an answer begins with. */
export interface AnswerHead {
	statusCode: number;
	headers: Partial<Record<string, string>>;
}

/** What an answer says of its request, as far as a message may show it. */
export interface ServiceNote {
	/** What to look up in the portal, such as `transaction 4f3a`, or just `the request`. */
	subject: string;
	/** The service's own text; empty if there is none to show. */
	text: string;
}

/** A failure in the form in which n8n can store it. */
export type StoredFailure = Pick<Failure, 'message' | 'description' | 'httpCode'>;

/**
 * Thrown for an item that was given up because another one failed first: nothing was sent for it, or its request was
 * refused with 429. It costs nothing.
 */
export class GivenUp extends Error {}

/** What an error needs to know of its node. */
type NodeContext = Pick<IExecuteFunctions, 'getNode'>;

/** An error in one of the two forms that n8n shows to users. */
export type NodeError = NodeApiError | NodeOperationError;

/**
 * Why a node failed, for n8n itself, such as to try again later. Only where nothing was charged: it would invite to pay
 * twice.
 */
export type Cause = NonNullable<NodeError['failure']>;

/** Somebody has to change a parameter or the credential first. */
export const WRONG_SETTING: Cause = { cause: 'configuration-invalid' };

/** The connection failed before anything was sent. */
export function notSent(item: ItemContext, reason: string, cause: Cause): NodeApiError {
	return failure(item, {
		message: `The service could not be reached: ${reason}`,
		description:
			"Nothing was sent for this item. Check the credential's 'Base URL' and the network, then run the item again.",
		cause,
	});
}

/** The execution was canceled before the request was taken: it wasn't sent, or was refused with 429 each time. */
export function canceledBefore(item: ItemContext): NodeApiError {
	return failure(item, {
		message: 'The execution was canceled before the service took this request',
		description: 'Run the item again if you still need its result.',
	});
}

/** The service has refused all requests of this operation and profile for so long that this one wasn't sent. */
export function refusesAll(item: ItemContext): NodeApiError {
	return failure(item, {
		message: 'The service is currently refusing all requests like this one',
		description: `Nothing was sent for this item. ${ADVICE[429]}`,
		cause: { cause: 'rate-limited' },
	});
}

/** A stored image couldn't be read: the service got no complete request. */
export function imageBroke(item: ItemContext): NodeApiError {
	return failure(item, {
		message:
			'The image could not be read again for sending, so the service got no complete request',
		description:
			"The stored file is missing, has changed size or can't be reached. Check n8n's binary data storage, then run the item again.",
	});
}

/**
 * The request may have gone out, and its answer didn't arrive whole.
 * @param subject what to look up in the portal
 */
export function noAnswer(
	item: ItemContext,
	reason: string,
	subject: ServiceNote['subject'] = THE_REQUEST,
): NodeApiError {
	return failure(item, {
		message: `No answer from the service: ${reason}`,
		description: lookUpFirst(subject),
		charge: 'possible',
	});
}

/**
 * The service answered with a status other than success. The interface documents none of them, so
 * only plain refusals count as not charged.
 * @param serverErrorsCostNothing whether the user knows that the service charges nothing when it answers with 5xx
 */
export function errorStatus(
	item: ItemContext,
	answer: AnswerHead,
	{ subject, text }: ServiceNote,
	serverErrorsCostNothing: boolean,
): NodeApiError {
	const { statusCode } = answer;
	const isFree = isRefusal(answer) || (statusCode >= 500 && serverErrorsCostNothing);
	const advice = ADVICE[statusCode] ?? adviceFor(statusCode);
	return failure(item, {
		message: `The service answered with status ${statusCode}${text && `: ${text}`}`,
		description: isFree ? advice : `${advice} ${lookUpFirst(subject)}`,
		httpCode: String(statusCode),
		charge: isFree ? 'none' : 'possible',
		cause: isFree ? causeOf(answer) : undefined,
	});
}

/** Undefined for a status that doesn't tell whether the item, a setting or the service is the cause. */
function causeOf(answer: AnswerHead): Cause | undefined {
	switch (answer.statusCode) {
		case 401:
			return { cause: 'credential-invalid' };
		case 404:
		case 405:
		case 407:
			return WRONG_SETTING;
		case 429:
			return { cause: 'rate-limited', retryAfterMs: retryAfterOf(answer) };
		case 503:
			return { cause: 'temporarily-unavailable', retryAfterMs: retryAfterOf(answer) };
	}
	return undefined;
}

/** A 503 with a Retry-After comes from a service that didn't process the request. */
function isRefusal({ statusCode, headers }: AnswerHead): boolean {
	return (
		REFUSALS.includes(statusCode) || (statusCode === 503 && headers['retry-after'] !== undefined)
	);
}

/**
 * A success status without the documented answer. The error names fields, but no value except the ID.
 * @param expected what the answer should have been, such as `scan result`
 */
export function unreadableAnswer(
	item: ItemContext,
	expected: string,
	problems: Problem[],
	{ subject, text }: ServiceNote,
): NodeApiError {
	return failure(item, {
		message: `The service answered, but not with a readable ${expected}${text && `: ${text}`}`,
		description: `Look ${subject} up in the service's web portal. Problems in the answer: ${describeProblems(problems)}.`,
		charge: 'possible',
	});
}

/** Something failed in the node itself after the request may have gone out. */
export function failedAfterwards(item: ItemContext): NodeApiError {
	return failure(item, {
		message: 'The node failed after it had sent the request',
		description: lookUpFirst(THE_REQUEST),
		charge: 'possible',
	});
}

/**
 * A file of a result didn't arrive. Downloads are not charged.
 * @param reason can name a host, which is the service's text
 */
export function fileNotFetched(
	item: ItemContext & { service: Secrets },
	reason: string,
): NodeApiError {
	return failure(item, {
		message: `A file could not be downloaded: ${withoutSecrets(reason, item.service)}`,
		description: 'Downloads cost nothing: correct what the message names and run the item again.',
	});
}

/** Whether the failed request may have been charged, so that sending it again could charge twice. */
export function mayBeCharged({ context }: NodeError): boolean {
	return context.charge === 'possible';
}

/** The error of a request that may have been charged, for a later try. */
export function storableFailure(error: NodeError): StoredFailure {
	const { message, description } = error;
	const httpCode = error instanceof NodeApiError ? error.httpCode : undefined;
	return { message, description: description ?? '', httpCode: httpCode ?? undefined };
}

/** The same error in that try. */
export function restoreFailure(item: ItemContext, stored: StoredFailure): NodeApiError {
	return apiError(item, { ...stored, charge: 'possible' });
}

/** What to look up where the service has given no ID. */
export const THE_REQUEST = 'the request';

function lookUpFirst(subject: string): string {
	return `Look ${subject} up in the service's web portal before you run this item again. 'Retry On Fail' won't send it again.`;
}

const ADVICE: Partial<Record<number, string>> = {
	401: "The service refused the API key. Check it in the credential against the service's web portal.",
	402: 'The account seems to have too few credits left. Top it up, then run the item again.',
	403: "The service refused this API key, or the key isn't allowed to do this. Check the key and the profile.",
	404: "The service does not know the profile, or has nothing at this address. Check the profile of this item, then the 'Base URL' in the credential.",
	405: "The service doesn't accept this request at this address. Check the 'Base URL' in the credential.",
	407: 'The proxy between n8n and the service asks for a user name and a password. Check the proxy settings of n8n.',
	413: 'The service refused the request as too large. Use a smaller image.',
	429: "The service has refused all requests of this operation with this profile for longer than 'Max Rate Limit Wait' allows, or asks for a longer pause. Check the quota of the profile. Run the item later, or raise 'Max Rate Limit Wait' in the options.",
};

function adviceFor(statusCode: number): string {
	if (statusCode < 400)
		return "Redirects are not followed: the API key would go with them. Correct the 'Base URL' in the credential.";
	if (statusCode < 500) return 'Check the profile and the other parameters of this item.';
	return 'The service failed.';
}

interface Failure {
	message: string;
	description: string;
	httpCode?: string;
	/** The message says it, too. A request that may have been charged isn't sent again. */
	charge?: Charge;
	cause?: Cause;
}

function failure(
	item: ItemContext,
	{ message, charge = 'none', ...failed }: Failure,
): NodeApiError {
	return apiError(item, { ...failed, charge, message: headline(message, charge, item) });
}

/** A message with what it means for the user's credits, and the item that it belongs to. */
function headline(
	message: string,
	charge: Charge,
	{ itemIndex, name }: Omit<ItemContext, 'context'>,
): string {
	return `${withCharge(message, charge)}${name ? ` for "${name}"` : ''} [item ${itemIndex}]`;
}

function withCharge(message: string, charge: Charge): string {
	return `${message.replace(/\.$/, '')}. ${CHARGE_TEXTS[charge]}`;
}

function apiError(
	{ context, itemIndex }: { context: NodeContext; itemIndex?: number },
	{ message, description, httpCode, charge, cause }: Failure,
): NodeApiError {
	const details = { message: 'Failed', description, httpCode, itemIndex, failure: cause };
	// Given no response: n8n stores error objects, and a response holds personal data.
	const error = new NodeApiError(context.getNode(), {}, details);
	// Set afterwards, because n8n replaces a message in which a code such as ECONNRESET occurs.
	error.message = message;
	error.context.charge = charge;
	return error;
}

/**
 * An error of one item, before anything was sent for it.
 * @param message without the item and what it means for credits, which are added
 * @param advice what to do, in a sentence
 * @param cause where the item isn't what is wrong
 */
export function itemError(
	{ context, itemIndex }: ItemContext,
	message: string,
	advice: string,
	cause?: Cause,
): NodeOperationError {
	const description = `${advice} Nothing was sent for this item.`.trimStart();
	return operationError(context, {
		message: headline(message, 'none', { itemIndex }),
		description,
		itemIndex,
		charge: 'none',
		cause,
	});
}

/**
 * An error of a whole node, before it sent anything.
 * @param message without what it means for credits, which is added
 * @param purpose what nothing was charged for, such as "for waiting"
 */
export function wholeNodeError(
	context: NodeContext,
	message: string,
	description: string,
	purpose = '',
): NodeOperationError {
	const headline = `${withCharge(message, 'none')} ${purpose}`.trimEnd();
	return operationError(context, {
		message: headline,
		description,
		charge: 'none',
		cause: WRONG_SETTING,
	});
}

/**
 * Turns whatever was thrown for an item into a complete error. Errors of n8n, such as of an expression that fails, say
 * nothing about charges.
 * @param chargeIfUnknown what such an error means for credits: `possible` once sending has begun
 */
export function asNodeError(
	item: ItemContext,
	failed: unknown,
	chargeIfUnknown: Charge,
): NodeError {
	if (isNodeError(failed) && failed.context.charge !== undefined) return failed;
	// Its text isn't shown: it could hold data of the request.
	if (chargeIfUnknown === 'possible') return failedAfterwards(item);
	const { message, description, failure } = (
		failed instanceof Error ? failed : new Error(String(failed))
	) as Error & Partial<Pick<NodeError, 'description' | 'failure'>>;
	return itemError(item, message, description ?? '', failure);
}

/** The same error in other words. The given one stays as it is: an error is complete when it's made. */
export function reworded(
	context: NodeContext,
	error: NodeError,
	words: Partial<Pick<Failure, 'message' | 'description' | 'cause'>>,
): NodeError {
	const { itemIndex, charge } = error.context as { itemIndex?: number; charge?: Charge };
	const { message, description } = error;
	const failed = {
		message,
		description: description ?? '',
		cause: error.failure,
		...words,
		charge,
	};
	if (error instanceof NodeOperationError) return operationError(context, { ...failed, itemIndex });
	return apiError({ context, itemIndex }, { ...failed, httpCode: error.httpCode ?? undefined });
}

function isNodeError(failed: unknown): failed is NodeError {
	return failed instanceof NodeApiError || failed instanceof NodeOperationError;
}

interface OperationFailure extends Omit<Failure, 'httpCode'> {
	itemIndex?: number;
}

/** An error with exactly this message: n8n replaces one in which a code such as ENOENT occurs. */
function operationError(
	context: NodeContext,
	{ message, description, itemIndex, charge, cause }: OperationFailure,
): NodeOperationError {
	const details = { description, itemIndex, failure: cause };
	const error = new NodeOperationError(context.getNode(), 'Failed', details);
	error.context.charge = charge;
	return Object.assign(error, { message, messages: [] });
}
