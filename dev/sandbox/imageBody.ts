import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import Assembler from 'stream-json/assembler.js';
import parser from 'stream-json/parser.js';

import { ImageReader } from './imageDigest';
import type { ReceivedImage } from './imageDigest';
import { Refusal } from './refusal';

/**
 * Top-level keys of a request that hold a base64 image (interface.md#scan and
 * interface.md#hosted-link).
 */
export const IMAGE_KEYS = ['document', 'face', 'referenceFace'] as const;
export type ImageKey = (typeof IMAGE_KEYS)[number];
export type ReceivedImages = Partial<Record<ImageKey, ReceivedImage>>;

/** A JSON request body. Its images are read out of it; in `body`, a short text replaces each. */
export interface ImageBody {
	body: unknown;
	images: ReceivedImages;
	/** Size of the request body. */
	bytes: number;
}

/** All text that isn't an image, in characters. */
const MAX_TEXT_CHARACTERS = 16 * 1024 * 1024;

/**
 * Reads a JSON body with images of any size in flat memory.
 * Throws a `Refusal` (400, 413) when the body can't be read.
 */
export async function readImageBody(payload: Readable): Promise<ImageBody> {
	const builder = new BodyBuilder();
	let bytes = 0;
	await pipeline(
		async function* () {
			// The connection has to survive a body that is refused, to carry the answer.
			for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
				bytes += (chunk as Buffer).length;
				yield chunk as Buffer;
			}
		},
		parser.asStream({ packStrings: false, streamKeys: false, streamNumbers: false }),
		async (tokens: AsyncIterable<parser.Token>) => {
			for await (const token of tokens) builder.add(token);
		},
	).catch(refuse);
	return { body: builder.body, images: builder.images, bytes };
}

function refuse(error: unknown): never {
	if (error instanceof Refusal) throw error;
	throw new Refusal(400, 'The request body is not valid JSON.');
}

/** Collects the pieces of one text value. */
interface TextSink {
	write(text: string): void;
	end(): string;
}

class BodyBuilder {
	readonly images: ReceivedImages = {};
	private readonly assembler = new Assembler();
	private characters = 0;
	private sink: TextSink | undefined;

	get body(): unknown {
		return this.assembler.current;
	}

	add(token: parser.Token): void {
		if (token.name === 'startString') this.sink = this.openSink();
		else if (token.name === 'stringChunk') this.sink?.write(String(token.value));
		else if (token.name === 'endString') {
			this.assembler.consume({ name: 'stringValue', value: this.sink?.end() });
		} else this.assembler.consume(token);
	}

	private openSink(): TextSink {
		const { depth, key } = this.assembler;
		const imageKey = depth === 1 ? IMAGE_KEYS.find((name) => name === key) : undefined;
		return imageKey ? this.imageSink(imageKey) : this.textSink();
	}

	private imageSink(key: ImageKey): TextSink {
		const reader = new ImageReader(key);
		return {
			write: (text) => reader.write(text),
			end: () => {
				this.images[key] = reader.end();
				return '(image)';
			},
		};
	}

	private textSink(): TextSink {
		const pieces: string[] = [];
		return {
			write: (text) => {
				this.characters += text.length;
				if (this.characters > MAX_TEXT_CHARACTERS) {
					throw new Refusal(
						413,
						'The request is too large: over 16 MiB of text beside the images.',
					);
				}
				pieces.push(text);
			},
			end: () => pieces.join(''),
		};
	}
}
