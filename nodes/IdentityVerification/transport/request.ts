import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import type { AnswerHead } from '../contract/answerHead';
import { CREDENTIAL_TYPE } from '../credential';
import type { Service } from '../credential';
import { MAX_TIMER_MS } from '../nodejs';
import { connectionFailure } from './connectionFailure';
import type { RequestFailure } from './requestFailure';
import type { ByteStream } from './stream';
import type { Transfer } from './transfer';

/** An answer of any status. */
export type Answer<Body> = AnswerHead & { body: Body };

/** The outcome of a request: an answer, whose body is still arriving, or a failure. */
export type AnswerOrFailure = ({ kind: 'answer' } & Answer<ByteStream>) | RequestFailure;

/**
 * Makes one request, and waits for the headers of its answer. Every status is an answer, even a
 * redirect. Never rejects.
 * @param service without it, the request carries no API key
 */
export async function request(
	context: IExecuteFunctions,
	service: Service | undefined,
	options: IHttpRequestOptions,
	transfer: Transfer,
): Promise<AnswerOrFailure> {
	if (transfer.interruption) return transfer.interruption;
	const sent = send(context, service, options, transfer.signal).then<
		AnswerOrFailure,
		AnswerOrFailure
	>(asAnswer, connectionFailure);
	return await transfer.race(sent, (late) => {
		if (late.kind === 'answer') late.body.destroy();
	});
}

async function send(
	context: IExecuteFunctions,
	service: Service | undefined,
	options: IHttpRequestOptions,
	signal: AbortSignal,
): Promise<Answer<ByteStream>> {
	const sent: IHttpRequestOptions = {
		...options,
		// Only a stream can be stopped at a size limit; n8n's client unpacks any other body without
		// one.
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		// Otherwise, n8n would follow redirects with the key.
		disableFollowRedirect: true,
		// The transfer enforces its own limits, and n8n's client would even stop an upload that keeps
		// moving.
		timeout: MAX_TIMER_MS,
	};
	const answer = service
		? sendWithKey(withSignal(context, signal), service, sent)
		: context.helpers.httpRequest({ ...sent, abortSignal: signal });
	return (await answer) as Answer<ByteStream>;
}

async function sendWithKey(
	context: IExecuteFunctions,
	{ credential }: Service,
	options: IHttpRequestOptions,
): Promise<unknown> {
	return await context.helpers.httpRequestWithAuthentication.call(
		context,
		CREDENTIAL_TYPE,
		options,
		{
			// Otherwise, n8n would read the credential again for each request, which can fail.
			credentialsDecrypted: credential,
			// Otherwise, n8n would send the request again after a 401, even if that answer was
			// incomplete.
			preAuthenticationRetryStatusCode: [],
		},
	);
}

/**
 * A copy of the context that cancels requests by this signal (architecture.md#n8n-request-signal).
 */
function withSignal(context: IExecuteFunctions, signal: AbortSignal): IExecuteFunctions {
	const own = { getExecutionCancelSignal: () => signal };
	return Object.assign(Object.create(context) as IExecuteFunctions, own);
}

function asAnswer({ statusCode, headers, body }: Answer<ByteStream>): AnswerOrFailure {
	// An error can occur before anybody listens for it. It resurfaces on read.
	body.on('error', () => {});
	return { kind: 'answer', statusCode, headers, body };
}
