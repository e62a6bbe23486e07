import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeParameters } from 'n8n-workflow';

import { sha256, useSandbox } from '../kit/service/sandbox';
import { picture } from '../kit/data/picture';
import { actionRunner, documentItem, failureOf } from '../kit/engine/action';
import { CONTINUE } from '../kit/settings';

// An image that is in memory is sent only if it has its end.

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

const ROOT = join(__dirname, '..', '..');
const photo = readFileSync(join(ROOT, 'dev', 'specimen.jpg'));
const png = readFileSync(join(ROOT, 'docs', 'images', 'fields.png'));
/** The face of the specimen, 40 pixels wide. */
const webp = Buffer.from(
	[
		'UklGRnoAAABXRUJQVlA4IG4AAAAwBgCdASooACgAP1GUuliwqyWjvHgIAhAqCWcAAFJYdmOKRwm9OMunkqnXPhdJ',
		'Y3wBkhKflEaSwbQAAP6uDa+lLGJuelncGYt3QYCqS9jNmbgwjGIeV2BeBP2YbbtxaqXAxIFOqYMBD5qfCgAAAA==',
	].join(''),
	'base64',
);

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** A segment of a JPEG, with its length. */
function segment(marker: string, content: Buffer): Buffer {
	const length = Buffer.alloc(2);
	length.writeUInt16BE(content.length + 2);
	return Buffer.concat([hex(`ff${marker}`), length, content]);
}

const scanHeader = segment('da', hex('010100003f00'));
const imageData = hex(`1122 ff00 33 ffd0 44 ff00 ffd7 55${'66'.repeat(120)}`);
const START = hex('ffd8');
const END = hex('ffd9');
const comment = segment('fe', Buffer.from('A comment with ÿÙ, such as FF D9: ', 'latin1'));

/** Its APP1 segment has a thumbnail, as a camera writes it. */
const withThumbnail = Buffer.concat([
	START,
	segment('e1', Buffer.concat([Buffer.from('Exif\0\0'), picture(200)])),
	photo.subarray(2),
]);

/** Several scans, with tables between them, restart markers, stuffed bytes, and fill bytes. */
const progressive = Buffer.concat([
	...[START, comment, segment('c2', Buffer.alloc(15, 1)), scanHeader, imageData],
	...[hex('ffff'), segment('c4', Buffer.alloc(30, 2)), scanHeader, imageData, END],
]);

/** A box of a HEIC or AVIF. With 64 bits, its size is after its type. */
function box(type: string, content: Buffer, bits: 32 | 64 = 32): Buffer {
	const start = Buffer.alloc(bits === 32 ? 8 : 16);
	const size = start.length + content.length;
	start.writeUInt32BE(bits === 32 ? size : 1, 0);
	start.write(type, 4);
	if (bits === 64) start.writeBigUInt64BE(BigInt(size), 8);
	return Buffer.concat([start, content]);
}

const heicStart = box('ftyp', Buffer.from('heic\0\0\0\0mif1heic'));
const meta = box('meta', Buffer.concat([hex('00000000'), box('hdlr', Buffer.alloc(40, 1))]));
const heic = Buffer.concat([heicStart, meta, box('mdat', Buffer.alloc(500, 2))]);
const avif = Buffer.concat([
	...[box('ftyp', Buffer.from('avif\0\0\0\0avifmif1')), box('free', Buffer.alloc(3))],
	...[box('mdat', Buffer.alloc(90, 3), 64), box('mdat', Buffer.alloc(500, 4), 64), meta],
]);

/** A BMP of 21 by 20 pixels, each row of which has 63 bytes and one that fills it up. */
function bmp({ height = 20, compression = 0, fileBytes = 54 + 20 * 64 } = {}): Buffer {
	const header = Buffer.alloc(54);
	header.write('BM');
	header.writeUInt32LE(fileBytes, 2);
	for (const [at, value] of [
		[10, 54],
		[14, 40],
		[18, 21],
		[30, compression],
	] as const) {
		header.writeUInt32LE(value, at);
	}
	header.writeInt32LE(height, 22);
	header.writeUInt16LE(24, 28);
	return Buffer.concat([header, Buffer.alloc(20 * 64, 5)]);
}

/**
 * A BMP as OS/2 wrote it, of 200 by 8 pixels with one bit each: 28 bytes a row, three of them
 * spare.
 */
const oldBmp = Buffer.concat([
	hex('424d 00000000 00000000 20000000 0c000000 c800 0800 0100 0100 000000 ffffff'),
	Buffer.alloc(8 * 28, 6),
]);

