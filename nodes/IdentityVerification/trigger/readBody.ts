import { MAX_COMPLEX_LENGTH } from '../contract/limits';
import { parseBody } from '../contract/parseBody';
import { NO_OBJECT } from '../contract/read';
import type { Reading } from '../contract/read';

/**
 * The members of n8n's request that concern its body (architecture.md#n8n-raw-body). n8n itself
 * parses only some content types.
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

/** The JSON of a body, or why it can't be read. */
export type ReadBody = Reading<unknown> | 'tooLarge';

/**
 * Reads a body as JSON whatever its content type, because the service documents none. Only
 * multipart bodies aren't read. Never rejects.
 */
export async function readBody(request: BodySource): Promise<ReadBody> {
	const { contentType = '' } = request;
	if (contentType === 'application/json') return parsedByN8n(request);
	if (contentType.startsWith('multipart/')) return NO_OBJECT;
	try {
		// A compressed body that breaks off would never end, because the unpacker doesn't notice that
		// its source is gone.
		await Promise.race([request.readRawBody(), breakingOff(request)]);
		return parseBody(decode(request.rawBody, request.encoding));
	} catch (error) {
		// Otherwise, a sender that reads the answer only after it has sent everything would wait
		// forever.
		request.unpipe().resume();
		return (error as { status?: unknown }).status === 413 ? 'tooLarge' : NO_OBJECT;
	}
}

/** n8n has parsed the body already, but it takes any number of values. */
function parsedByN8n({ body, rawBody, encoding }: BodySource): Reading<unknown> {
	if (!rawBody || rawBody.length <= MAX_COMPLEX_LENGTH) return { ok: true, value: body };
	return parseBody(decode(rawBody, encoding));
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
