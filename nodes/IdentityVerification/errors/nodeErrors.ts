import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { ItemContext } from '../item';
import { chargeMark, withCharge } from './charge';
import type { Charge } from './charge';

/** An error in one of the two forms that n8n shows to users. */
export type NodeError = NodeApiError | NodeOperationError;

/**
 * Why a node failed, for n8n itself, which may try again later. Used only if nothing was charged,
 * because trying again would pay twice.
 */
export type Cause = NonNullable<NodeError['failure']>;

/** Somebody has to change a parameter or the credential first. */
export const WRONG_SETTING: Cause = { cause: 'configuration-invalid' };

/**
 * Thrown for an item that was given up because another one failed first: nothing was sent for it,
 * or its request was refused with 429. It costs nothing.
 */
export class GivenUp extends Error {}

/** Where something failed: at an item, or in the run as a whole. */
type Place = Pick<ItemContext, 'context' | 'name'> & Partial<Pick<ItemContext, 'itemIndex'>>;

/** What is needed of a node to make its error. */
type NodeContext = Pick<IExecuteFunctions, 'getNode'>;

/** The content of an error. */
export interface ErrorContent {
	/** Without the charge's mark, which is added. */
	message: string;
	description: string;
	charge: Charge;
	cause?: Cause;
	itemIndex?: number;
	/** The status of the service's answer. */
	httpCode?: string;
}

/** A message, with what the failure means for the user's credits, and the name of its item. */
export function headline(message: string, charge: Charge, name?: string): string {
	return `${withCharge(message, charge)}${name ? ` for "${name}"` : ''}`;
}

/** An error of a request, with exactly this message and the charge's mark. */
export function apiError(context: NodeContext, content: ErrorContent): NodeApiError {
	const { message, description, httpCode, charge, cause, itemIndex } = content;
	const details = { message: 'Failed', description, httpCode, itemIndex, failure: cause };
	// No response is passed on, because n8n stores error objects and a response contains personal
	// data.
	const error = new NodeApiError(context.getNode(), {}, details);
	// Set afterwards, because n8n replaces a message that contains a code such as ECONNRESET.
	error.message = message + chargeMark(charge, itemIndex);
	error.context.charge = charge;
	return error;
}

/**
 * An error before any request, with exactly this message and the charge's mark. It is set
 * afterwards, because n8n replaces a message that contains a code such as ENOENT.
 */
function operationError(context: NodeContext, content: ErrorContent): NodeOperationError {
	const { message, description, charge, cause, itemIndex } = content;
	const details = { description, itemIndex, failure: cause };
	const error = new NodeOperationError(context.getNode(), 'Failed', details);
	error.context.charge = charge;
	return Object.assign(error, { message: message + chargeMark(charge, itemIndex), messages: [] });
}

/**
 * The error for an item that failed before anything was sent for it.
 * @param message without the item and the charge, which are added
 * @param advice what to do, in a sentence
 * @param cause only if something other than the item is to blame
 */
export function itemError(
	{ context, itemIndex, name }: Place,
	message: string,
	advice: string,
	cause?: Cause,
): NodeOperationError {
	const sent = itemIndex === undefined ? 'Nothing was sent.' : 'Nothing was sent for this item.';
	return operationError(context, {
		message: headline(message, 'none', name),
		description: `${advice} ${sent}`.trimStart(),
		itemIndex,
		charge: 'none',
		cause,
	});
}

/**
 * The error for an item that costs nothing, although it may have been sent and refused.
 * @param message without the charge, which is added
 */
export function unpaidItemError(
	{ context, itemIndex }: ItemContext,
	message: string,
	description: string,
): NodeOperationError {
	return operationError(context, {
		message: headline(message, 'none'),
		description,
		itemIndex,
		charge: 'none',
	});
}

/** The error for an item that is paid for, and whose result can't be returned. */
export function paidItemError(
	{ context, itemIndex }: ItemContext,
	message: string,
	description: string,
): NodeOperationError {
	return operationError(context, { message, description, itemIndex, charge: 'possible' });
}

/**
 * The error for a node that failed as a whole before it sent anything.
 * @param message without the charge, which is added
 * @param purpose for what nothing was charged, such as "for waiting"
 */
