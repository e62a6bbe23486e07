import type { IHttpRequestOptions } from 'n8n-workflow';

import { isRecord } from '../contract';
import { CREDENTIAL_TYPE } from '../credential';
import type { Answer, Connection } from './connection';
import { CANCELED } from './errors';
import { connectionFailure } from './reason';
import type { ConnectionFailure } from './reason';

/** What a request sends, and how long the other side may stay silent. */
export type RequestOptions = IHttpRequestOptions & { /** Milliseconds. */ timeout: number };

/**
 * Makes one request with the API key. Every status is an answer, also one that redirects. An answer
 * that breaks off has no body when its status says no success, and is none otherwise.
 * @param describe makes the error to throw when no answer comes
 */
export async function request<Body>(
	{ context, service }: Pick<Connection, 'context' | 'service'>,
	options: RequestOptions,
	describe: (failure: ConnectionFailure) => Error,
): Promise<Answer<Body>> {
	return await context.helpers.httpRequestWithAuthentication
		.call(
			context,
			CREDENTIAL_TYPE,
			{
				...options,
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				// Otherwise n8n takes the key along redirects.
				disableFollowRedirect: true,
			},
			{
				// n8n would read the credential anew for each request, which can fail.
				credentialsDecrypted: service.credential,
				// n8n would send the request again after a 401, even one whose answer broke off.
				preAuthenticationRetryStatusCode: [],
			},
		)
		.catch((error: unknown) => {
			const isCanceled = context.getExecutionCancelSignal()?.aborted;
			const refusal = isCanceled ? undefined : brokenRefusal(error);
			if (refusal) return refusal;
			throw describe(
				isCanceled
					? { isUnsent: false, reason: CANCELED }
					: connectionFailure(error, options.timeout),
			);
		});
}

/** The start of an answer that broke off, where its status tells all: n8n 2 has it as the cause. */
function brokenRefusal(error: unknown) {
	const cause = isRecord(error) ? error.cause : undefined;
	const answer = isRecord(cause) ? cause.response : undefined;
	if (!isRecord(answer) || typeof answer.status !== 'number') return undefined;
	if (answer.status < 300) return undefined;
	return { statusCode: answer.status, headers: answer.headers, body: undefined };
}
