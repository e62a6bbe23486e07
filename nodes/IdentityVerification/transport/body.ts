import type { IExecuteFunctions } from 'n8n-workflow';

import type { Base64 } from '../contract';

/** A stream of n8n's binary data. */
export type ByteStream = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

interface KnownImage {
	/**
	 * Lets a later run tell that it has the same image: the ID of the stored file, or the
	 * SHA-256 of the image in hexadecimal digits.
	 */
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
	/** Its base64 text. */
	text(): Promise<string>;
}

/** An image that is read when the request is sent, again for every attempt. */
export type Image = StreamedImage | TextImage;

/** What is sent to an endpoint. */
export interface RequestFields<Request> {
	/** The documented fields; each image becomes its base64 text. */
	own: { [Key in keyof Request]: Request[Key] extends Base64 | undefined ? Image : Request[Key] };
	/** Fields that the interface doesn't document. */
	additional: Record<string, unknown>;
}

/** A JSON body. Each image is inserted only while the body is sent. */
export interface JsonBody {
	open(): Promise<OpenBody>;
}

/** A body to be sent once. */
export interface OpenBody {
	/** Bytes. */
	length: number;
	content: string | ByteStream;
	/** Why an image could not be read. The body is incomplete then, whatever of it was sent. */
	readonly failure?: Error;
	/** Lets go of the images when the request has ended, whether the body was read or not. */
	close(): void;
}

/** Puts a request body together; streamed images are never in memory as a whole. */
export function jsonBody(fields: object): JsonBody {
	return { open: async () => await openParts(await partsOf(fields)) };
}

type Part = string | StreamedImage;

async function partsOf(fields: object): Promise<Part[]> {
	const parts: Part[] = [];
	for (const [key, value] of Object.entries(fields)) {
		if (value === undefined) continue;
		const name = `${parts.length === 0 ? '{' : ','}${JSON.stringify(key)}:`;
		if (isStreamedImage(value)) parts.push(`${name}"`, value, '"');
		else parts.push(name + JSON.stringify(isTextImage(value) ? await value.text() : value));
	}
	return [...parts, parts.length === 0 ? '{}' : '}'];
}

async function openParts(parts: Part[]): Promise<OpenBody> {
	const length = sum(parts.map(partLength));
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
	// Runs only while the body is read: whoever reads it gets what it throws.
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

/** The identities of the images among the fields of a request, by field. */
export function imagesOf(fields: object): object {
	const images = Object.entries(fields).flatMap(([key, value]: [string, unknown]) =>
		isStreamedImage(value) || isTextImage(value) ? [[key, value.identity]] : [],
	);
	return Object.fromEntries(images) as object;
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
	if (seen !== bytes) throw new Error('The stored image has another size than n8n noted for it');
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

function isTextImage(value: unknown): value is TextImage {
	return typeof (value as Partial<TextImage> | null)?.text === 'function';
}

function sum(numbers: number[]): number {
	return numbers.reduce((total, number) => total + number, 0);
}