export function wholeNodeError(
	context: NodeContext,
	message: string,
	description: string,
	purpose = '',
): NodeOperationError {
	return operationError(context, {
		message: `${withCharge(message, 'none')} ${purpose}`.trimEnd(),
		description,
		charge: 'none',
		cause: WRONG_SETTING,
	});
}

/** The error for a failure in the node itself after the request may have been sent. */
function failedAfterwards({ context, itemIndex }: Place): NodeApiError {
	return apiError(context, {
		message: headline('The node failed after it had sent the request', 'possible'),
		description: lookUpFirst(THE_REQUEST),
		charge: 'possible',
		itemIndex,
	});
}

/** What to look up if the service has returned no ID. */
export const THE_REQUEST = 'the request';

/** What to do if a request may have been charged. */
export function lookUpFirst(subject: string): string {
	return `Look ${subject} up in the service's web portal before you run this item again. 'Retry On Fail' won't send it again; Retry in the executions list will, and may pay again.`;
}

/**
 * Turns anything that was thrown for an item into a complete error. Errors of n8n itself, such as a
 * failing expression, say nothing about charges.
 * @param chargeIfUnknown the charge of such an error: `possible` once sending has begun
 */
export function asNodeError(item: Place, failed: unknown, chargeIfUnknown: Charge): NodeError {
	if (isNodeError(failed) && failed.context.charge !== undefined) return failed;
	// Its text isn't shown, because it could contain data of the request.
	if (chargeIfUnknown === 'possible') return failedAfterwards(item);
	const { message, description, failure } = (
		failed instanceof Error ? failed : new Error(String(failed))
	) as Error & Partial<Pick<NodeError, 'description' | 'failure'>>;
	return itemError(item, message, description ?? '', failure);
}

/**
 * The same error in other words. The given error isn't changed.
 * @param words a message without the charge's mark
 */
export function reworded(
	context: NodeContext,
	error: NodeError,
	words: Partial<Pick<ErrorContent, 'message' | 'description' | 'cause' | 'charge'>>,
): NodeError {
	const content = {
		...marksOf(error),
		message: unmarkedMessage(error),
		description: error.description ?? '',
		cause: error.failure,
		...words,
	};
	if (error instanceof NodeOperationError) return operationError(context, content);
	return apiError(context, { ...content, httpCode: error.httpCode ?? undefined });
}

/** The message of an error that this file made, without the charge's mark. */
export function unmarkedMessage(error: NodeError): string {
	const { charge, itemIndex } = marksOf(error);
	const mark = chargeMark(charge, itemIndex);
	return error.message.endsWith(mark) ? error.message.slice(0, -mark.length) : error.message;
}

function marksOf({ context }: NodeError): Pick<ErrorContent, 'charge' | 'itemIndex'> {
	const { charge, itemIndex } = context as Pick<ErrorContent, 'charge' | 'itemIndex'>;
	return { charge, itemIndex };
}

/** A failure in the form in which n8n can store it. Its message has no mark. */
export type StoredFailure = Pick<ErrorContent, 'message' | 'description' | 'httpCode'>;

/** The error of a request that may have been charged, for a later try. */
export function storableFailure(error: NodeError): StoredFailure {
	const httpCode = error instanceof NodeApiError ? error.httpCode : undefined;
	return {
		message: unmarkedMessage(error),
		description: error.description ?? '',
		httpCode: httpCode ?? undefined,
	};
}

/** Makes the same error again in that try. */
export function restoreFailure(item: ItemContext, stored: StoredFailure): NodeApiError {
	return apiError(item.context, { ...stored, itemIndex: item.itemIndex, charge: 'possible' });
}

function isNodeError(failed: unknown): failed is NodeError {
	return failed instanceof NodeApiError || failed instanceof NodeOperationError;
}

/**
 * Logs a fault of the node itself, such as a TypeError, because the item's error says only that the
 * node failed. The message isn't logged, because it could contain data of the request.
 */
export function logUnexpected(
	{ logger }: Pick<IExecuteFunctions, 'logger'>,
	failed: unknown,
): void {
	if (isNodeError(failed) || !(failed instanceof Error)) return;
	logger.error(`Identity Verification: unexpected ${failed.name}\n${placesOf(failed).join('\n')}`);
}

/** Where an error was thrown, and from where that was called. The error's message isn't included. */
export function placesOf(failed: unknown): string[] {
	const { stack = '' } = failed instanceof Error ? failed : {};
	return stack.split('\n').filter((line) => /^\s+at /.test(line));
}
