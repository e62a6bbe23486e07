import { randomBytes } from 'node:crypto';

const JPEG = Buffer.from([0xff, 0xd8, 0xff]);

/** Bytes that begin as a JPEG does and are unlike those of any other call. At least 3. */
export function picture(bytes = 1_000): Buffer {
	return Buffer.concat([JPEG, randomBytes(bytes - JPEG.length)]);
}
