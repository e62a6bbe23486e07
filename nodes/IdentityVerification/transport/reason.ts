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
	EPROTO: 'it does not speak TLS there',
};

const CERTIFICATE_CODE = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

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
		return { isUnsent: true, reason: UNSENT_REASONS[code ?? ''] ?? 'no connection came about' };
	}
	const known = UNSENT_REASONS[code ?? ''];
	if (known) return { isUnsent: true, reason: known };
	const timedOut = code === 'ECONNABORTED' || code === 'ETIMEDOUT';
	const reason = timedOut ? `none came within ${timeoutMs / 1000} s` : 'the connection broke';
	return { isUnsent: false, reason };
}

type Cause = Partial<Record<'code' | 'syscall' | 'name', string>> & {
	cause?: unknown;
	messages?: unknown;
};

function causesOf(error: unknown): Cause[] {
	const causes: Cause[] = [];
	let cause = error as Cause | undefined;
	while (typeof cause === 'object' && cause !== null && causes.length < 10) {
		causes.push(cause, ...causesInTexts(cause.messages));
		cause = cause.cause as Cause | undefined;
	}
	return causes;
}

/** n8n 1 keeps no cause but its text, such as `connect ECONNREFUSED 127.0.0.1:443`. */
function causesInTexts(texts: unknown): Cause[] {
	if (!Array.isArray(texts)) return [];
	return texts.map((text): Cause => {
		const [, syscall, code] = /^(connect|getaddrinfo) (E[A-Z_]+)\b/.exec(String(text)) ?? [];
		if (syscall) return { syscall, code };
		return /^timeout of \d+ms exceeded$/.test(String(text)) ? { code: 'ECONNABORTED' } : {};
	});
}
