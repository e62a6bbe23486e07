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
	format: ImageFormat;
	content?: Buffer;
}

/** Larger images are counted and hashed, not kept. */
export const MAX_KEPT_BYTES = 2 * 1024 * 1024;

/** Characters of base64 text that are decoded at once: a multiple of four. */
const BLOCK_CHARACTERS = 64 * 1024;

/** HEIC, HEIF and AVIF name what they are in their first box. */
const AVIF_BRANDS = ['avif', 'avis'];
const HEIC_BRANDS = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'];

/** How the images that the sandbox accepts begin, in hexadecimal; the first that fits counts. */
const IMAGE_STARTS = {
	jpeg: 'ffd8ff',
	png: '89504e470d0a1a0a',
	gif: '47494638',
	bmp: '424d',
	tiff: '(49492[ab]00|4d4d002[ab])', // TIFF and BigTIFF in both byte orders
	webp: `52494646.{8}${hex('WEBP')}`,
	avif: startOfBrands(AVIF_BRANDS),
	heic: startOfBrands(HEIC_BRANDS),
};
export type ImageFormat = keyof typeof IMAGE_STARTS;
const FORMATS = Object.keys(IMAGE_STARTS) as ImageFormat[];
const START_BYTES = 64;

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Decodes base64 text piece by piece; never holds more than a small image. */
export class ImageReader {
	private readonly hash = createHash('sha256');
	private text = '';
	private ended = false;
	private bytes = 0;
	private format: ImageFormat | undefined;
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
		if (!this.format) throw new Refusal(400, `${this.name} is not an image.`);
		const sha256 = this.hash.digest('hex');
		const digest = { bytes: this.bytes, sha256, format: this.format };
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
		if (this.bytes === 0) this.format = formatOf(bytes);
		this.hash.update(bytes);
		this.bytes += bytes.length;
		if (this.bytes > MAX_KEPT_BYTES) this.kept = undefined;
		this.kept?.push(bytes);
	}
}

function formatOf(bytes: Buffer): ImageFormat | undefined {
	const start = bytes.toString('hex', 0, START_BYTES);
	return FORMATS.find((format) => new RegExp(`^${IMAGE_STARTS[format]}`).test(start));
}

function startOfBrands(brands: string[]): string {
	return `.{8}${hex('ftyp')}(.{8})*(${brands.map(hex).join('|')})`;
}

function hex(text: string): string {
	return Buffer.from(text, 'latin1').toString('hex');
}
