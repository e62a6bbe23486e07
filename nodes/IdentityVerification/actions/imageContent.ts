/** Enough to tell the kind of a file. Multiple of 3: whole groups of base64. */
export const HEAD_BYTES = 768;

const IMAGE_STARTS = [
	...['\xff\xd8\xff', '\x89PNG\r\n\x1a\n', 'GIF87a', 'GIF89a'],
	// TIFF and BigTIFF
	...['II*\0', 'MM\0*', 'II+\0', 'MM\0+'],
];

/** HEIC, HEIF and AVIF, as the box `ftyp` of the file names them. */
const IMAGE_BRANDS = /^(heic|heix|heim|heis|hevc|hevx|hevm|hevs|mif1|msf1|avif|avis)$/;

/** Text can begin with BM too: a BMP's second header length settles it. */
const BMP_HEADER_LENGTHS = [12, 16, 40, 52, 56, 64, 108, 124];

/** A pattern for all the text would overflow the stack at a few megabytes. */
export function isBase64(text: string): boolean {
	return text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.replace(/={1,2}$/, ''));
}

/** The first bytes of a file in base64. */
export function headOf(base64: string): Buffer {
	return Buffer.from(base64.slice(0, (HEAD_BYTES / 3) * 4), 'base64');
}

/** Whether a file with this start is a JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC, HEIF or AVIF. */
export function isImage(head: Buffer): boolean {
	const start = head.toString('latin1');
	const isBitmap = start.startsWith('BM') && head.length >= 18;
	const brands = start.startsWith('ftyp', 4) ? start.slice(8, head.readUInt32BE(0)) : '';
	return (
		IMAGE_STARTS.some((image) => start.startsWith(image)) ||
		(start.startsWith('RIFF') && start.startsWith('WEBP', 8)) ||
		(isBitmap && BMP_HEADER_LENGTHS.includes(head.readUInt32LE(14))) ||
		(brands.match(/.{4}/gs) ?? []).some((brand) => IMAGE_BRANDS.test(brand))
	);
}

/** What a file with this start is, when it's no image. */
export function otherKind(head: Buffer): string {
	const text = head.toString('utf8');
	if (text.startsWith('%PDF-')) return 'a PDF file, not an image';
	// The last letter may be cut in the middle.
	const isText = !/[^\P{Cc}\s]|\ufffd./su.test(text);
	return isText ? 'a text file, not an image' : 'not an image that the node knows';
}
