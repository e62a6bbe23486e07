import { NodeApiError } from 'n8n-workflow';

import type { AnswerHead } from '../contract/answerHead';
import type { Problem } from '../contract/read';
import type { ItemContext } from '../item';
import { GivenUp, THE_REQUEST, lookUpFirst, nodeError } from './nodeErrors';
import type { Cause, NodeError } from './nodeErrors';
import { holdsSecret } from './secrets';
import type { Secrets } from './secrets';
import { adviceFor, causeOfStatus, isUnprocessed } from './statuses';

/** Uses n8n's own word, by which n8n distinguishes a canceled execution from a failed one. */
export const CANCELED = 'the execution was canceled';

const HIDDEN_REASON = '(the reason is hidden because it contains a secret of the credential)';

/** What a message may show of an answer. */
export interface ServiceNote {
	/** What to look up in the portal, such as `transaction 4f3a`, or just `the request`. */
	subject: string;
	/** The service's own text; empty if there is none to show. */
	text: string;
}

/** The connection failed before anything was sent. */
export function notReached(item: ItemContext, reason: string, cause: Cause): NodeError {
	return nodeError(item, {
		as: NodeApiError,
		message: `The service could not be reached: ${reason}`,
		advice: "Check the credential's 'Base URL' and the network, then run the item again.",
		charge: 'none',
		cause,
	});
}

/**
 * The execution was canceled before the service accepted the request: it wasn't sent, or was
 * refused with 429 each time.
 */
export function canceledBefore(item: ItemContext): NodeError {
	return nodeError(item, {
		as: NodeApiError,
		message: 'The execution was canceled before the service accepted this request',
		advice: 'Run the item again if you still need its result.',
		charge: 'none',
	});
}

/**
 * Why nothing more is sent for an item after its run has ended.
 * @param canceled the error if the execution was canceled
 * @returns GivenUp if another item failed first, or too few credits are left
 */
export function whyEnded({ context }: ItemContext, canceled: NodeError): Error {
	return context.getExecutionCancelSignal()?.aborted ? canceled : new GivenUp();
}

/**
 * The service has refused all requests of this operation and profile for so long that this one
 * wasn't sent.
 */
export function refusesAll(item: ItemContext): NodeError {
	return nodeError(item, {
		as: NodeApiError,
		message: 'The service is currently refusing all requests like this one',
		advice: adviceFor(429),
		charge: 'none',
		cause: { cause: 'rate-limited' },
	});
}

/** A stored image couldn't be read, so the service didn't receive a complete request. */
export function imageBroke(item: ItemContext): NodeError {
	return nodeError(item, {
		as: NodeApiError,
		message:
			'The image could not be read again for sending, so the service did not receive a complete request',
		advice:
			"The stored file is missing, has changed size or can't be reached. Check n8n's binary data storage, then run the item again.",
		charge: 'none',
	});
}

/**
 * The request may have been sent, and there is no complete answer.
 * @param subject what to look up in the portal
 */
export function noAnswer(
	item: ItemContext,
	reason: string,
	subject: ServiceNote['subject'] = THE_REQUEST,
): NodeError {
	return nodeError(item, {
		as: NodeApiError,
		message: `No answer from the service: ${reason}`,
		advice: lookUpFirst(subject),
		charge: 'possible',
	});
}

/**
 * The service answered with a status other than success. The interface documents none of them, so
 * only plain refusals count as not charged.
 */
export function errorStatus(
	item: ItemContext,
	answer: AnswerHead,
	{ subject, text }: ServiceNote,
): NodeError {
	const { statusCode } = answer;
	const advice = adviceFor(statusCode);
	const answered = {
		as: NodeApiError,
		message: `The service answered with status ${statusCode}${text && `: ${text}`}`,
		httpCode: String(statusCode),
	};
	if (isUnprocessed(answer)) {
		return nodeError(item, { ...answered, advice, charge: 'none', cause: causeOfStatus(answer) });
	}
	return nodeError(item, {
		...answered,
		advice: `${advice} ${lookUpFirst(subject)}`,
		charge: 'possible',
	});
}

/**
 * The status is a success, but the answer isn't the documented one. The error names fields, but
 * contains no value except the ID.
 * @param expected what the answer should have been, such as `scan result`
 */
export function unreadableAnswer(
	item: ItemContext,
	expected: string,
	problems: Problem[],
	{ subject, text }: ServiceNote,
): NodeError {
	const differences = problems.map(({ path, problem }) => `${path || 'the body'} ${problem}`);
	return nodeError(item, {
		as: NodeApiError,
		message: `The service answered, but not with a readable ${expected}${text && `: ${text}`}`,
		advice: `Look ${subject} up in the service's web portal. Problems in the answer: ${differences.join('; ')}.`,
		charge: 'possible',
	});
}

/**
 * A file of a result didn't arrive. Downloads are not charged.
 * @param reason may name a host, which the service chose
 */
export function fileNotFetched(
	item: ItemContext & { service: Secrets },
	reason: string,
): NodeError {
	const shown = holdsSecret(reason, item.service) ? HIDDEN_REASON : reason;
	return nodeError(item, {
		as: NodeApiError,
		message: `A file could not be downloaded: ${shown}`,
		advice: 'Fix the cause that the message names, then run the item again.',
		charge: 'none',
	});
}
