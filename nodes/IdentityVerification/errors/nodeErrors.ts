import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { ItemContext } from '../item';
import { withCharge } from './charge';
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

/** What is needed of a node to make its error. */
type NodeContext = Pick<IExecuteFunctions, 'getNode'>;

/** The content of an error. */
export interface ErrorContent {
	message: string;
	description: string;
	/** Missing if it isn't known, as in n8n's own errors. */
	charge?: Charge;
	cause?: Cause;
	itemIndex?: number;
	/** The status of the service's answer. */
	httpCode?: string;
}

/** Completes a message with what the failure means for the user's credits, and with its item. */
export function headline(
	message: string,
	charge: Charge,
	{ itemIndex, name }: Omit<ItemContext, 'context'>,
): string {
	return `${withCharge(message, charge)}${name ? ` for "${name}"` : ''} [item ${itemIndex}]`;
}

/** An error of a request, with exactly this message. */
export function apiError(context: NodeContext, content: ErrorContent): NodeApiError {
	const { message, description, httpCode, charge, cause, itemIndex } = content;
	const details = { message: 'Failed', description, httpCode, itemIndex, failure: cause };
	// No response is passed on, because n8n stores error objects and a response contains personal
	// data.
	const error = new NodeApiError(context.getNode(), {}, details);
	// Set afterwards, because n8n replaces a message that contains a code such as ECONNRESET.
	error.message = message;
	error.context.charge = charge;
	return error;
}

/**
 * An error before any request, with exactly this message. It is set afterwards, because n8n
 * replaces a message that contains a code such as ENOENT.
 */
function operationError(context: NodeContext, content: ErrorContent): NodeOperationError {
	const { message, description, charge, cause, itemIndex } = content;
	const details = { description, itemIndex, failure: cause };
	const error = new NodeOperationError(context.getNode(), 'Failed', details);
	error.context.charge = charge;
	return Object.assign(error, { message, messages: [] });
}

/**
 * The error for an item that failed before anything was sent for it.
 * @param message without the item and the charge, which are added
 * @param advice what to do, in a sentence
 * @param cause only if something other than the item is to blame
 */
export function itemError(
	{ context, itemIndex }: ItemContext,
	message: string,
	advice: string,
	cause?: Cause,
): NodeOperationError {
	return operationError(context, {
		message: headline(message, 'none', { itemIndex }),
		description: `${advice} Nothing was sent for this item.`.trimStart(),
		itemIndex,
		charge: 'none',
		cause,
	});
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
function failedAfterwards(item: ItemContext): NodeApiError {
	const { context, itemIndex } = item;
	return apiError(context, {
		message: headline('The node failed after it had sent the request', 'possible', item),
		description: lookUpFirst(THE_REQUEST),
		charge: 'possible',
		itemIndex,
	});
}

/** What to look up if the service has returned no ID. */
export const THE_REQUEST = 'the request';

/** What to do if a request may have been charged. */
export function lookUpFirst(subject: string): string {
	return `Look ${subject} up in the service's web portal before you run this item again. 'Retry On Fail' won't send it again.`;
}

/**
 * Turns anything that was thrown for an item into a complete error. Errors of n8n itself, such as a
 * failing expression, say nothing about charges.
 * @param chargeIfUnknown the charge of such an error: `possible` once sending has begun
 */
export function asNodeError(
	item: ItemContext,
	failed: unknown,
	chargeIfUnknown: Charge,
): NodeError {
	if (isNodeError(failed) && failed.context.charge !== undefined) return failed;
	// Its text isn't shown, because it could contain data of the request.
	if (chargeIfUnknown === 'possible') return failedAfterwards(item);
	const { message, description, failure } = (
		failed instanceof Error ? failed : new Error(String(failed))
	) as Error & Partial<Pick<NodeError, 'description' | 'failure'>>;
	return itemError(item, message, description ?? '', failure);
}

/** The same error in other words. The given error isn't changed. */
export function reworded(
	context: NodeContext,
	error: NodeError,
	words: Partial<Pick<ErrorContent, 'message' | 'description' | 'cause'>>,
): NodeError {
	const { itemIndex, charge } = error.context as Pick<ErrorContent, 'itemIndex' | 'charge'>;
	const { message, description, failure: cause } = error;
	const content = { message, description: description ?? '', cause, itemIndex, charge, ...words };
	if (error instanceof NodeOperationError) return operationError(context, content);
	return apiError(context, { ...content, httpCode: error.httpCode ?? undefined });
}

/** A failure in the form in which n8n can store it. */
export type StoredFailure = Pick<ErrorContent, 'message' | 'description' | 'httpCode'>;

/** The error of a request that may have been charged, for a later try. */
export function storableFailure(error: NodeError): StoredFailure {
	const { message, description } = error;
	const httpCode = error instanceof NodeApiError ? error.httpCode : undefined;
	return { message, description: description ?? '', httpCode: httpCode ?? undefined };
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
