/**
 * Whether a file that is in memory has its end.
 * - `whole`: it has.
 * - `withoutEnd`: a JPEG with image data and no end. It may lack a half, or only its last two bytes.
 * - `cutOff`: it ends before its own structure does.
 * - `unknown`: the kind of file, or what is wrong with it, doesn't allow an answer.
 */
export type Completeness = 'whole' | 'withoutEnd' | 'cutOff' | 'unknown';

/** Bytes before the first segment of a JPEG, and before the first chunk of a PNG. */
const JPEG_START_BYTES = 2;
const PNG_START_BYTES = 8;

/** Markers of a JPEG. */
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;

/** The type of a PNG's last chunk, `IEND`. */
const IMAGE_END = 0x49454e44;

/** What has no length: FF 00, which is 0xFF in image data, and TEM, RST0 to RST7 and SOI. */
const isBare = (marker: number) =>
	marker === 0x00 || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

/** Walks through a file from part to part, without reading the image itself. */
export function completenessOf(file: Buffer): Completeness {
	if (startsWith(file, '\xff\xd8\xff')) return jpegCompleteness(file);
	if (startsWith(file, '\x89PNG\r\n\x1a\n')) return pngCompleteness(file);
	if (startsWith(file, 'RIFF') && file.toString('latin1', 8, 12) === 'WEBP') {
		return webpCompleteness(file);
	}
	return 'unknown';
}

function startsWith(file: Buffer, start: string): boolean {
	return file.toString('latin1', 0, start.length) === start;
}

/** Segments are skipped by their length, since a thumbnail in one has an end of its own. */
function jpegCompleteness(file: Buffer): Completeness {
	let at = JPEG_START_BYTES;
	let hasScan = false;
	for (;;) {
		at = file.indexOf(0xff, at);
		// Any number of 0xFF can come before a marker.
		while (at >= 0 && file[at + 1] === 0xff) at++;
		const marker = at < 0 ? undefined : file[at + 1];
		if (marker === undefined) break;
		at += 2;
		if (isBare(marker)) continue;
		if (marker === END_OF_IMAGE) return hasScan ? 'whole' : 'unknown';
		if (at + 2 > file.length) break;
		const length = file.readUInt16BE(at);
		if (length < 2) return 'unknown';
		at += length;
		hasScan ||= marker === START_OF_SCAN;
	}
	if (!hasScan) return 'cutOff';
	// A damaged byte in the image can look like a segment, and lead beyond the end.
	return file.at(-2) === 0xff && file.at(-1) === END_OF_IMAGE ? 'whole' : 'withoutEnd';
}

function pngCompleteness(file: Buffer): Completeness {
	for (let at = PNG_START_BYTES; at + 8 <= file.length; at += 12 + file.readUInt32BE(at)) {
		if (file.readUInt32BE(at + 4) === IMAGE_END) return 'whole';
	}
	return 'cutOff';
}

/** Some encoders leave out the last byte when it only fills up to an even length. */
function webpCompleteness(file: Buffer): Completeness {
	return file.length + 1 >= file.readUInt32LE(4) + 8 ? 'whole' : 'cutOff';
}
