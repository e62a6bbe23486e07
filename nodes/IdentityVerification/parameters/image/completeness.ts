/**
 * Whether a file in memory has its end.
 * - `whole`: it has.
 * - `withoutEnd`: a JPEG with image data but no end. It may lack half of its data, or only the last
 * two bytes.
 * - `cutOff`: it ends before its structure is complete.
 * - `unknown`: this can't be determined for this kind of file, or for this kind of damage.
 */
export type Completeness = 'whole' | 'withoutEnd' | 'cutOff' | 'unknown';

/** Bytes before the first segment of a JPEG, and before the first chunk of a PNG and of a WebP. */
const JPEG_START_BYTES = 2;
const PNG_START_BYTES = 8;
const WEBP_START_BYTES = 12;

/** Markers of a JPEG. */
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;

/** The type of a PNG's last chunk, `IEND`. */
const IMAGE_END = 0x49454e44;

/** The boxes of a HEIC or AVIF that are needed to show it. */
const NEEDED_BOXES = ['ftyp', 'meta', 'moov', 'mini', 'mdat'];

/** How many bytes of a BMP are needed to read its compression. */
const BMP_HEAD_BYTES = 34;

/** The header of a BMP that has 16-bit sizes and no field for the compression. */
const BMP_CORE_HEADER = 12;

/** Markers without a length: FF 00, which means 0xFF in image data, TEM, RST0 to RST7, and SOI. */
const isBare = (marker: number) =>
	marker === 0x00 || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

/** Walks through the parts of a file without decoding the image itself. */
export function completenessOf(file: Buffer): Completeness {
	if (startsWith(file, '\xff\xd8\xff')) return jpegCompleteness(file);
	if (startsWith(file, '\x89PNG\r\n\x1a\n')) return pngCompleteness(file);
	if (startsWith(file, 'RIFF') && file.toString('latin1', 8, 12) === 'WEBP') {
		return webpCompleteness(file);
	}
	if (file.toString('latin1', 4, 8) === 'ftyp') return heifCompleteness(file);
	if (startsWith(file, 'BM')) return bmpCompleteness(file);
	return 'unknown';
}

function startsWith(file: Buffer, start: string): boolean {
	return file.toString('latin1', 0, start.length) === start;
}

/**
 * Skips segments by their length, because a thumbnail in a segment has an end marker of its own.
 */
function jpegCompleteness(file: Buffer): Completeness {
	let at = JPEG_START_BYTES;
	let hasScan = false;
	for (;;) {
		at = file.indexOf(0xff, at);
		// Any number of 0xFF bytes may precede a marker.
		while (at >= 0 && file[at + 1] === 0xff) at++;
		const marker = at < 0 ? undefined : file[at + 1];
		if (marker === undefined) break;
		at += 2;
		if (isBare(marker)) continue;
		if (marker === END_OF_IMAGE) return hasScan ? 'whole' : 'unknown';
		if (at + 2 > file.length) break;
		const length = file.readUInt16BE(at);
		if (hasScan && !isSegment(file, marker, at, length)) continue;
		if (length < 2) return 'unknown';
		at += length;
		hasScan ||= marker === START_OF_SCAN;
	}
	return hasScan ? 'withoutEnd' : 'cutOff';
}

/**
 * Whether a marker within a scan really begins a segment. A damaged byte of the image can look like
 * a marker, too, and the length after it could lead beyond the end. A segment is followed by
 * another marker. The header of the next scan is followed by image data, but its length follows
 * from its number of components.
 */
function isSegment(file: Buffer, marker: number, at: number, length: number): boolean {
	if (marker === START_OF_SCAN) return length === 6 + 2 * (file[at + 2] ?? 0);
	return file[at + length] === 0xff;
}

function pngCompleteness(file: Buffer): Completeness {
	for (let at = PNG_START_BYTES; at + 8 <= file.length; at += 12 + file.readUInt32BE(at)) {
		if (file.readUInt32BE(at + 4) === IMAGE_END) return 'whole';
	}
	return 'cutOff';
}

function webpCompleteness(file: Buffer): Completeness {
	const end = file.readUInt32LE(4) + 8;
	if (file.length >= end) return 'whole';
	return file.length === end - 1 && lacksPadding(file) ? 'whole' : 'cutOff';
}

/**
 * Whether a WebP lacks only the byte that pads its last chunk to an even length. Some encoders
 * leave that out.
 */
function lacksPadding(file: Buffer): boolean {
	let at = WEBP_START_BYTES;
	let size = 0;
	while (at + 8 <= file.length) {
		size = file.readUInt32LE(at + 4);
		at += 8 + size + (size % 2);
	}
	return size % 2 === 1 && at === file.length + 1;
}

/** Boxes that aren't needed may be cut off anywhere, such as the video of a motion photo. */
function heifCompleteness(file: Buffer): Completeness {
	const boxes = new Set<string>();
	for (let at = 0; at + 8 <= file.length; ) {
		const type = file.toString('latin1', at + 4, at + 8);
		const size = boxSize(file, at);
		const isNeeded = NEEDED_BOXES.includes(type);
		if (isNeeded && at + size > file.length) return 'cutOff';
		// There are no more boxes, or this one extends to the end of the file.
		if (size < 8) return haveImage(boxes) ? 'whole' : 'unknown';
		if (isNeeded) boxes.add(type);
		at += size;
	}
	if (haveImage(boxes)) return 'whole';
	// The data of a small image can be inside another box, in a box of this type.
	return file.includes('idat') ? 'unknown' : 'cutOff';
}

/** Whether there is image data, and a box that says how to read it. */
function haveImage(boxes: Set<string>): boolean {
	return boxes.has('mini') || (boxes.has('mdat') && (boxes.has('meta') || boxes.has('moov')));
}

function boxSize(file: Buffer, at: number): number {
	const size = file.readUInt32BE(at);
	if (size !== 1) return size;
	return at + 16 > file.length ? Infinity : Number(file.readBigUInt64BE(at + 8));
}

/**
 * Calculates the length of the file, because it is wrong in many BMP headers. The last row may lack
 * its padding.
 */
function bmpCompleteness(file: Buffer): Completeness {
	if (file.length < BMP_HEAD_BYTES) return 'unknown';
	const isCore = file.readUInt32LE(14) === BMP_CORE_HEADER;
	const width = isCore ? file.readUInt16LE(18) : file.readInt32LE(18);
	const height = isCore ? file.readUInt16LE(20) : file.readInt32LE(22);
	const bitsPerPixel = file.readUInt16LE(isCore ? 24 : 28);
	const compression = isCore ? 0 : file.readUInt32LE(30);
	// 3 means bit masks for the colors, except with one bit per pixel, where it is a compression.
	const isRaw = compression === 0 || (compression === 3 && bitsPerPixel > 1);
	if (!isRaw) return 'unknown';
	const bitsPerRow = width * bitsPerPixel;
	const rowBytes = 4 * Math.ceil(bitsPerRow / 32);
	const lastRowBytes = Math.ceil(bitsPerRow / 8);
	const end = file.readUInt32LE(10) + (Math.abs(height) - 1) * rowBytes + lastRowBytes;
	return file.length >= end ? 'whole' : 'cutOff';
}
