import { parseServiceJson } from '../contract/json';
import { MAX_COMPLEX_LENGTH } from '../contract/limits';
import { isTooComplex } from '../contract/outsideTexts';

/** What n8n's request knows of its body. n8n itself parses only some types. */
interface BodySource {
	contentType?: string;
	encoding?: string;
	body?: unknown;
	rawBody?: Uint8Array;
	/** Rejects over n8n's limit, and when the bytes end too early. */
	readRawBody(): Promise<void>;
	unpipe(): { resume(): void };
	complete: boolean;
	destroyed: boolean;
	once(event: 'close', listener: () => void): unknown;
}

/** A body as far as it could be read. */
export interface ReadBody {
	/** Undefined when the body isn't JSON, or could not be read. */
	json?: unknown;
	isTooLarge?: boolean;
	/** It has so many values that reading them would block n8n. */
	isTooComplex?: true;
}

/**
 * Reads a body as JSON, whatever type the sender calls it: the service documents none. Only
 * multipart isn't read. Never rejects.
 */
export async function readBody(request: BodySource): Promise<ReadBody> {
	const { contentType = '' } = request;
	if (contentType === 'application/json') {
		return hasTooManyValues(request) ? { isTooComplex: true } : { json: request.body };
	}
	if (contentType.startsWith('multipart/')) return {};
	try {
		// A compressed body that breaks off never ends: unpacking doesn't see that its source is gone.
		await Promise.race([request.readRawBody(), breakingOff(request)]);
		const text = decode(request.rawBody, request.encoding);
		return isTooComplex(text) ? { isTooComplex: true } : { json: parseServiceJson(text) };
	} catch (error) {
		// A sender that reads the answer only after it has sent everything would wait for ever.
		request.unpipe().resume();
		return { isTooLarge: (error as { status?: unknown }).status === 413 };
	}
}

/** Of a body that n8n has parsed. Nearly all are so short that it need not be decoded once more. */
function hasTooManyValues({ rawBody, encoding }: BodySource): boolean {
	if (!rawBody || rawBody.length <= MAX_COMPLEX_LENGTH) return false;
	return isTooComplex(decode(rawBody, encoding));
}

/** Rejects when the sender goes away in the middle. */
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
		// An unknown charset, such as `binary`. JSON is UTF-8.
		return new TextDecoder().decode(bytes);
	}
}
