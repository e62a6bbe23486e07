import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { CREDENTIAL_TYPE } from '../credential';
import type { Answer } from './connection';
import { CANCELED } from './errors';
import { connectionFailure } from './reason';
import type { ConnectionFailure } from './reason';

/** What a request sends, and how long the other side may stay silent. */
export type RequestOptions = IHttpRequestOptions & { /** Milliseconds. */ timeout: number };

/**
 * Makes one request with the API key. Every status is an answer, also one that redirects.
 * @param describe makes the error to throw when no answer comes
 */
export async function request<Body>(
	context: IExecuteFunctions,
	options: RequestOptions,
	describe: (failure: ConnectionFailure) => Error,
): Promise<Answer<Body>> {
	return await context.helpers.httpRequestWithAuthentication
		.call(context, CREDENTIAL_TYPE, {
			...options,
			returnFullResponse: true,
			// Without these two n8n repeats the request on 401 and takes the key along redirects.
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		})
		.catch((error: unknown) => {
			const isCanceled = context.getExecutionCancelSignal()?.aborted;
			throw describe(
				isCanceled
					? { isUnsent: false, reason: CANCELED }
					: connectionFailure(error, options.timeout),
			);
		});
}