/** With how many of their last bytes are no part of the image. */
const WHOLE: [string, Buffer, number][] = [
	['a photo', photo, 0],
	['a photo with a thumbnail', withThumbnail, 0],
	['a progressive JPEG', progressive, 0],
	['a PNG, which ends in a checksum of nothing', png, 4],
	['a WebP', webp, 0],
	['a HEIC', heic, 0],
	['an AVIF with sizes of 64 bits', avif, 0],
	['a BMP, whose last byte only fills up its row', bmp(), 1],
	['a BMP with its first row at the top', bmp({ height: -20 }), 1],
	['a BMP of OS/2', oldBmp, 3],
];

const scanText = async (texts: string[], options: INodeParameters = {}) =>
	await run({
		items: texts.map((image) => ({ json: { image } })),
		parameters: { documentSource: 'base64', documentBase64: '={{ $json.image }}', options },
		settings: CONTINUE,
	});

const base64Of = (file: Buffer) => file.toString('base64');
const cut = (file: Buffer, bytes: number) => file.subarray(0, bytes);

/** Lengths at which a file is cut off and its kind still known; all of them, if there are few. */
function shorterLengths({ length }: Buffer, spare: number): number[] {
	const longest = length - spare - 1;
	const step = Math.ceil(length / 150);
	const lengths = Array.from({ length: 150 }, (_, index) => 16 + index * step);
	return [...lengths.filter((each) => each < longest), longest];
}

