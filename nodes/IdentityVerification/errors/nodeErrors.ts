import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { ItemContext } from '../item';
import { withCharge } from './charge';
import type { Charge } from './charge';

/** An error in one of the two forms that n8n shows to users. */
export type NodeError = NodeApiError | NodeOperationError;

/**
 * Why a node failed, for n8n itself, such as to try again later. Only where nothing was charged: it
 * would invite to pay twice.
 */
export type Cause = NonNullable<NodeError['failure']>;

/** Somebody has to change a parameter or the credential first. */
export const WRONG_SETTING: Cause = { cause: 'configuration-invalid' };

/**
 * Thrown for an item that was given up because another one failed first: nothing was sent for it,
 * or its request was refused with 429. It costs nothing.
 */
export class GivenUp extends Error {}

/** What an error needs to know of its node. */
type NodeContext = Pick<IExecuteFunctions, 'getNode'>;

/** What an error says. */
export interface ErrorContent {
	message: string;
	description: string;
	/** Missing where nothing says it, as in n8n's own errors. */
	charge?: Charge;
	cause?: Cause;
	itemIndex?: number;
	/** The status of the service's answer. */
	httpCode?: string;
}

/**
 * What a message begins with, what it means for the user's credits, and the item that it belongs
 * to.
 */
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
	// Given no response: n8n stores error objects, and a response holds personal data.
	const error = new NodeApiError(context.getNode(), {}, details);
	// Set afterwards, because n8n replaces a message in which a code such as ECONNRESET occurs.
	error.message = message;
	error.context.charge = charge;
	return error;
}

/**
 * An error before any request, with exactly this message: n8n replaces one in which a code such as
 * ENOENT occurs.
 */
function operationError(context: NodeContext, content: ErrorContent): NodeOperationError {
	const { message, description, charge, cause, itemIndex } = content;
	const details = { description, itemIndex, failure: cause };
	const error = new NodeOperationError(context.getNode(), 'Failed', details);
	error.context.charge = charge;
	return Object.assign(error, { message, messages: [] });
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
	return operationError(context, {
		message: headline(message, 'none', { itemIndex }),
		description: `${advice} Nothing was sent for this item.`.trimStart(),
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
	return operationError(context, {
		message: `${withCharge(message, 'none')} ${purpose}`.trimEnd(),
		description,
		charge: 'none',
		cause: WRONG_SETTING,
	});
}

/** Something failed in the node itself after the request may have gone out. */
function failedAfterwards(item: ItemContext): NodeApiError {
	const { context, itemIndex } = item;
	return apiError(context, {
		message: headline('The node failed after it had sent the request', 'possible', item),
		description: lookUpFirst(THE_REQUEST),
		charge: 'possible',
		itemIndex,
	});
}

/** What to look up where the service has given no ID. */
export const THE_REQUEST = 'the request';

/** What to do where a request may have been charged. */
export function lookUpFirst(subject: string): string {
	return `Look ${subject} up in the service's web portal before you run this item again. 'Retry On Fail' won't send it again.`;
}

/**
 * Turns whatever was thrown for an item into a complete error. Errors of n8n, such as of an
 * expression that fails, say nothing about charges.
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

/**
 * The same error in other words. The given one stays as it is: an error is complete when it's made.
 */
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

/** The same error in that try. */
export function restoreFailure(item: ItemContext, stored: StoredFailure): NodeApiError {
	return apiError(item.context, { ...stored, itemIndex: item.itemIndex, charge: 'possible' });
}

function isNodeError(failed: unknown): failed is NodeError {
	return failed instanceof NodeApiError || failed instanceof NodeOperationError;
}

/**
 * Logs a fault of the node itself, such as a TypeError: the item's error only says that the node
 * failed. Without its message, which could hold data of the request.
 */
export function logUnexpected(
	{ logger }: Pick<IExecuteFunctions, 'logger'>,
	failed: unknown,
): void {
	if (isNodeError(failed) || !(failed instanceof Error)) return;
	const places = (failed.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
	logger.error(`Identity Verification: unexpected ${failed.name}\n${places.join('\n')}`);
}
