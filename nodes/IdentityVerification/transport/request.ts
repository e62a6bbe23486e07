import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { isRecord } from '../contract/read';
import { CREDENTIAL_TYPE } from '../credential';
import type { Service } from '../credential';
import { CANCELED } from './errors';
import type { AnswerHead, ItemContext } from './errors';
import type { PacedRun } from './pace/progress';

/** What the requests of one node run share. */
export interface Connection {
	context: IExecuteFunctions;
	/** Whether an AI agent runs the node as its tool: what it returns goes to the agent's model. */
	isAgentTool: boolean;
	service: Service;
	/** How they wait for their turn. */
	run: PacedRun;
	/** How long the service may stay silent, in milliseconds. */
	timeoutMs: number;
}

/** An item, and how its requests are sent. */
export type ConnectedItem = Connection & ItemContext;

/** An answer of any status. */
export type Answer<Body> = AnswerHead & { body: Body };

/** What a request sends, and how long the other side may stay silent. */
export type RequestOptions = IHttpRequestOptions & { /** Milliseconds. */ timeout: number };

/** Who sends a request. Without a service, it carries no API key. */
export type Sender = Pick<Connection, 'context'> & Partial<Pick<Connection, 'service'>>;

/**
 * Makes one request. Every status is an answer, even a redirect. An answer
 * that breaks off is returned without a body if its status isn't a success, and counts as no answer otherwise.
 * @param describe makes the error to throw when no answer arrives
 */
export async function request<Body>(
	{ context, service }: Sender,
	options: RequestOptions,
	describe: (failure: ConnectionFailure) => Error,
): Promise<Answer<Body>> {
	const sent: IHttpRequestOptions = {
		...options,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		// Else n8n follows redirects with the key.
		disableFollowRedirect: true,
	};
	const answer = service
		? sendWithKey(context, service, sent)
		: context.helpers.httpRequest({ ...sent, abortSignal: context.getExecutionCancelSignal() });
	return await answer.catch((error: unknown) => {
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

async function sendWithKey(
	context: IExecuteFunctions,
	{ credential }: Service,
	options: IHttpRequestOptions,
) {
	return await context.helpers.httpRequestWithAuthentication.call(
		context,
		CREDENTIAL_TYPE,
		options,
		{
			// n8n would read the credential anew for each request, which can fail.
			credentialsDecrypted: credential,
			// n8n would send the request again after a 401, even one whose answer broke off.
			preAuthenticationRetryStatusCode: [],
		},
	);
}

/** An answer that broke off, if its status says enough. n8n 2 keeps it in the error's cause. */
function brokenRefusal(error: unknown) {
	const cause = isRecord(error) ? error.cause : undefined;
	const answer = isRecord(cause) ? cause.response : undefined;
	if (!isRecord(answer) || typeof answer.status !== 'number') return undefined;
	if (answer.status < 300) return undefined;
	return { statusCode: answer.status, headers: answer.headers, body: undefined };
}

/** Why a connection failed, as far as Node.js tells. */
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
	HANDSHAKE_ENDED: 'the connection ended during the TLS handshake',
	NO_TLS: 'the server does not accept https at this address',
};

const CERTIFICATE_CODE = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

/** Of an authority that Node.js doesn't know, such as a company's own. */
const UNKNOWN_AUTHORITY = /^(DEPTH_ZERO_SELF|SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF))/;

/** Node.js's message for an unfinished TLS handshake. */
const HANDSHAKE_ENDED =
	'Client network socket disconnected before secure TLS connection was established';

/** Any other EPROTO can occur in the middle of a request. */
const NO_TLS = /^write EPROTO .*:(wrong version number|packet length too long|unknown protocol):/s;

/** Reads the error of a failed request; its texts may hold addresses and are not kept. */
export function connectionFailure(error: unknown, timeoutMs: number): ConnectionFailure {
	const causes = causesOf(error);
	if (causes.some(({ name }) => String(name).startsWith('Ssrf'))) {
		return { isUnsent: true, reason: "n8n's protection against internal addresses blocks it" };
	}
	const clues = [...cluesInTexts(causes), ...causes];
	const code = clues.find(hasCode)?.code ?? '';
	if (UNKNOWN_AUTHORITY.test(code)) {
		const reason =
			"n8n does not know the authority of its TLS certificate. For an authority of your own, set NODE_EXTRA_CA_CERTS in n8n's environment";
		return { isUnsent: true, reason };
	}
	if (CERTIFICATE_CODE.test(code)) {
		return { isUnsent: true, reason: 'its TLS certificate is not valid' };
	}
	const isConnecting = clues.some(({ syscall }) =>
		['connect', 'getaddrinfo'].includes(syscall ?? ''),
	);
	const known = UNSENT_REASONS[code] ?? (isConnecting && 'the connection failed');
	if (known) return { isUnsent: true, reason: known };
	const timedOut = code === 'ECONNABORTED' || code === 'ETIMEDOUT';
	const reason = timedOut ? `nothing arrived within ${timeoutMs / 1000} s` : 'the connection broke';
	return { isUnsent: false, reason };
}

type Clue = Partial<Record<'code' | 'syscall', string>>;

type Cause = Clue & Partial<Record<'name' | 'cause' | 'errors' | 'message' | 'messages', unknown>>;

/** An error, the errors that it comes from, and, where several addresses were tried, the error of each. */
function causesOf(error: unknown, depth = 0): Cause[] {
	if (typeof error !== 'object' || error === null || depth > 9) return [];
	const cause: Cause = error;
	const behind = [...listOf(cause.errors), cause.cause];
	return [cause, ...behind.flatMap((next) => causesOf(next, depth + 1))];
}

/**
 * Clues that only texts give: n8n 1 passes on nothing else, and a TLS handshake that breaks off has the same code as
 * any broken connection. Where there is a code, other texts can be the service's.
 */
function cluesInTexts(causes: Cause[]): Clue[] {
	const coded = causes.filter(hasCode).map(({ message }) => message);
	const texts = coded.length > 0 ? coded : causes.flatMap(({ messages }) => listOf(messages));
	return texts.map(String).map(clueIn);
}

function clueIn(text: string): Clue {
	const [, syscall, code] = /^(connect|getaddrinfo) (E[A-Z_]+)\b/.exec(text) ?? [];
	if (syscall) return { syscall, code };
	if (/^timeout of \d+ms exceeded$/.test(text)) return { code: 'ECONNABORTED' };
	if (text === HANDSHAKE_ENDED) return { code: 'HANDSHAKE_ENDED' };
	return NO_TLS.test(text) ? { code: 'NO_TLS' } : {};
}

function hasCode({ code }: Clue): boolean {
	return typeof code === 'string';
}

function listOf(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}