describe.each(WHOLE)('%s', (_, file, spare) => {
	const lengths = shorterLengths(file, spare);

	it('is sent', async () => {
		const { outputs } = await scanText([base64Of(file)]);

		expect(outputs[0]?.[0]?.error).toBeUndefined();
		expect(await sandbox.documents()).toEqual([sha256(file)]);
	});

	it('is refused as cut off, unpaid, wherever it ends', async () => {
		const { outputs } = await scanText(lengths.map((length) => base64Of(cut(file, length))));

		const messages = outputs[0]?.map(({ error }) => error?.message.replace(/ \[item.*/, ''));
		expect(messages).toEqual(
			lengths.map(() => expect.stringMatching(/is (cut off|too short)\b.*Nothing was charged$/)),
		);
		expect(await sandbox.requests()).toEqual([]);
	});
});

it.each<[string, Buffer]>([
	[
		'a JPEG with a video after it, as of a motion photo',
		Buffer.concat([photo, hex('00ffd8'), png]),
	],
	['a progressive JPEG with data after it', Buffer.concat([progressive, Buffer.alloc(999, 7)])],
	['a JPEG with other pictures after it', Buffer.concat([photo, photo, cut(photo, 9_000)])],
	['a PNG with data after it', Buffer.concat([png, Buffer.alloc(999, 7)])],
	['a JPEG with a damaged byte that looks like a segment', damaged(photo)],
	[
		'a JPEG with such a byte, and a video after it',
		Buffer.concat([damaged(photo), Buffer.alloc(999, 7)]),
	],
	[
		'a JPEG with a damaged byte that leads beyond its end, and a video after it',
		Buffer.concat([damaged(photo, 'ffc40fa0'), Buffer.alloc(9_999, 7)]),
	],
	[
		'a JPEG with a damaged byte that looks like the next scan, and a video after it',
		Buffer.concat([damaged(photo, 'ffda0fa0'), Buffer.alloc(9_999, 7)]),
	],
	['a HEIC with a cut-off video after it', Buffer.concat([heic, cut(box('mpvd', photo), 99)])],
	['a HEIC with data after it', Buffer.concat([heic, Buffer.alloc(999, 7)])],
	['a HEIC with nothing but zeros after it', Buffer.concat([heic, Buffer.alloc(999)])],
	[
		'a HEIC whose last part has no size, for it goes to the end',
		Buffer.concat([heicStart, meta, hex('00000000'), Buffer.from('mdat'), Buffer.alloc(500)]),
	],
	[
		'an AVIF whose image is in its header',
		Buffer.concat([heicStart, box('meta', box('idat', Buffer.alloc(200)))]),
	],
	['a BMP that says that it is longer', bmp({ fileBytes: 2 ** 32 - 1 })],
	['a BMP without the byte that fills up its last row', cut(bmp(), 54 + 20 * 64 - 1)],
	['a compressed BMP', cut(bmp({ compression: 1 }), 700)],
	// It would lack nearly all of its pixels if it were a BMP.
	['a TIFF', Buffer.concat([hex('49492a0008000000'), cut(bmp(), 700).subarray(8)])],
])('%s is sent', async (_, file) => {
	await scanText([base64Of(file)]);

	expect(await sandbox.documents()).toEqual([sha256(file)]);
});

/** A WebP with one more byte of metadata: its size is odd, so another one fills it up. */
const oddWebp = Buffer.concat([webp, Buffer.from('EXIF'), hex('01000000 77 00')]);
oddWebp.writeUInt32LE(oddWebp.length - 8, 4);

it('a WebP is sent that lacks the byte that only fills it up', async () => {
	const unfilled = cut(oddWebp, oddWebp.length - 1);

	await scanText([base64Of(unfilled)]);

	expect(await sandbox.documents()).toEqual([sha256(unfilled)]);
});

it('a WebP is refused that lacks a byte more than that', async () => {
	const { outputs } = await scanText([base64Of(cut(oddWebp, oddWebp.length - 2))]);

	expect(outputs[0]?.[0]?.error?.message).toContain('is cut off');
	expect(await sandbox.requests()).toEqual([]);
});

it.each([
	[32_767, '32,767 characters, the limit of a cell in Excel'],
	[50_000, '50,000 characters, the limit of a cell in Google Sheets'],
	[65_535, '65,535 characters, the limit of a TEXT column in MySQL'],
	[65_533, '65,533 characters'],
	[100_000, '100,000 characters, the limit of a long text field in Airtable'],
])('text that was cut off after %d characters is refused with its length', async (length, said) => {
	const texts = [base64Of(photo), `data:image/jpeg;base64,${base64Of(photo)}`];

	const { outputs } = await scanText(texts.map((text) => text.slice(0, length)));

	expect(outputs[0]?.map(({ error }) => error?.message)).toEqual(
		[0, 1].map((item) =>
			expect.stringMatching(
				new RegExp(
					`^The document image is (cut off|incomplete base64 text)\\. It comes from 'Document Image Base64', whose text has ${said}\\. Nothing was charged \\[item ${item}\\]$`,
				),
			),
		),
	);
	expect(await sandbox.requests()).toEqual([]);
});

describe('a file', () => {
	const half = cut(photo, 60_000);

	it('that n8n holds in memory is refused as cut off, with its size', async () => {
		const { message } = failureOf(
			await run({ binaryMode: 'default', items: [documentItem(half)] }),
		);

		expect(message).toBe(
			`The document image is cut off. 'Document Image Binary Field' points to "document.jpg" of 60,000 bytes. The item has these binary fields: data. Nothing was charged [item 0]`,
		);
		expect(await sandbox.requests()).toEqual([]);
	});

	it('that n8n stores is sent as it is: only its beginning is read before', async () => {
		await run({ binaryMode: 'filesystem', items: [documentItem(half)] });

		expect(await sandbox.documents()).toEqual([sha256(half)]);
	});

	it('that a Code node made of damaged text is refused', async () => {
		const data = base64Of(photo).replaceAll('+', ' ');

		const result = await run({
			items: [{ json: { file: { data, mimeType: 'image/jpeg', fileName: 'a.jpg' } } }],
			parameters: { documentBinaryField: '={{ $json.file }}' },
		});

		expect(failureOf(result).message).toMatch(/has spaces where.* points to "a\.jpg"\. /);
		expect(await sandbox.requests()).toEqual([]);
	});
});

describe('Send Other File Types', () => {
	const on = { sendOtherFileTypes: true };
	const withoutEnd = cut(photo, photo.length - 2);

	it('sends a JPEG without its end, and is named where one is refused', async () => {
		const text = base64Of(withoutEnd);

		const refused = await scanText([text]);
		await scanText([text], on);

		expect(refused.outputs[0]?.[0]?.error?.description).toContain("'Send Other File Types'");
		expect(await sandbox.documents()).toEqual([sha256(withoutEnd)]);
	});

	it.each<[string, string]>([
		['a PNG without its end', base64Of(cut(png, png.length - 12))],
		['a WebP without its end', base64Of(cut(webp, webp.length - 2))],
		['a JPEG without its image', base64Of(cut(photo, 300))],
		['a JPEG without its end and its padding', base64Of(cut(photo, 50_000)).replace(/=+$/, '')],
	])('does not send %s', async (_, text) => {
		const { outputs } = await scanText([text], on);

		expect(outputs[0]?.[0]?.error?.message).toContain('is cut off');
		expect(await sandbox.requests()).toEqual([]);
	});
});

/** With four bytes in its image data that look like a segment. */
function damaged(file: Buffer, segmentStart = 'ffeeffff'): Buffer {
	const copy = Buffer.from(file);
	copy.write(segmentStart, copy.length - 1_000, 'hex');
	return copy;
}
