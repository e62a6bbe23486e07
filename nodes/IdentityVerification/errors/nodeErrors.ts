import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { ItemContext } from '../item';
import { CHARGE_TEXTS, chargeMark, mayBeCharged } from './charge';
import type { Charge } from './charge';

/** An error in one of the two forms that n8n shows to users. */
export type NodeError = NodeApiError | NodeOperationError;

/** Why a node failed, for n8n itself, which may try again later. */
export type Cause = NonNullable<NodeError['failure']>;

/** Somebody has to change a parameter or the credential first. */
export const WRONG_SETTING: Cause = { cause: 'configuration-invalid' };

/**
 * Thrown for an item that was given up because another one failed first, too few credits are left,
 * or its account may not be able to go on: nothing was sent for it, or its request was refused with
 * 429. It costs nothing.
 */
export class GivenUp extends Error {}

/** Where something failed: at an item, or in the run as a whole. */
type Place = Pick<ItemContext, 'context'> & Partial<ItemContext>;

/** Only an error that cost nothing can have a cause, because trying again would pay twice. */
type ChargeAndCause = { charge: 'none'; cause?: Cause } | { charge: 'possible'; cause?: undefined };

/** What an error says. */
export type ErrorContent = ChargeAndCause & {
	/** What is wrong. The charge and the name of the item are added. */
	message: string;
	/** What to do. It doesn't repeat what the message says about the charge. */
	advice: string;
	/** What the message says about the charge in place of the usual text; empty if it says so already. */
	chargeText?: string;
	/** For what the service or the connection did. Missing if an item or a setting is wrong. */
	as?: typeof NodeApiError;
	/** The status of the service's answer. */
	httpCode?: string;
};

/** Every error of the node, in one of n8n's two classes. Its message ends with the charge's mark. */
export function nodeError(place: Place, content: ErrorContent): NodeError {
	const { context, itemIndex } = place;
	const { advice, charge, cause, as: ApiError, httpCode } = content;
	const details = { message: 'Failed', description: advice, httpCode, itemIndex, failure: cause };
	// No response is passed on, because n8n stores error objects and a response contains personal
	// data.
	const error = ApiError
		? new ApiError(context.getNode(), {}, details)
		: new NodeOperationError(context.getNode(), 'Failed', details);
	// Set afterwards, because n8n replaces a message that contains a code such as ECONNRESET.
	error.message = headline(place, content) + chargeMark(charge, itemIndex);
	error.context.charge = charge;
	return error;
}

function headline({ name }: Place, { message, charge, chargeText }: ErrorContent): string {
	const text = chargeText ?? CHARGE_TEXTS[charge];
	const complete = text ? `${message.replace(/\.$/, '')}. ${text}` : message;
	return name ? `${complete} for "${name}"` : complete;
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
export function asNodeError(place: Place, failed: unknown, chargeIfUnknown: Charge): NodeError {
	if (isNodeError(failed) && failed.context.charge !== undefined) return failed;
	if (chargeIfUnknown === 'possible') {
		// The text of what was thrown isn't shown, because it could contain data of the request.
		return nodeError(place, {
			as: NodeApiError,
			message: 'The node failed after it had sent the request',
			advice: lookUpFirst(THE_REQUEST),
			charge: 'possible',
		});
	}
	const { message, description, failure } = (
		failed instanceof Error ? failed : new Error(String(failed))
	) as Error & Partial<Pick<NodeError, 'description' | 'failure'>>;
	return nodeError(place, { message, advice: description ?? '', charge: 'none', cause: failure });
}

/**
 * The same error in other words. The given error isn't changed.
 * @param words a message without the charge's mark
 */
export function reworded(
	context: IExecuteFunctions,
	error: NodeError,
	words: Partial<Pick<ErrorContent, 'message' | 'advice'>>,
	chargeAndCause: ChargeAndCause = chargeAndCauseOf(error),
): NodeError {
	const { message, description, httpCode } = storableFailure(error);
	return nodeError(
		{ context, itemIndex: itemIndexOf(error) },
		{
			...{ message, advice: description, ...words },
			...chargeAndCause,
			chargeText: '',
			as: error instanceof NodeApiError ? NodeApiError : undefined,
			httpCode,
		},
	);
}

/** The message of an error that this file made, without the charge's mark. */
export function unmarkedMessage(error: NodeError): string {
	const mark = chargeMark(chargeAndCauseOf(error).charge, itemIndexOf(error));
	return error.message.endsWith(mark) ? error.message.slice(0, -mark.length) : error.message;
}

function chargeAndCauseOf(error: NodeError): ChargeAndCause {
	return mayBeCharged(error) ? { charge: 'possible' } : { charge: 'none', cause: error.failure };
}

/** Undefined if the error concerns no single item. */
function itemIndexOf({ context }: NodeError): number | undefined {
	return (context as Pick<Place, 'itemIndex'>).itemIndex;
}

/** A failure in the form in which n8n can store it. Its message has no mark. */
export interface StoredFailure {
	message: string;
	description: string;
	httpCode?: string;
}

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
export function restoreFailure(
	{ context, itemIndex }: ItemContext,
	stored: StoredFailure,
): NodeError {
	const { message, description, httpCode } = stored;
	return nodeError(
		{ context, itemIndex },
		{
			as: NodeApiError,
			message,
			advice: description,
			charge: 'possible',
			chargeText: '',
			httpCode,
		},
	);
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
