/** What n8n's request knows of its body. n8n itself parses only some types. */
export interface BodySource {
	/** Type of the Content-Type header, in lower case and without its parameters. */
	contentType?: string;
	/** Charset of the Content-Type header, known or not. */
	encoding?: string;
	/** What n8n made of the bytes. */
	body?: unknown;
	/** The bytes, unpacked, once they were read. */
	rawBody?: Uint8Array;
	/** Reads the bytes unless n8n has done so. Rejects over n8n's limit, and when they end too early. */
	readRawBody(): Promise<void>;
	unpipe(): { resume(): void };
	/** Whether all of it has arrived. */
	complete: boolean;
	destroyed: boolean;
	once(event: 'close', listener: () => void): unknown;
}

/** A body as it was read. */
export interface Body {
	/** Undefined when the body isn't JSON, or could not be read. */
	json?: unknown;
	/** It is larger than n8n's limit. */
	isTooLarge?: boolean;
}

/**
 * Reads a body as JSON, whatever type the sender calls it: the service documents none. Multipart
 * alone isn't read. Never rejects.
 */
export async function readBody(request: BodySource): Promise<Body> {
	const { contentType = '' } = request;
	if (contentType === 'application/json') return { json: request.body };
	if (contentType.startsWith('multipart/')) return {};
	try {
		// A packed body that breaks off would be waited for: unpacking doesn't see that its source is gone.
		await Promise.race([request.readRawBody(), breakingOff(request)]);
		return { json: JSON.parse(decode(request.rawBody, request.encoding)) };
	} catch (error) {
		// A sender that reads the answer only after it has sent everything would wait for ever.
		request.unpipe().resume();
		return { isTooLarge: (error as { status?: unknown }).status === 413 };
	}
}

/** Rejects when the sender goes away in the middle. */
async function breakingOff(request: BodySource): Promise<void> {
	await new Promise<void>((_, reject) => {
		const check = () => {
			if (!request.complete) reject(new Error('The sender has gone away'));
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
