import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { fixture } from '../kit/data/fixtures';
import { listen } from '../kit/service/httpServer';
import { sha256, useSandbox } from '../kit/service/sandbox';
import { picture } from '../kit/data/picture';
import {
	actionRunner,
	agentTool,
	sandboxCredential,
	documentItem,
	failureOf,
} from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import { runNode } from '../kit/engine';
import type { NodeRun } from '../kit/engine';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

/** A file that begins with this text, one character a byte. */
const fileOf = (start: string, bytes = 1_000) =>
	Buffer.concat([Buffer.from(start, 'latin1'), Buffer.alloc(bytes, 7)]);
const textOf = (text: string) => Buffer.from(text.repeat(20));

const bmp = Buffer.concat([Buffer.from('BM'), Buffer.alloc(12), Buffer.from([40, 0, 0, 0, 9, 9])]);
const box = (size: number, brands: string) => `\0\0\0${String.fromCharCode(size)}ftyp${brands}`;

const BINARY_MODES = ['filesystem', 'default', 's3'] as const;

const IMAGES: [string, Buffer][] = [
	['JPEG', picture()],
	['PNG', fileOf('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')],
	['WebP', fileOf('RIFF\x10\x20\0\0WEBPVP8 ')],
	['GIF of 1987', fileOf('GIF87a')],
	['GIF of 1989', fileOf('GIF89a')],
	['BMP', Buffer.concat([bmp, Buffer.alloc(200)])],
	['TIFF, little end first', fileOf('II*\0\x08\0\0\0')],
	['TIFF, big end first', fileOf('MM\0*\0\0\0\x08')],
	['BigTIFF, little end first', fileOf('II+\0\x08\0\0\0')],
	['BigTIFF, big end first', fileOf('MM\0+\0\x08\0\0')],
	['HEIC', fileOf(box(24, 'heic\0\0\0\0mif1heic'))],
	['HEIC sequence', fileOf(box(24, 'hevc\0\0\0\0msf1hevc'))],
	['HEIF, of a brand that is not known', fileOf(box(28, 'abcd\0\0\0\0efghmif1heic'))],
	...['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1', 'avif', 'avis'].map(
		(brand): [string, Buffer] => [
			`HEIF whose only brand is ${brand}`,
			fileOf(box(16, `${brand}\0\0\0\0`)),
		],
	),
	...[12, 16, 40, 52, 56, 64, 108, 124].map((length): [string, Buffer] => [
		`BMP whose second header has ${length} bytes`,
		Buffer.concat([bmp.subarray(0, 14), Buffer.from([length, 0, 0, 0]), Buffer.alloc(200)]),
	]),
	['AVIF', fileOf(box(32, 'avif\0\0\0\0avifmif1miafMA1B'))],
];

