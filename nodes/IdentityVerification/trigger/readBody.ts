import { parseServiceJson } from '../contract/json';
import { MAX_COMPLEX_LENGTH } from '../contract/limits';
import { isTooComplex } from '../contract/outsideTexts';

/**
 * The members of n8n's request that concern its body. n8n itself parses only some content types.
 */
interface BodySource {
	contentType?: string;
	encoding?: string;
	body?: unknown;
	rawBody?: Uint8Array;
	/** Rejects if the body exceeds n8n's limit or ends too early. */
	readRawBody(): Promise<void>;
	unpipe(): { resume(): void };
	complete: boolean;
	destroyed: boolean;
	once(event: 'close', listener: () => void): unknown;
}

/** The body, or what is known of one that couldn't be read. */
export interface ReadBody {
	/** Undefined if the body isn't JSON or couldn't be read. */
	json?: unknown;
	isTooLarge?: boolean;
	/** It has so many values that reading them would block n8n. */
	isTooComplex?: true;
}

/**
 * Reads a body as JSON whatever its content type, because the service documents none. Only
 * multipart bodies aren't read. Never rejects.
 */
export async function readBody(request: BodySource): Promise<ReadBody> {
	const { contentType = '' } = request;
	if (contentType === 'application/json') {
		return hasTooManyValues(request) ? { isTooComplex: true } : { json: request.body };
	}
	if (contentType.startsWith('multipart/')) return {};
	try {
		// A compressed body that breaks off would never end, because the unpacker doesn't notice that
		// its source is gone.
		await Promise.race([request.readRawBody(), breakingOff(request)]);
		const text = decode(request.rawBody, request.encoding);
		return isTooComplex(text) ? { isTooComplex: true } : { json: parseServiceJson(text) };
	} catch (error) {
		// Otherwise, a sender that reads the answer only after it has sent everything would wait
		// forever.
		request.unpipe().resume();
		return { isTooLarge: (error as { status?: unknown }).status === 413 };
	}
}

/** Of a body that n8n has parsed. Nearly all are so short that it need not be decoded once more. */
function hasTooManyValues({ rawBody, encoding }: BodySource): boolean {
	if (!rawBody || rawBody.length <= MAX_COMPLEX_LENGTH) return false;
	return isTooComplex(decode(rawBody, encoding));
}

/** Rejects if the sender closes the connection early. */
async function breakingOff(request: BodySource): Promise<void> {
	await new Promise<void>((_, reject) => {
		const check = () => {
			if (!request.complete) reject(new Error('The sender has closed the connection'));
		};
		if (request.destroyed) check();
		else request.once('close', check);
	});
}

/** Removes a byte order mark. */
function decode(bytes?: Uint8Array, charset?: string): string {
	try {
		return new TextDecoder(charset).decode(bytes);
	} catch {
		// The charset is unknown, such as `binary`. JSON is UTF-8.
		return new TextDecoder().decode(bytes);
	}
}
