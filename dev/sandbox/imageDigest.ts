import { createHash } from 'node:crypto';

import { Refusal } from './refusal';

/** What the sandbox remembers of an image. */
export interface ImageDigest {
	/** Size of the decoded image. */
	bytes: number;
	/** Hexadecimal SHA-256 of the decoded image. */
	sha256: string;
}

/** The digest with the image itself, unless it is larger than `MAX_KEPT_BYTES`. */
export interface ReceivedImage extends ImageDigest {
	content?: Buffer;
}

/** Larger images are counted and hashed, not kept. */
export const MAX_KEPT_BYTES = 2 * 1024 * 1024;

/** Characters of base64 text that are decoded at once: a multiple of four. */
const BLOCK_CHARACTERS = 64 * 1024;

/** HEIC, HEIF and AVIF name what they are in their first box. */
const BRANDS = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1', 'avif', 'avis'];

/** How the images that the sandbox accepts begin, in hexadecimal. */
const IMAGE_STARTS = [
	'ffd8ff', // JPEG
	'89504e470d0a1a0a', // PNG
	'47494638', // GIF
	'424d', // BMP
	'49492[ab]00', // TIFF, BigTIFF
	'4d4d002[ab]', // TIFF, BigTIFF, the other byte order
	`52494646.{8}${hex('WEBP')}`,
	`.{8}${hex('ftyp')}(.{8})*(${BRANDS.map(hex).join('|')})`,
];
const IMAGE_START = new RegExp(`^(${IMAGE_STARTS.join('|')})`);
const START_BYTES = 64;

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Decodes base64 text piece by piece; never holds more than a small image. */
export class ImageReader {
	private readonly hash = createHash('sha256');
	private text = '';
	private ended = false;
	private bytes = 0;
	private isImage = false;
	private kept: Buffer[] | undefined = [];

	/** `name` is the request field, for messages. */
	constructor(private readonly name: string) {}

	write(text: string): void {
		this.text += text;
		if (this.text.length >= BLOCK_CHARACTERS) this.decode(BLOCK_CHARACTERS);
	}

	/** Ends the text. Throws a `Refusal` (400) when it isn't base64, is empty, or is no image. */
	end(): ReceivedImage {
		this.decode(this.text.length);
		if (this.bytes === 0) throw new Refusal(400, `${this.name} is empty. Send a base64 image.`);
		if (!this.isImage) throw new Refusal(400, `${this.name} is not an image.`);
		const sha256 = this.hash.digest('hex');
		const digest = { bytes: this.bytes, sha256 };
		return this.kept ? { ...digest, content: Buffer.concat(this.kept) } : digest;
	}

	private decode(characters: number): void {
		const block = this.text.slice(0, characters);
		this.text = this.text.slice(characters);
		if (block === '') return;
		if (this.ended || block.length % 4 !== 0 || !BASE64.test(block)) {
			throw new Refusal(
				400,
				`${this.name} isn't base64 text. Send the image alone, without a prefix.`,
			);
		}
		this.ended = block.endsWith('=');
		this.take(Buffer.from(block, 'base64'));
	}

	private take(bytes: Buffer): void {
		if (this.bytes === 0) this.isImage = IMAGE_START.test(bytes.toString('hex', 0, START_BYTES));
		this.hash.update(bytes);
		this.bytes += bytes.length;
		if (this.bytes > MAX_KEPT_BYTES) this.kept = undefined;
		this.kept?.push(bytes);
	}
}

function hex(text: string): string {
	return Buffer.from(text, 'latin1').toString('hex');
}
