import type { IExecuteFunctions } from 'n8n-workflow';

/** A stream of n8n's binary data. */
export type ByteStream = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>;

/** An image that is read when the request is sent, as often as it is sent. */
export interface StreamedImage {
	/** Size of the image in bytes, before base64. */
	bytes: number;
	open(): Promise<ByteStream>;
}

/** An image as base64 text, or one that becomes base64 on its way out. */
export type Image = string | StreamedImage;

/** A request body of the contract, in which an image may stand for its base64 text. */
export type WithImages<Body> = { [Key in keyof Body]: Body[Key] | Image };

/** JSON of known length, of which each image takes its place only while it is sent. */
export interface JsonBody {
	/** Bytes. */
	length: number;
	open(): Promise<string | ByteStream>;
}

/** Puts a request body together; streamed images are never in memory as a whole. */
export function jsonBody(fields: object): JsonBody {
	const parts = Object.entries(fields)
		.filter(([, value]) => value !== undefined)
		.flatMap(([key, value], index) => {
			const name = `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`;
			return isStreamed(value) ? [`${name}"`, value, '"'] : [name + JSON.stringify(value)];
		});
	parts.push(parts.length === 0 ? '{}' : '}');
	return { length: sum(parts.map(partLength)), open: () => openParts(parts) };
}

type Part = string | StreamedImage;

async function openParts(parts: Part[]): Promise<string | ByteStream> {
	const first = parts.find(isStreamed);
	if (!first) return parts.join('');
	const source = await first.open();
	const sources = [source];
	// Every part goes through the first image's stream: composing it needs no import of `stream`.
	const body = source.compose(async function* (firstImage: AsyncIterable<Buffer>) {
		for (const part of parts) {
			if (!isStreamed(part)) yield Buffer.from(part);
			else if (part === first) yield* base64(part, firstImage);
			else {
				const image = await part.open();
				sources.push(image);
				yield* base64(part, image);
			}
		}
	}) as ByteStream;
	// A request can end before its body is read, and Node.js 20 leaves the files open then.
	return body.once('close', () => sources.forEach((image) => image.destroy()));
}

/** Lets go of a body whose request has ended, read to its end or not. */
export function closeBody(body: string | ByteStream): void {
	if (typeof body === 'string') return;
	body.on('error', () => {});
	body.destroy();
}

async function* base64({ bytes }: StreamedImage, source: AsyncIterable<Buffer>) {
	let seen = 0;
	let rest: Buffer = Buffer.alloc(0);
	for await (const chunk of source) {
		seen += chunk.length;
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
	return isStreamed(part) ? 4 * Math.ceil(part.bytes / 3) : Buffer.byteLength(part);
}

function isStreamed(value: unknown): value is StreamedImage {
	return typeof (value as Partial<StreamedImage> | null)?.open === 'function';
}

function sum(numbers: number[]): number {
	return numbers.reduce((total, number) => total + number, 0);
}
