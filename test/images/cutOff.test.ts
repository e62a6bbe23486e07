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
	...[START, hex('ffff'), comment, segment('c2', Buffer.alloc(15, 1)), scanHeader, imageData],
	...[hex('ffff'), segment('c4', Buffer.alloc(30, 2)), scanHeader, imageData, END],
]);

const WHOLE: [string, Buffer][] = [
	['a photo', photo],
	['a photo with a thumbnail', withThumbnail],
	['a progressive JPEG', progressive],
	['a PNG', png],
	['a JPEG with fill bytes between its segments', withBetween('ffffff')],
];

/** They aren't segments, so nobody can tell where the image data begin. */
const ODD: [string, Buffer][] = [
	['a marker without a length', withBetween('ff01')],
	['stray bytes', withBetween('0a0d00')],
	['stray bytes that look like a length beyond its end', withBetween('00ffff')],
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
function shorterLengths({ length }: Buffer): number[] {
	const longest = length - 1;
	const step = Math.ceil(length / 150);
	const lengths = Array.from({ length: 150 }, (_, index) => 16 + index * step);
	return [...lengths.filter((each) => each < longest), longest];
}

describe.each(WHOLE)('%s', (_, file) => {
	const lengths = shorterLengths(file);

	it('is sent', async () => {
		const { outputs } = await scanText([base64Of(file)]);

		expect(outputs[0]?.[0]?.error).toBeUndefined();
		expect(await sandbox.documents()).toEqual([sha256(file)]);
	});

	it('is refused as cut off, unpaid, wherever it ends', async () => {
		const { outputs } = await scanText(lengths.map((length) => base64Of(cut(file, length))));

		const messages = outputs[0]?.map(({ error }) => error?.message.replace(/ \(charge.*/, ''));
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
	['a JPEG with a line break after it', Buffer.concat([photo, hex('0a')])],
	['a JPEG with a damaged byte that looks like a segment', damaged(photo)],
	...ODD.map(([name, file]): [string, Buffer] => [`a JPEG with ${name} between segments`, file]),
	// The end of these isn't checked.
	['a HEIC', Buffer.concat([hex('00000010'), Buffer.from('ftypheic\0\0\0\0'), Buffer.alloc(99)])],
	['a TIFF', hex(`49492a0008000000${'66'.repeat(120)}`)],
])('%s is sent', async (_, file) => {
	await scanText([base64Of(file)]);

	expect(await sandbox.documents()).toEqual([sha256(file)]);
});

it.each([32_767, 65_536])(
	'text that was cut off after %d characters is refused with its length',
	async (length) => {
		const texts = [base64Of(photo), `data:image/jpeg;base64,${base64Of(photo)}`];

		const { outputs } = await scanText(texts.map((text) => text.slice(0, length)));

		const said = length.toLocaleString('en-US');
		expect(outputs[0]?.map(({ error }) => error?.message)).toEqual(
			[0, 1].map((item) =>
				expect.stringMatching(
					new RegExp(
						`^The document image is (cut off|incomplete base64 text) \\(${said} characters\\)\\. It comes from 'Document Image Base64'\\. Nothing was charged \\(charge: none\\) \\[item ${item}\\]$`,
					),
				),
			),
		);
		expect(await sandbox.requests()).toEqual([]);
	},
);

describe('a file', () => {
	const half = cut(photo, 60_000);

	it('that n8n holds in memory is refused as cut off, with its size', async () => {
		const { message } = failureOf(
			await run({ binaryMode: 'default', items: [documentItem(half)] }),
		);

		expect(message).toBe(
			`The document image is cut off (60,000 bytes). 'Document Image Binary Field' is set to "data". The item has these binary fields: data. Nothing was charged for "document.jpg" (charge: none) [item 0]`,
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

		expect(failureOf(result).message).toMatch(/contains a space.* for "a\.jpg" /);
		expect(await sandbox.requests()).toEqual([]);
	});

	it.each([photo, [...photo.subarray(0, 200)], { type: 'Buffer' }, 17])(
		'that a Code node made of a Buffer is refused, and says that it is not base64 text',
		async (data) => {
			const file = { data, mimeType: 'image/jpeg', fileName: 'a.jpg' };

			const { message, description } = failureOf(
				await run({
					items: [{ json: { file } as never }],
					parameters: { documentBinaryField: '={{ $json.file }}' },
				}),
			);

			expect(message).toMatch(/^The document image has content that is not base64 text\. /);
			expect(description).toContain("write buffer.toString('base64') as the file's data");
			expect(await sandbox.requests()).toEqual([]);
		},
	);
});

describe('Send Other File Types', () => {
	const on = { sendOtherFileTypes: true };
	const withoutEnd = cut(photo, photo.length - 2);

	it.each<[string, Buffer]>([
		['a JPEG without its end', withoutEnd],
		['a JPEG of which a segment is longer than the file', cut(photo, 300)],
		['a PNG without its end', cut(png, png.length - 12)],
		...ODD.map(([name, file]): [string, Buffer] => [
			`a JPEG with ${name} between segments and no end`,
			cut(file, file.length - 2),
		]),
	])('sends %s, and is named where one is refused', async (_, file) => {
		const refused = await scanText([base64Of(file)]);
		await scanText([base64Of(file)], on);
		await run({ binaryMode: 'default', items: [documentItem(file)], parameters: { options: on } });

		const { message, description } = refused.outputs[0]?.[0]?.error ?? {};
		expect(message).toContain('is cut off');
		expect(description).toContain("switch on 'Send Other File Types'");
		expect(await sandbox.documents()).toEqual([sha256(file), sha256(file)]);
	});
});

/** The photo, with these bytes after its first segment. */
function withBetween(bytes: string): Buffer {
	const end = 4 + photo.readUInt16BE(4);
	return Buffer.concat([photo.subarray(0, end), hex(bytes), photo.subarray(end)]);
}

/** With four bytes in its image data that look like a segment. */
function damaged(file: Buffer): Buffer {
	const copy = Buffer.from(file);
	copy.write('ffeeffff', copy.length - 1_000, 'hex');
	return copy;
}
