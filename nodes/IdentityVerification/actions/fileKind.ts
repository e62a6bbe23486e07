/** How many bytes from the start of a file tell its kind. Divisible by three, so that they are whole groups of base64. */
export const HEAD_BYTES = 768;

const IMAGE_STARTS = [
	...['\xff\xd8\xff', '\x89PNG\r\n\x1a\n', 'GIF87a', 'GIF89a'],
	// TIFF and BigTIFF
	...['II*\0', 'MM\0*', 'II+\0', 'MM\0+'],
];

/** HEIC, HEIF and AVIF, as the box `ftyp` of the file names them. */
const IMAGE_BRANDS = /^(heic|heix|heim|heis|hevc|hevx|hevm|hevs|mif1|msf1|avif|avis)$/;

/** Lengths of the header that follows the first 14 bytes of a BMP: a text can begin with BM too. */
const BMP_HEADER_LENGTHS = [12, 16, 40, 52, 56, 64, 108, 124];

/** Whether a file with this start is a JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC, HEIF or AVIF. */
export function isImage(head: Buffer): boolean {
	const start = head.toString('latin1');
	return (
		IMAGE_STARTS.some((image) => start.startsWith(image)) ||
		(start.startsWith('RIFF') && start.startsWith('WEBP', 8)) ||
		(start.startsWith('BM') &&
			head.length >= 18 &&
			BMP_HEADER_LENGTHS.includes(head.readUInt32LE(14))) ||
		brandsOf(head, start).some((brand) => IMAGE_BRANDS.test(brand))
	);
}

function brandsOf(head: Buffer, start: string): string[] {
	if (!start.startsWith('ftyp', 4) || head.length < 16) return [];
	const size = head.readUInt32BE(0);
	// Size 1 means that the real size, 8 bytes long, follows the box's name.
	const brands =
		size === 1 ? start.slice(16, Number(head.readBigUInt64BE(8))) : start.slice(8, size);
	return brands.match(/.{4}/gs) ?? [];
}

/** What a file with this start is, when it's no image; undefined when that can't be told. */
export function otherKind(head: Buffer): string | undefined {
	const text = head.toString('utf8');
	if (text.startsWith('%PDF-')) return 'a PDF file';
	return isPlainText(text) ? 'a text file' : undefined;
}

/** The last letter may be cut in the middle. */
function isPlainText(text: string): boolean {
	return !/[^\P{Cc}\s]|\ufffd./su.test(text);
}
