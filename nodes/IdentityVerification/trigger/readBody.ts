import { decode } from '../contract/decode';
import { parseBody } from '../contract/parseBody';
import { NO_OBJECT } from '../contract/read';
import type { ParsedBody, Reading } from '../contract/read';

/** The members of n8n's request that concern its body (architecture.md#n8n-raw-body). */
interface BodySource {
	rawBody?: Uint8Array;
	/** Rejects if the body exceeds n8n's limit or ends too early. */
	readRawBody(): Promise<void>;
	unpipe(): { resume(): void };
}

/** The JSON of a body, or why it can't be read. */
export type ReadBody = Reading<ParsedBody> | 'tooLarge';

/**
 * Reads a body as JSON whatever its content type, because the service documents none. n8n itself
 * parses some, but with bytes that aren't text unnoticed. Never rejects.
 */
export async function readBody(request: BodySource): Promise<ReadBody> {
	try {
		await request.readRawBody();
		return parseBody(decode(request.rawBody));
	} catch (error) {
		// Otherwise, a sender that reads the answer only after it has sent everything would wait
		// forever.
		request.unpipe().resume();
		return (error as { status?: unknown }).status === 413 ? 'tooLarge' : NO_OBJECT;
	}
}
