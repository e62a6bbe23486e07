import type { IExecuteFunctions } from 'n8n-workflow';

import type { Base64 } from '../contract/endpoints';

/** A stream of n8n's binary data. */
export type ByteStream = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

interface KnownImage {
	/** How a later run recognizes the image: the ID of the stored file, or a SHA-256 in hex. */
	identity: string;
	/** What a message may call it. */
	name?: string;
}

/** An image that becomes base64 on its way out. */
export interface StreamedImage extends KnownImage {
	/** Size of the image in bytes, before base64. */
	bytes: number;
	open(): Promise<ByteStream>;
}

/** An image that n8n holds in memory. */
export interface TextImage extends KnownImage {
	/** Its base64 text, for JSON.stringify. */
	toJSON(): string;
}

/** An image of a request. A stored one is read when the request is sent, again for every attempt. */
export type Image = StreamedImage | TextImage;

/** What is sent to an endpoint. */
export interface RequestFields<Request> {
	/** The documented fields; each image becomes its base64 text. */
	own: { [Key in keyof Request]: Request[Key] extends Base64 | undefined ? Image : Request[Key] };
	/** Fields that the interface doesn't document. An image among them becomes base64 text, too. */
	additional: Record<string, unknown>;
}

/** A body to be sent once. */
export interface OpenBody {
	/** Bytes. */
	length: number;
	content: string | ByteStream;
	/** Why an image could not be read: the body is then incomplete. */
	readonly failure?: Error;
	/** Closes the images after the request, whether the body was read or not. */
	close(): void;
}

type Part = string | StreamedImage;

function partsOf(fields: object): Part[] {
	const parts: Part[] = [];
	for (const [key, value] of Object.entries(fields)) {
		if (value === undefined) continue;
		const name = `${parts.length === 0 ? '{' : ','}${JSON.stringify(key)}:`;
		if (isStreamedImage(value)) parts.push(`${name}"`, value, '"');
		else parts.push(name + JSON.stringify(value));
	}
	return [...parts, '}'];
}

/** Builds a JSON body. A stored image is read only while the body is sent, and is never in memory as a whole. */
export async function openBody(fields: object): Promise<OpenBody> {
	const parts = partsOf(fields);
	const length = parts.reduce((total, part) => total + partLength(part), 0);
	const first = parts.find(isStreamedImage);
	if (!first) return { length, content: parts.join(''), close: () => {} };
	const sources: ByteStream[] = [];
	let failure: Error | undefined;
	const openImage = async (image: StreamedImage) => {
		const source = await image.open();
		// It can break before it is read. The error resurfaces on read.
		sources.push(source.on('error', () => {}));
		return source;
	};
	const firstSource = await openImage(first);
	// Runs only while the body is read, and the reader gets what it throws.
	const read = async function* () {
		for (const part of parts) {
			if (!isStreamedImage(part)) yield Buffer.from(part);
			else yield* base64(part, part === first ? firstSource : await openImage(part));
		}
	};
	const content = streamLike(firstSource, read()).on('error', (error) => (failure = error));
	return {
		length,
		content,
		get failure() {
			return failure;
		},
		close: () => [content, ...sources].forEach((stream) => stream.destroy()),
	};
}

/** Makes a stream of the same class: `stream` may not be imported, but every stream knows its class. */
export function streamLike({ constructor }: ByteStream, chunks: AsyncIterable<Buffer>): ByteStream {
	const { from } = constructor as { from?: (chunks: AsyncIterable<Buffer>) => ByteStream };
	if (!from) throw new Error("The stream's class has no from method");
	return from(chunks);
}

/** Never yields more than the recorded size: extra bytes could fill a broken body up to its Content-Length. */
async function* base64({ bytes }: StreamedImage, source: AsyncIterable<Buffer>) {
	let seen = 0;
	let rest: Buffer = Buffer.alloc(0);
	for await (const chunk of source) {
		seen += chunk.length;
		if (seen > bytes) break;
		const available = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
		const whole = available.length - (available.length % 3);
		yield toBase64(available.subarray(0, whole));
		rest = available.subarray(whole);
	}
	if (seen !== bytes) throw new Error('The stored image is not the size that n8n noted for it');
	yield toBase64(rest);
}

function toBase64(bytes: Buffer): Buffer {
	return Buffer.from(bytes.toString('base64'), 'latin1');
}

function partLength(part: Part): number {
	return isStreamedImage(part) ? 4 * Math.ceil(part.bytes / 3) : Buffer.byteLength(part);
}

function isStreamedImage(value: unknown): value is StreamedImage {
	return typeof (value as Partial<StreamedImage> | null)?.open === 'function';
}
