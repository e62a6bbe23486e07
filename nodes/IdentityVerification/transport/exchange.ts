import type { IHttpRequestOptions } from 'n8n-workflow';

import type { AnswerHead } from '../contract/answerHead';
import type { Endpoint } from '../contract/endpoints';
import { MAX_BODY_BYTES } from '../contract/limits';
import { GivenUp } from '../errors/nodeErrors';
import { canceledBefore, imageBroke, noAnswer, notSent, refusesAll } from '../errors/requestErrors';
import type { ConnectedItem } from '../item';
import { RequestBody } from './body';
import { request } from './request';
import type { Answer } from './request';
import { causeOf, reasonOf } from './requestFailure';
import type { RequestFailure } from './requestFailure';
import { subjectOf } from './serviceText';
import { MAX_TIMER_MS } from './timer';
import { Transfer, readText } from './transfer';
import type { ReceivedText } from './transfer';

/**
 * How many times the Timeout an answer may take, from its headers on: one that drips must not hold
 * its place for ever.
 */
const TIMEOUTS_PER_ANSWER = 10;

/**
 * Sends a request and reads its answer, all of it within the Timeout's limits.
 * @returns an answer whose text is whole, unless its status is no success or it is too large
 * @throws NodeApiError when there is no such answer; GivenUp when another item failed before this
 * one was sent
 */
export async function exchange(
	item: ConnectedItem,
	endpoint: Endpoint<never, unknown>,
	fields: object,
): Promise<Answer<ReceivedText>> {
	const { context, run, timeoutMs } = item;
	const transfer = new Transfer(context.getExecutionCancelSignal(), timeoutMs);
	const body = new RequestBody(fields, transfer);
	try {
		const isOpen = await transfer.race(body.open());
		// While the image was opened, the execution may have been canceled or another item may have
		// failed.
		if (run.ended.aborted) throw notSentError(item);
		if (isOpen !== true) throw imageBroke(item);
		const answer = await request(item, requestOptions(item, endpoint.path, body), transfer);
		if (answer.kind !== 'answer') throw requestError(item, answer, body);
		transfer.endAfter(Math.min(TIMEOUTS_PER_ANSWER * timeoutMs, MAX_TIMER_MS));
		const received = await readText(transfer, answer.body, MAX_BODY_BYTES);
		const { text, failure } = received;
		if (isSuccess(answer) && failure && failure.kind !== 'tooLarge') {
			throw noAnswer(item, reasonOf(failure), subjectOf(endpoint, { text }, item.service));
		}
		return { ...answer, body: received };
	} finally {
		body.close();
		transfer.close();
	}
}

function requestOptions(
	{ service }: ConnectedItem,
	path: string,
	body: RequestBody,
): IHttpRequestOptions {
	return {
		method: 'POST',
		url: `${service.baseUrl}${path}`,
		headers: {
			'Content-Type': 'application/json',
			Accept: 'application/json',
			'Content-Length': body.length,
		},
		body: body.stream(),
	};
}

/** Why there is no answer at all. */
function requestError(
	item: ConnectedItem,
	failure: RequestFailure,
	{ storage }: RequestBody,
): Error {
	if (storage === 'failed') return imageBroke(item);
	// It wasn't the service that was silent.
	if (failure.kind === 'silent' && storage === 'awaited') return imageBroke(item);
	const reason = reasonOf(failure);
	return failure.kind === 'unsent'
		? notSent(item, reason, causeOf(failure))
		: noAnswer(item, reason);
}

/** Why a request isn't sent, or not again. */
export function notSentError(item: ConnectedItem): Error {
	if (item.context.getExecutionCancelSignal()?.aborted) return canceledBefore(item);
	return item.run.ended.aborted ? new GivenUp() : refusesAll(item);
}

export function isSuccess({ statusCode }: AnswerHead): boolean {
	return statusCode < 300;
}
