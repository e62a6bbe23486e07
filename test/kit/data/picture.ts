import { randomBytes } from 'node:crypto';

/** The least that a JPEG has before its image data: its start, and the header of a scan. */
const START = Buffer.from('ffd8ffda0008010100003f00', 'hex');
const END = Buffer.from('ffd9', 'hex');

/** The smallest `picture`, in bytes. */
export const MIN_PICTURE_BYTES = START.length + END.length;

/** A JPEG as far as its structure goes, whose bytes are unlike those of any other call. */
export function picture(bytes = 1_000): Buffer {
	const data = randomBytes(bytes - MIN_PICTURE_BYTES);
	// In image data, 0xFF would begin a marker.
	for (let at = data.indexOf(0xff); at >= 0; at = data.indexOf(0xff, at)) data[at] = 0xfe;
	return Buffer.concat([START, data, END]);
}
