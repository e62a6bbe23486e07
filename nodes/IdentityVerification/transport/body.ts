import type { StreamedImage } from './requestFields';
import { streamOf } from './stream';
import type { ByteStream } from './stream';
import type { Transfer } from './transfer';

/**
 * How much of a body is passed on at once. Each piece counts as movement of the transfer. A
 * multiple of 3, so that each piece of an image is encoded as complete groups of base64.
 */
export const PIECE_BYTES = 48 * 1024;

type Part = Buffer | StreamedImage;

/**
 * The state of n8n's storage for a body. `ready`: it has returned everything so far. `awaited`: the
 * body is waiting for it. `failed`: an image couldn't be read, so the body stays incomplete.
 */
type StorageState = 'ready' | 'awaited' | 'failed';

/**
 * A JSON body that is sent once. A stored image is read while it is sent, and is never completely
 * in memory.
 */
export class RequestBody {
	/** Bytes. */
	readonly length: number;

	storage: StorageState = 'ready';

	private readonly parts: Part[];

	private readonly sources: ByteStream[] = [];

	private firstSource: ByteStream | undefined;

	private content: ByteStream | undefined;

	private isClosed = false;

	/** @param transfer is told about every piece that is passed on */
	constructor(
		fields: object,
		private readonly transfer: Transfer,
	) {
		// Bytes at once, so the text itself needn't stay in memory beside them.
		this.parts = partsOf(fields).map((part) => (isStreamedImage(part) ? part : Buffer.from(part)));
		this.length = this.parts.reduce((total, part) => total + partLength(part), 0);
	}

	/**
	 * Opens the first stored image before the request, so nothing is sent if that fails.
	 * @returns whether it is open, or there is none. Never rejects.
	 */
	async open(): Promise<boolean> {
		const first = this.parts.find(isStreamedImage);
		if (!first) return true;
		return await this.opened(first).then(
			(source) => {
				this.firstSource = source;
				return true;
			},
			() => false,
		);
	}

	/** The body itself. */
	stream(): ByteStream {
		// The error isn't lost: whoever reads the stream gets it, too.
		return (this.content = streamOf(this.pieces()).on('error', () => {}));
	}

	/** Closes the images after the request, whether the body was read or not. */
	close(): void {
		this.isClosed = true;
		this.content?.destroy();
		for (const source of this.sources) source.destroy();
	}

	private async *pieces() {
		for (const part of this.parts) {
			const pieces = isStreamedImage(part) ? this.base64(part) : piecesOf(part);
			for await (const piece of pieces) {
				this.transfer.moved();
				yield piece;
			}
		}
		this.transfer.moved();
	}

	/**
	 * Never yields more than the recorded size, because extra bytes could complete a broken body up
	 * to its Content-Length.
	 */
	private async *base64(image: StreamedImage) {
		let seen = 0;
		let rest: Buffer = Buffer.alloc(0);
		for await (const chunk of this.chunksOf(image)) {
			seen += chunk.length;
			if (seen > image.bytes) break;
			const available = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
			const whole = available.length - (available.length % 3);
			// One of n8n's storages returns a complete image at once.
			for (const piece of piecesOf(available.subarray(0, whole))) yield toBase64(piece);
			rest = available.subarray(whole);
		}
		if (seen !== image.bytes) {
			this.storage = 'failed';
			throw new Error('The stored image does not have the size that n8n recorded for it');
		}
		yield toBase64(rest);
	}

	private async *chunksOf(image: StreamedImage): AsyncGenerator<Buffer> {
		const source = await this.takeSource(image);
		const chunks: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
		for (;;) {
			const { done, value } = await this.awaitStorage(chunks.next());
			if (done) return;
			yield value;
		}
	}

	private async takeSource(image: StreamedImage): Promise<ByteStream> {
		const first = this.firstSource;
		this.firstSource = undefined;
		return first ?? (await this.opened(image));
	}

	private async opened(image: StreamedImage): Promise<ByteStream> {
		const source = await this.awaitStorage(image.open());
		// The stream can fail before it is read. The error resurfaces on read.
		this.sources.push(source.on('error', () => {}));
		// The storage can answer after the request has been given up.
		if (this.isClosed) source.destroy();
		return source;
	}

	private async awaitStorage<Value>(work: Promise<Value>): Promise<Value> {
		this.storage = 'awaited';
		return await work.then(
			(value) => {
				this.storage = 'ready';
				return value;
			},
			(error: unknown) => {
				this.storage = 'failed';
				throw error;
			},
		);
	}
}

function partsOf(fields: object): Array<string | StreamedImage> {
	const parts: Array<string | StreamedImage> = [];
	for (const [key, value] of Object.entries(fields)) {
		if (value === undefined) continue;
		const name = `${parts.length === 0 ? '{' : ','}${JSON.stringify(key)}:`;
		if (isStreamedImage(value)) parts.push(`${name}"`, value, '"');
		else parts.push(name + JSON.stringify(value));
	}
	return [...parts, '}'];
}

function partLength(part: Part): number {
	return isStreamedImage(part) ? 4 * Math.ceil(part.bytes / 3) : part.length;
}

function isStreamedImage(value: unknown): value is StreamedImage {
	return typeof (value as Partial<StreamedImage> | null)?.open === 'function';
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
	for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
		yield bytes.subarray(at, at + PIECE_BYTES);
	}
}

function toBase64(bytes: Buffer): Buffer {
	return Buffer.from(bytes.toString('base64'), 'latin1');
}
