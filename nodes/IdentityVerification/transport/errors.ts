import { NodeApiError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';

import { describeProblems } from '../contract';
import type { Problem } from '../contract';

/** In n8n's own word, by which it tells a canceled execution from a failed one. */
export const CANCELED = 'the execution was canceled';

const LOOK_UP_FIRST =
	"Look the request up in the service's web portal before you run this item again. The node does not repeat it, also with Retry On Fail.";

/** Of gateways that had no answer from the service in time, or none that they could read. */
const GATEWAY_STATUSES = [502, 504, 520, 524];

/** The node and the item that a failure belongs to. */
export interface Place {
	node: INode;
	itemIndex: number;
}

/** No connection came about. */
export function notSent(place: Place, reason: string): NodeApiError {
	return failure(place, {
		message: `The service could not be reached: ${reason}. Nothing was sent or charged`,
		description: "Check the credential's Base URL and the network, then run the item again.",
	});
}

/** The request went out, and its answer didn't come back whole. */
export function noAnswer(place: Place, reason: string): NodeApiError {
	return failure(place, {
		message: `No answer from the service: ${reason}`,
		description: LOOK_UP_FIRST,
		mayBeCharged: true,
	});
}

/**
 * The service answered with a status that says no success (§7). A gateway's status may only say that
 * it didn't wait for the service.
 */
export function refusedWith(place: Place, statusCode: number, text: string): NodeApiError {
	const mayBeCharged = GATEWAY_STATUSES.includes(statusCode);
	return failure(place, {
		message: `The service answered with status ${statusCode}${text && `: ${text}`}`,
		description: mayBeCharged ? LOOK_UP_FIRST : (ADVICE[statusCode] ?? adviceFor(statusCode)),
		httpCode: String(statusCode),
		mayBeCharged,
	});
}

/**
 * A status of success with something else than the documented answer. Names fields, and of their
 * values the transaction ID alone.
 */
export function unreadable(
	place: Place,
	answer: string,
	problems: Problem[],
	transactionId: string | undefined,
): NodeApiError {
	const lookUp = transactionId
		? `Look up transaction ${transactionId} in the service's web portal.`
		: "Look the request up in the service's web portal.";
	return failure(place, {
		message: `The service answered, but not with a readable ${answer}`,
		description: `${lookUp} What differs from the documented answer: ${describeProblems(problems)}.`,
		mayBeCharged: true,
	});
}

/** A file of a result didn't come. Downloads are not charged. */
export function fileNotFetched(place: Place, reason: string): NodeApiError {
	return failure(place, {
		message: `A file could not be downloaded: ${reason}`,
		description: 'Downloads cost nothing: correct what the message names and run the item again.',
	});
}

/** Whether sending the request of this failure again could be charged a second time. */
export function mayBeCharged(error: unknown): boolean {
	return error instanceof NodeApiError && error.context.mayBeCharged === true;
}

const ADVICE: Partial<Record<number, string>> = {
	401: "The service refused the API key. Check it in the credential against the service's web portal.",
	402: 'The account seems to have too few credits left. Top it up, then run the item again.',
	403: 'The service refused this API key or what it may do. Check the key and the profile.',
	429: 'The service asks for a longer pause than the node waits. Lower Max Parallel Requests or run the item later.',
};

function adviceFor(statusCode: number): string {
	if (statusCode < 400)
		return 'Redirects are not followed, because the API key would go along. Correct the Base URL in the credential.';
	if (statusCode < 500) return 'Check the profile and the other parameters of this item.';
	return 'The service failed. Run the item again later.';
}

interface Failure {
	message: string;
	description: string;
	httpCode?: string;
	/** Is said in the message, and kept from being sent again. */
	mayBeCharged?: boolean;
}

function failure({ node, itemIndex }: Place, failed: Failure): NodeApiError {
	const { description, httpCode, mayBeCharged } = failed;
	const message = mayBeCharged
		? `${failed.message.replace(/\.$/, '')}. The request may have been processed and charged`
		: failed.message;
	// Given no response: n8n stores error objects, and a response holds personal data.
	const error = new NodeApiError(
		node,
		{},
		{ message: `${message} [item ${itemIndex}]`, description, httpCode, itemIndex },
	);
	if (mayBeCharged) error.context.mayBeCharged = true;
	return error;
}
