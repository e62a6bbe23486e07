import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { isRecord } from '../contract';
import { CREDENTIAL_TYPE } from '../credential';
import type { Service } from '../credential';
import { CANCELED } from './errors';
import type { PacedRun } from './pace/gate';

/** What the requests of one node run share. */
export interface Connection {
	context: IExecuteFunctions;
	service: Service;
	/** How they wait for their turn. */
	run: PacedRun;
	/** How long the service may stay silent, in milliseconds. */
	timeoutMs: number;
}

/** An answer of any status. */
export interface Answer<Body> {
	statusCode: number;
	headers: Partial<Record<string, string>>;
	body: Body;
}

/** What a request sends, and how long the other side may stay silent. */
export type RequestOptions = IHttpRequestOptions & { /** Milliseconds. */ timeout: number };

/**
 * Makes one request with the API key. Every status is an answer, also one that redirects. An answer
 * that breaks off comes without a body if its status isn't a success, and counts as no answer otherwise.
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

/** An answer that broke off, but whose status is enough to go by. n8n 2 keeps it in the error's cause. */
function brokenRefusal(error: unknown) {
	const cause = isRecord(error) ? error.cause : undefined;
	const answer = isRecord(cause) ? cause.response : undefined;
	if (!isRecord(answer) || typeof answer.status !== 'number') return undefined;
	if (answer.status < 300) return undefined;
	return { statusCode: answer.status, headers: answer.headers, body: undefined };
}

/** What a connection failed with, as far as Node.js tells. */
export interface ConnectionFailure {
	/** Whether it failed before any byte of the request was sent. */
	isUnsent: boolean;
	reason: string;
}

const UNSENT_REASONS: Partial<Record<string, string>> = {
	ECONNREFUSED: 'the connection was refused',
	ENOTFOUND: 'the host name is not known',
	EAI_AGAIN: 'the host name could not be looked up',
	ERR_INVALID_URL: 'the address is not valid',
};

const CERTIFICATE_CODE = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

/** As Node.js says it of a TLS handshake that is not done. */
const HANDSHAKE_ENDED =
	'Client network socket disconnected before secure TLS connection was established';

/** Any other EPROTO can come in the middle of a request. */
const NO_TLS = /^write EPROTO .*:(wrong version number|packet length too long|unknown protocol):/s;

/** Reads the error of a failed request; its texts may hold addresses and are not handed on. */
export function connectionFailure(error: unknown, timeoutMs: number): ConnectionFailure {
	const causes = causesOf(error);
	const code = causes.map((cause) => cause.code).find((value) => typeof value === 'string');
	if (causes.some(({ name }) => String(name).startsWith('Ssrf'))) {
		return { isUnsent: true, reason: "n8n's protection against internal addresses blocks it" };
	}
	if (code !== undefined && CERTIFICATE_CODE.test(code)) {
		return { isUnsent: true, reason: 'its TLS certificate is not valid' };
	}
	if (causes.some(({ syscall }) => syscall === 'connect' || syscall === 'getaddrinfo')) {
		return { isUnsent: true, reason: UNSENT_REASONS[code ?? ''] ?? 'the connection failed' };
	}
	const known = UNSENT_REASONS[code ?? ''] ?? unsentByText(causes);
	if (known) return { isUnsent: true, reason: known };
	const timedOut = code === 'ECONNABORTED' || code === 'ETIMEDOUT';
	const reason = timedOut ? `nothing came within ${timeoutMs / 1000} s` : 'the connection broke';
	return { isUnsent: false, reason };
}

function unsentByText(causes: Cause[]): string | undefined {
	const texts = causes.flatMap(({ message, messages }) => [message, ...listOf(messages)]);
	if (texts.includes(HANDSHAKE_ENDED)) return 'the connection ended during the TLS handshake';
	return texts.some((text) => NO_TLS.test(String(text)))
		? 'the server does not accept https at this address'
		: undefined;
}

type Cause = Partial<Record<'code' | 'syscall' | 'name', string>> & {
	cause?: unknown;
	message?: unknown;
	messages?: unknown;
};

function causesOf(error: unknown): Cause[] {
	const causes: Cause[] = [];
	let cause = error as Cause | undefined;
	while (typeof cause === 'object' && cause !== null && causes.length < 10) {
		causes.push(cause, ...causesInTexts(listOf(cause.messages)));
		cause = cause.cause as Cause | undefined;
	}
	return causes;
}

/** n8n 1 keeps no cause but its text, such as `connect ECONNREFUSED 127.0.0.1:443`. */
function causesInTexts(texts: unknown[]): Cause[] {
	return texts.map((text): Cause => {
		const [, syscall, code] = /^(connect|getaddrinfo) (E[A-Z_]+)\b/.exec(String(text)) ?? [];
		if (syscall) return { syscall, code };
		return /^timeout of \d+ms exceeded$/.test(String(text)) ? { code: 'ECONNABORTED' } : {};
	});
}

function listOf(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}
