import type { IHttpRequestOptions } from 'n8n-workflow';

import { isSuccess } from '../contract/answerHead';
import type { AnswerHead } from '../contract/answerHead';
import { MAX_BODY_BYTES } from '../contract/bounds';
import type { Endpoint } from '../contract/endpoints';
import { parseAnswer, parseBody } from '../contract/parseBody';
import type { ParsedBody, Reading } from '../contract/read';
import { creditIn } from '../contract/result';
import type { Service } from '../credential';
import {
	canceledBefore,
	imageBroke,
	noAnswer,
	notReached,
	whyEnded,
} from '../errors/requestErrors';
import type { ConnectedItem } from '../item';
import { MAX_TIMER_MS } from '../nodejs';
import { RequestBody } from './body';
import { request } from './request';
import type { Answer } from './request';
import { IncompleteRequest, causeOfUnsent, largerThanText, reasonOf } from './requestFailure';
import type { RequestFailure } from './requestFailure';
import { subjectOf } from './serviceText';
import { Transfer, readAnswerText } from './transfer';
import type { ReceivedText } from './transfer';

/**
 * After its headers, an answer may take this many times the Timeout, because one that arrives in
 * drips must not occupy its slot forever.
 */
const TIMEOUTS_PER_ANSWER = 10;

/** What has arrived of an answer's body. */
interface AnswerBody extends ReceivedText {
	parsed: Reading<ParsedBody>;
}

const TOO_LARGE: Reading<never> = {
	ok: false,
	problems: [{ path: '', problem: largerThanText(MAX_BODY_BYTES) }],
};

/**
 * Sends a request and reads its answer, all of it within the Timeout's limits. What has arrived
 * counts: a success that parses as an object is the answer, however the connection ended.
 * @returns an answer; or IncompleteRequest if n8n's storage didn't return an image
 * @throws NodeApiError when no answer arrived; GivenUp when another item failed before this one was
 * sent
 */
export async function exchange(
	item: ConnectedItem,
	endpoint: Endpoint<never, unknown>,
	fields: object,
): Promise<Answer<AnswerBody> | IncompleteRequest> {
	const { context, service, run, timeoutMs } = item;
	const transfer = new Transfer(context.getExecutionCancelSignal(), timeoutMs);
	const body = new RequestBody(fields, transfer);
	try {
		const opened = await transfer.race(body.open());
		// While the image was being opened, the execution may have been canceled, or another item may
		// have failed.
		if (run.stopSignal.aborted) throw whyEnded(item, canceledBefore(item));
		if (opened !== true) return new IncompleteRequest(imageBroke(item));
		const options = requestOptions(service, endpoint.path, body);
		const answer = await request(context, service, options, transfer);
		if (answer.kind !== 'answer') {
			if (isImageBroken(answer, body)) return new IncompleteRequest(imageBroke(item));
			throw requestError(item, answer);
		}
		transfer.endAfter(Math.min(TIMEOUTS_PER_ANSWER * timeoutMs, MAX_TIMER_MS));
		const received = await readAnswerText(transfer, answer, MAX_BODY_BYTES);
		const { text, failure } = received;
		const parsed = parseReceived(endpoint, answer, received);
		if (isSuccess(answer) && failure && failure.kind !== 'tooLarge' && !parsed.ok) {
			throw noAnswer(item, reasonOf(failure), subjectOf(endpoint, { text }, service));
		}
		const credit = parsed.ok ? creditIn(parsed.value) : undefined;
		if (credit !== undefined || isSuccess(answer)) run.seeCredit?.(credit);
		return { ...answer, body: { ...received, parsed } };
	} finally {
		body.close();
		transfer.close();
	}
}

function requestOptions(
	{ baseUrl }: Service,
	path: string,
	body: RequestBody,
): IHttpRequestOptions {
	return {
		method: 'POST',
		url: `${baseUrl}${path}`,
		headers: {
			'Content-Type': 'application/json',
			Accept: 'application/json',
			// What has arrived of a packed answer can't always be unpacked.
			'Accept-Encoding': 'identity',
			'Content-Length': body.length,
		},
		body: body.stream(),
	};
}

function parseReceived(
	{ essential }: Endpoint<never, unknown>,
	answer: AnswerHead,
	received: ReceivedText,
): Reading<ParsedBody> {
	if (received.failure?.kind === 'tooLarge') return TOO_LARGE;
	return isSuccess(answer) ? parseAnswer(received, essential) : parseBody(received);
}

/** Whether n8n's storage, and not the service, failed or was silent. */
function isImageBroken({ kind }: RequestFailure, { storage }: RequestBody): boolean {
	return storage === 'failed' || (kind === 'silent' && storage === 'awaited');
}

/** The error for a request without any answer. */
function requestError(item: ConnectedItem, failure: RequestFailure): Error {
	const reason = reasonOf(failure);
	return failure.kind === 'unsent'
		? notReached(item, reason, causeOfUnsent(failure))
		: noAnswer(item, reason);
}
