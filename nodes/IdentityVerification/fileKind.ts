/** The kind of a file, judged by its first bytes. */
export type FileKind = 'image' | 'pdf' | 'text' | 'unknown';

/** How many bytes are needed to tell the kind of a file. */
export const HEAD_BYTES = 768;

const IMAGE_STARTS = [
	...['\xff\xd8\xff', '\x89PNG\r\n\x1a\n', 'GIF87a', 'GIF89a'],
	// TIFF and BigTIFF
	...['II*\0', 'MM\0*', 'II+\0', 'MM\0+'],
];

/** HEIC, HEIF and AVIF, as the box `ftyp` of the file names them. */
const IMAGE_BRANDS = /^(heic|heix|heim|heis|hevc|hevx|hevm|hevs|mif1|msf1|avif|avis)$/;

/** Text can begin with BM, too, so the length of a BMP's second header must match. */
const BMP_HEADER_LENGTHS = [12, 16, 40, 52, 56, 64, 108, 124];

/**
 * Tells what kind of file begins like this. Images are JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC, HEIF
 * and AVIF.
 * @param head the first `HEAD_BYTES` of the file, or all of it if it is shorter
 */
export function kindOf(head: Buffer): FileKind {
	if (beginsLikeImage(head)) return 'image';
	const text = head.toString('utf8');
	if (text.startsWith('%PDF-')) return 'pdf';
	// The last character may be incomplete, so a replacement character at the end is allowed.
	return /[^\P{Cc}\s]|\ufffd./su.test(text) ? 'unknown' : 'text';
}

function beginsLikeImage(head: Buffer): boolean {
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
