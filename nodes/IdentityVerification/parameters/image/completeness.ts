/**
 * What a file in memory lacks.
 * - `end`: a JPEG has image data but no end. It may lack half of its data, or only the last two bytes.
 * - `image`: a JPEG ends before its image data, or a PNG anywhere.
 */
export type Missing = 'end' | 'image';

const JPEG_START = Buffer.from('ffd8ff', 'hex');
const PNG_START = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** Markers of a JPEG. */
const START_OF_SCAN = 0xffda;
const END_OF_IMAGE = Buffer.from('ffd9', 'hex');

/** The type and the checksum of a PNG's last chunk, which has no content. */
const PNG_END = Buffer.from('49454e44ae426082', 'hex');

/**
 * Looks for the end of a JPEG or PNG. There may be anything after it, such as the video of a motion
 * photo. Nothing is known about other files.
 */
export function missingPart(file: Buffer): Missing | undefined {
	if (startsWith(file, PNG_START)) return file.includes(PNG_END) ? undefined : 'image';
	if (!startsWith(file, JPEG_START)) return undefined;
	const scan = findScan(file);
	if (scan === undefined) return 'image';
	return file.includes(END_OF_IMAGE, scan) ? undefined : 'end';
}

function startsWith(file: Buffer, start: Buffer): boolean {
	return file.subarray(0, start.length).equals(start);
}

/**
 * Where the image data of a JPEG begin. Segments before them are skipped by their length, because a
 * thumbnail in one of them has an end of its own. If something else than a segment is found first,
 * the image data may begin right there.
 */
function findScan(file: Buffer): number | undefined {
	let at = 2;
	while (at + 4 <= file.length) {
		const marker = file.readUInt16BE(at);
		if (marker === START_OF_SCAN || !hasLength(marker)) return at;
		// Any number of 0xFF bytes may precede a marker.
		at += marker === 0xffff ? 1 : 2 + file.readUInt16BE(at + 2);
	}
	return undefined;
}

function hasLength(marker: number): boolean {
	return marker >= 0xffc0 && (marker < 0xffd0 || marker > 0xffd9);
}
