import type { RequestFailure, UnsentCause } from './requestFailure';

/** Codes of Node.js that occur only before any byte of the request is sent, and what they mean. */
const UNSENT_CODES: Partial<Record<string, UnsentCause>> = {
	ECONNREFUSED: 'refused',
	ENOTFOUND: 'unknownHost',
	EAI_AGAIN: 'lookup',
	ERR_INVALID_URL: 'invalidAddress',
	// The package's own names for what Node.js says only in texts.
	HANDSHAKE_ENDED: 'handshake',
	NO_TLS: 'noTls',
};

/** Codes of Node.js for a connection that ends too early. */
const LOST_CODES = [
	'ECONNABORTED',
	'ECONNRESET',
	'EPIPE',
	'ERR_STREAM_PREMATURE_CLOSE',
	'ETIMEDOUT',
];

/** Any code of Node.js. */
const CODE = /^[A-Z0-9_]+$/;

/** How deeply causes are followed. */
const MAX_CAUSES = 9;

const CERTIFICATE_CODE = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

/** For an authority that Node.js doesn't know, such as a company's own. */
const UNKNOWN_AUTHORITY = /^(DEPTH_ZERO_SELF|SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF))/;

/** Node.js's message for an unfinished TLS handshake. */
const HANDSHAKE_ENDED =
	'Client network socket disconnected before secure TLS connection was established';

/** Any other EPROTO can occur in the middle of a request. */
const NO_TLS = /^write EPROTO .*:(wrong version number|packet length too long|unknown protocol):/s;

/**
 * Reads the error of a failed request. Its texts aren't kept, because they may contain addresses.
 */
export function connectionFailure(error: unknown): RequestFailure {
	const cause = unsentCause(causesOf(error));
	return cause ? { kind: 'unsent', cause } : answerFailure(error);
}

/** Reads the error of a request that was sent, or may have been. */
export function answerFailure(error: unknown): RequestFailure {
	const codes = causesOf(error)
		.filter(hasCode)
		.map(({ code = '' }) => code)
		.filter((code) => CODE.test(code));
	if (codes.some((code) => LOST_CODES.includes(code))) return { kind: 'broken' };
	return { kind: 'unreadable', code: codes.at(-1) ?? '' };
}

function unsentCause(causes: Cause[]): UnsentCause | undefined {
	if (causes.some(({ name }) => String(name).startsWith('Ssrf'))) return 'blocked';
	const clues = [...cluesInTexts(causes), ...causes];
	const code = clues.find(hasCode)?.code ?? '';
	if (UNKNOWN_AUTHORITY.test(code)) return 'unknownAuthority';
	if (CERTIFICATE_CODE.test(code)) return 'certificate';
	return UNSENT_CODES[code] ?? (clues.some(isConnecting) ? 'failed' : undefined);
}

type Clue = Partial<Record<'code' | 'syscall', string>>;

type Cause = Clue & Partial<Record<'name' | 'cause' | 'errors' | 'message', unknown>>;

/** An error, the errors that caused it, and, if several addresses were tried, the error of each. */
function causesOf(error: unknown, depth = 0): Cause[] {
	if (typeof error !== 'object' || error === null || depth > MAX_CAUSES) return [];
	const cause: Cause = error;
	const deeper = [...errorsIn(cause.errors), cause.cause];
	return [cause, ...deeper.flatMap((next) => causesOf(next, depth + 1))];
}

/**
 * Clues that only texts give: a TLS handshake that breaks off has the same code as any lost
 * connection. The text of an error without a code can be the service's.
 */
function cluesInTexts(causes: Cause[]): Clue[] {
	return causes.filter(hasCode).map(({ message }) => clueIn(String(message)));
}

function clueIn(text: string): Clue {
	const [, syscall, code] = /^(connect|getaddrinfo) (E[A-Z_]+)\b/.exec(text) ?? [];
	if (syscall) return { syscall, code };
	if (text === HANDSHAKE_ENDED) return { code: 'HANDSHAKE_ENDED' };
	return NO_TLS.test(text) ? { code: 'NO_TLS' } : {};
}

function isConnecting({ syscall }: Clue): boolean {
	return syscall === 'connect' || syscall === 'getaddrinfo';
}

function hasCode({ code }: Clue): boolean {
	return typeof code === 'string';
}

function errorsIn(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}