const OTHERS: [string, Buffer, string][] = [
	['a PDF', Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj %%EOF'), 'is a PDF file, not'],
	['a ZIP or Office file', fileOf('PK\x03\x04\x14\0'), 'is not in a supported image format'],
	['a text', textOf('Zoë lives here.\r\n'), 'is a text file, not an image'],
	['a text that is cut in a letter', Buffer.from(`x${'ü'.repeat(900)}`), 'is a text file, not'],
	['a text that begins as a BMP', textOf('BMW 320d, first registration 2019. '), 'is a text file'],
	['base64 text', Buffer.from(picture().toString('base64')), 'is a text file, not an image'],
	['a page', textOf('\ufeff <!DOCTYPE html><title>x</title>'), 'is a text file, not an image'],
	['SVG', textOf('<?xml version="1.0"?>\n<svg xmlns="…">'), 'is a text file, not an image'],
	['random bytes', fileOf('\x91\x02\xfe\x13'), 'is not in a supported image format'],
	['half a signature', fileOf('\xff\xd8'), 'is not in a supported image format'],
	['a video', fileOf(box(24, 'isom\0\0\x02\0isomavc1')), 'is not in a supported image format'],
	['sound', fileOf('RIFF\x10\x20\0\0WAVEfmt '), 'is not in a supported image format'],
	[
		'a brand behind its box',
		fileOf(box(16, 'isom\0\0\0\0heic')),
		'is not in a supported image format',
	],
	['half a box', Buffer.from('\0\0\0\x01ftypheic'), 'is not in a supported image format'],
];

/** A file as a form that was told nothing stores it, or that was told the wrong thing. */
const stored = (content: Buffer, mimeType: string, fileName = 'id.jpg') => ({
	files: { data: { content, mimeType, fileName } },
});

const fromText = (content: Buffer, name = 'document'): INodeParameters => ({
	[`${name}Source`]: 'base64',
	[`${name}Base64`]: content.toString('base64'),
});

const base64 = picture(3_000).toString('base64');
/** An expression that gives this value instead of the name of a field. */
const inField = { parameters: { documentBinaryField: '={{ $json.value }}' } };

/** What the failure says, when nothing was sent and it is the item's. */
async function refusalOf(result: NodeRun) {
	const { status, itemIndex, ...texts } = failureOf(result);
	expect({ status, itemIndex }).toEqual({ status: 'error', itemIndex: 0 });
	expect(texts.message).toMatch(/Nothing was charged.* \[item 0\]$/);
	expect(await sandbox.requests()).toEqual([]);
	return texts;
}

/** The first kind in every binary mode, the others in that of most installations. */
const inBinaryModes = <Kind extends [string, Buffer, ...string[]]>(kinds: Kind[]) =>
	kinds.flatMap((kind, index) =>
		(index === 0 ? BINARY_MODES : BINARY_MODES.slice(0, 1)).map(
			(binaryMode) => [binaryMode, ...kind] as const,
		),
	);

describe('as a file', () => {
	it.each(inBinaryModes(IMAGES))(
		'in binary mode %s, %s is sent, whatever n8n noted it as',
		async (binaryMode, _, content) => {
			const mimeType = 'application/octet-stream';

			const result = await run({ binaryMode, items: [stored(content, mimeType, 'upload')] });

			expect(result.error).toBeUndefined();
			expect(await sandbox.documents()).toEqual([sha256(content)]);
		},
	);

	it.each(inBinaryModes(OTHERS))(
		'in binary mode %s, %s is refused unpaid, also when noted as JPEG',
		async (binaryMode, _, content, problem) => {
			const result = await run({ binaryMode, items: [stored(content, 'image/jpeg')] });

			expect((await refusalOf(result)).message).toContain(`The document image ${problem}`);
		},
	);
});

describe.each(BINARY_MODES)(
	'a file of fewer bytes than base64 text must have, in mode %s,',
	(binaryMode) => {
		const scanned = async (bytes: number, sendOtherFileTypes: boolean) =>
			await run({
				binaryMode,
				items: [stored(picture(bytes), 'image/jpeg')],
				parameters: { options: { sendOtherFileTypes } },
			});

		it.each([15, 43, 70, 99])('is refused, unpaid: %d', async (bytes) => {
			const { message } = await refusalOf(await scanned(bytes, false));

			expect(message).toContain(
				`The document image is too small to be an image (${bytes} bytes). `,
			);
		});

		it('is sent with Send Other File Types', async () => {
			await scanned(15, true);

			expect(await sandbox.documents()).toHaveLength(1);
		});
	},
);

describe('as base64 text', () => {
	it.each(OTHERS.filter(([, { length }]) => length > 102))(
		'%s is refused unpaid',
		async (_, content, problem) => {
			const { message } = await refusalOf(
				await run({ items: [{}], parameters: fromText(content) }),
			);

			expect(message).toContain(`The document image ${problem}`);
			expect(message).toContain("It comes from 'Document Image Base64'");
		},
	);
});

describe('is checked too:', () => {
	const pdf = { content: fileOf('%PDF-1.7\n'), fileName: 'scan.pdf' };

	it('the face', async () => {
		const files = { data: { content: picture() }, face: pdf };

		const { message } = await refusalOf(
			await run({ items: [{ files }], parameters: { faceSource: 'binary' } }),
		);

		expect(message).toBe(
			`The face image is a PDF file, not an image. 'Face Image Binary Field' is set to "face". The item has these binary fields: data, face. Nothing was charged for "scan.pdf" (charge: none) [item 0]`,
		);
	});

	it.each(['default', 'filesystem'] as const)(
		"a file of an agent's tool, in binary mode %s",
		async (binaryMode) => {
			const { message } = await refusalOf(
				await runNode({
					node: agentTool(),
					binaryMode,
					items: [{ files: { other: pdf } }],
					credential: sandboxCredential(sandbox),
					parameters: {
						operation: 'scan',
						profile: 'sandbox-accept',
						documentBinaryField: "={{ $('Start').item.binary.other }}",
					},
				}),
			);

			expect(message).toBe(
				`The document image is a PDF file, not an image. 'Document Image Binary Field' is set to an expression. Nothing was charged (charge: none) [item 0]`,
			);
		},
	);
});

describe('an error about a file', () => {
	it('names the fields that a missing file could be in', async () => {
		const files = { Photo_of_your_ID: { content: picture() }, selfie: { content: picture() } };

		const { message } = await refusalOf(await run({ items: [{ json: { a: 1 }, files }] }));

		expect(message).toBe(
			`The document image is missing. 'Document Image Binary Field' is set to "data". The item has these binary fields: Photo_of_your_ID, selfie. Nothing was charged (charge: none) [item 0]`,
		);
	});

	it('says that the item has no file, as after an upload of 0 bytes', async () => {
		const { message, description } = await refusalOf(await run({ items: [{ json: { a: 1 } }] }));

		expect(message).toBe(
			`The document image is missing. 'Document Image Binary Field' is set to "data". The item has no binary fields. Nothing was charged (charge: none) [item 0]`,
		);
		expect(description).toMatch(
			/^Check 'Document Image Binary Field', and where the item comes from/,
		);
	});

	it.each([
		['base64 text', base64],
		['a data URI', `data:image/jpeg;base64,${base64}`],
		['a short data URI', 'data:,ALEX'],
		['a long word', 'ALEX'.repeat(17)],
		['a name', 'Alex'],
	])('does not repeat %s that an expression gives', async (_, value) => {
		const result = await run({ ...inField, items: [{ ...documentItem(), json: { value } }] });

		expect((await refusalOf(result)).message).toBe(
			`The document image is missing. 'Document Image Binary Field' is set to an expression. The item has these binary fields: data. Nothing was charged (charge: none) [item 0]`,
		);
		expect(JSON.stringify(result.stored.resultData.error)).not.toContain(value);
	});

	it.each(BINARY_MODES)('names an empty file, in binary mode %s', async (binaryMode) => {
		const { message } = await refusalOf(
			await run({ binaryMode, items: [stored(Buffer.alloc(0), 'image/jpeg', 'front.jpg')] }),
		);

		expect(message).toBe(
			`The document image is empty. 'Document Image Binary Field' is set to "data". The item has these binary fields: data. Nothing was charged for "front.jpg" (charge: none) [item 0]`,
		);
	});

	it('says when a stored file is gone', async () => {
		const file = { mimeType: 'image/jpeg', id: 'filesystem-v2:no/such/file', data: '' };

		const { message } = await refusalOf(
			await run({
				binaryMode: 'filesystem',
				items: [{ json: { file } }],
				parameters: { documentBinaryField: '={{ $json.file }}' },
			}),
		);

		expect(message).toMatch(
			/cannot be read from n8n's storage\. .* is set to an expression\. The item has no binary fields\./,
		);
	});

	// n8n replaces the message of an error in which one of these occurs.
	it.each(['ECONNREFUSED', 'ENOENT'])('stays as it is for a file called %s.jpg', async (name) => {
		const result = await run({ items: [stored(textOf('text'), 'image/jpeg', `${name}.jpg`)] });

		expect((await refusalOf(result)).message).toContain(`is a text file, not an image`);
		expect(failureOf(result).message).toContain(`"${name}.jpg"`);
		expect(result.error).toMatchObject({ messages: [] });
	});
});

describe('Send Other File Types', () => {
	const pdf = fileOf('%PDF-1.7\n');
	const on = { options: { sendOtherFileTypes: true } };

	/** Runs the node with a service that takes everything; tells what it got. */
	async function sent(options: ActionOptions) {
		const documents: unknown[] = [];
		const { url } = await listen((request, response) => {
			const chunks: Buffer[] = [];
			request.on('data', (chunk: Buffer) => chunks.push(chunk));
			request.on('end', () => {
				const { document, referenceFace } = JSON.parse(
					String(Buffer.concat(chunks)),
				) as IDataObject;
				documents.push(document ?? referenceFace);
				const answer = { ...fixture('scan-accept'), reference: 'r', url: 'https://x.example' };
				response.end(JSON.stringify(answer));
			});
		});
		const result = await run({ ...options, credential: { baseUrl: url } });
		return { documents, ...failureOf(result) };
	}

	it.each<[string, ActionOptions]>([
		['a stored PDF', { binaryMode: 'filesystem', items: [stored(pdf, 'application/pdf')] }],
		['a PDF in memory', { binaryMode: 'default', items: [stored(pdf, 'application/pdf')] }],
		['a PDF as base64 text', { items: [{}], parameters: fromText(pdf) }],
		[
			'the reference face',
			{
				items: [{ files: { face: { content: pdf } } }],
				parameters: { operation: 'createHostedLink', mode: 2 },
			},
		],
	])('sends %s', async (_, options) => {
		const { documents, message } = await sent({
			...options,
			parameters: { ...options.parameters, ...on },
		});

		expect(message).toBe('');
		expect(documents).toEqual([pdf.toString('base64')]);
	});

	it.each(["={{ 'false' }}", "={{ 'true' }}", '={{ undefined }}', '={{ 1 }}'])(
		'is off unless it is true: %s',
		async (sendOtherFileTypes) => {
			const result = await run({
				items: [stored(pdf, 'image/jpeg')],
				parameters: { options: { sendOtherFileTypes } },
			});

			const { message, description } = await refusalOf(result);
			expect(message).toContain('is a PDF file');
			expect(description).toContain('Send Other File Types');
		},
	);
});
