import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeParameters } from 'n8n-workflow';

import { sha256, useSandbox } from '../kit/sandbox';
import { actionNode, documentItem, failureOf, picture } from '../kit/engine/action';

// An image that is in memory is sent only if it has its end.

const sandbox = useSandbox();
const { run } = actionNode(sandbox);

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

/** With how many of their last bytes are no part of the image. */
const WHOLE: [string, Buffer, number][] = [
	['a photo', photo, 0],
	['a photo with a thumbnail', withThumbnail, 0],
	['a progressive JPEG', progressive, 0],
	['a PNG, which ends in a checksum of nothing', png, 4],
	['a WebP, whose last byte may only fill it up', webp, 1],
];

const scanText = async (texts: string[], options: INodeParameters = {}) =>
	await run({
		items: texts.map((image) => ({ json: { image } })),
		parameters: { documentSource: 'base64', documentBase64: '={{ $json.image }}', options },
		settings: { onError: 'continueRegularOutput' },
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
])('%s is sent', async (_, file) => {
	await scanText([base64Of(file)]);

	expect(await sandbox.documents()).toEqual([sha256(file)]);
});

it('a WebP is sent that lacks the byte that only fills it up', async () => {
	const odd = Buffer.concat([webp, hex('00')]);
	odd.writeUInt32LE(odd.length - 8 + 1, 4);

	await scanText([base64Of(odd)]);

	expect(await sandbox.documents()).toEqual([sha256(odd)]);
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
					`^The document image is (cut off|base64 text that is not whole)\\. It comes from 'Document Image Base64', whose text has ${said}\\. Nothing was charged \\[item ${item}\\]$`,
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

		expect(failureOf(result).message).toMatch(/has blanks where.* points to "a\.jpg"\. /);
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

/** With a byte in its image data that leads beyond its end. */
function damaged(file: Buffer): Buffer {
	const copy = Buffer.from(file);
	copy.write('ffeeffff', copy.length - 1_000, 'hex');
	return copy;
}
