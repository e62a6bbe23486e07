const JPEG_START = Buffer.from('ffd8ff', 'hex');
const PNG_START = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** Markers of a JPEG. */
const START_OF_SCAN = 0xffda;
const END_OF_IMAGE = Buffer.from('ffd9', 'hex');

/** The type and the checksum of a PNG's last chunk, which has no content. */
const PNG_END = Buffer.from('49454e44ae426082', 'hex');

/**
 * Whether a JPEG or PNG lacks its end. There may be anything after it, such as the video of a motion
 * photo. Nothing is known about other files.
 */
export function isCutOff(file: Buffer): boolean {
	if (startsWith(file, PNG_START)) return !file.includes(PNG_END);
	return startsWith(file, JPEG_START) && !file.includes(END_OF_IMAGE, startOfScan(file));
}

function startsWith(file: Buffer, start: Buffer): boolean {
	return file.subarray(0, start.length).equals(start);
}

/**
 * Where the image data of a JPEG begin. Segments before them are skipped by their length, because a
 * thumbnail in one of them has an end of its own. If something else than a segment is found first,
 * the image data may begin right there.
 * @returns the length of the file if it ends before that
 */
function startOfScan(file: Buffer): number {
	let at = 2;
	while (at + 4 <= file.length) {
		const marker = file.readUInt16BE(at);
		if (marker === START_OF_SCAN || !hasLength(marker)) return at;
		// Any number of 0xFF bytes may precede a marker.
		at += marker === 0xffff ? 1 : 2 + file.readUInt16BE(at + 2);
	}
	return file.length;
}

function hasLength(marker: number): boolean {
	return marker >= 0xffc0 && (marker < 0xffd0 || marker > 0xffd9);
}
