import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const IMAGE_SIDES = ['front', 'back', 'face'] as const;
export type ImageSide = (typeof IMAGE_SIDES)[number];

const ASSETS = join(__dirname, '..', 'assets');

/** Pictures of an invented document, for results without a picture of their own. */
export const SPECIMENS: Record<ImageSide, Buffer> = {
	front: readFileSync(join(ASSETS, 'specimen-front.jpg')),
	back: readFileSync(join(ASSETS, 'specimen-back.jpg')),
	face: readFileSync(join(ASSETS, 'specimen-face.jpg')),
};

/** File type of a picture by its first bytes; undefined for anything but JPEG and PNG. */
export function pictureType(picture: Buffer): 'jpeg' | 'png' | undefined {
	if (picture.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'jpeg';
	if (picture.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))) return 'png';
	return undefined;
}
