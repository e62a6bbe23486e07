import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { fixture } from '../kit/data/fixtures';
import { listen } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { actionRunner, documentItem, failureOf, jsonOf } from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import type { TestFile } from '../kit/engine/binaryData';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

const filesHost = () => new URL(sandbox.filesUrl).host;

const download = async (json: IDataObject, options: ActionOptions = {}) =>
	await run({
		...options,
		items: [{ json }],
		parameters: { operation: 'downloadFiles', ...options.parameters },
		credential: { fileHosts: filesHost(), ...options.credential },
	});

/** The result of a scan, as an earlier node would have put it out. */
const scanned = async (output: string) => {
	const document = readFileSync(join(__dirname, '../../dev/sandbox/assets/specimen-front.jpg'));
	return jsonOf(await run({ items: [documentItem(document)], parameters: { output } }))[0] ?? {};
};

const resultWith = (fileUrl: string) => ({ outputFile: [{ fileName: 'report.txt', fileUrl }] });
const largeFile = (bytes: number) => resultWith(`${sandbox.filesUrl}/files/large?bytes=${bytes}`);

it('the files belong to the item that they were downloaded for', async () => {
	const items = ['a.txt', 'b.txt'].map((fileName) => {
		const fileUrl = `${sandbox.filesUrl}/files/large?bytes=10`;
		return { json: { outputFile: [{ fileName, fileUrl }] } };
	});
	const { outputs } = await run({
		items,
		parameters: { operation: 'downloadFiles' },
		credential: { fileHosts: filesHost() },
	});

	expect(outputs[0]?.map(({ files, pairedItem }) => [files.file_0?.fileName, pairedItem])).toEqual([
		['a.txt', { item: 0 }],
		['b.txt', { item: 1 }],
	]);
});

describe.each(['simplified', 'raw'])('the files of a result in form %s', (output) => {
	it.each(['default', 'filesystem'] as const)(
		'are attached with name and type, in binary mode %s',
		async (binaryMode) => {
			const json = await scanned(output);

			const { outputs } = await download(json, { binaryMode });

			const [item] = outputs[0] ?? [];
			expect(item?.json).toEqual(json);
			expect(item?.pairedItem).toEqual({ item: 0 });
			expect(Object.keys(item?.files ?? {}).sort()).toEqual(['face', 'file_0', 'front']);
			expect(item?.files.file_0).toMatchObject({
				fileName: expect.stringMatching(/^audit-report-.*\.pdf$/),
				mimeType: 'application/pdf',
			});
			expect(item?.files.file_0?.content.subarray(0, 5).toString()).toBe('%PDF-');
			expect(item?.files.front?.mimeType).toBe('image/jpeg');
			expect(item?.files.front?.content.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
			expect((await sandbox.state()).fileRequests.map(({ hasApiKey }) => hasApiKey)).toEqual([
				true,
				true,
				true,
			]);
		},
	);
});

it('opaque images of a webhook result are skipped with a hint, the files still arrive', async () => {
	const { outputImage } = fixture('webhook-accept');
	const { outputFile } = await scanned('raw');

	const { outputs, hints, error } = await download({ outputImage, outputFile } as IDataObject);

	expect(error).toBeUndefined();
	expect(Object.keys(outputs[0]?.[0]?.files ?? {})).toEqual(['file_0']);
	expect(hints).toEqual([expect.objectContaining({ message: expect.stringContaining('skipped') })]);
});

it('files that are no list are skipped with a hint', async () => {
	const { outputs, hints } = await run({
		items: [{ json: { decision: 'accept', outputFile: { fileUrl: 'https://example.com/x' } } }],
		parameters: { operation: 'downloadFiles' },
	});

	expect(outputs[0]).toHaveLength(1);
	expect(hints.map(({ message }) => message).join()).toContain('were skipped');
});

it('of more than 100 files, the first 100 are fetched, with a hint', async () => {
	const fileUrl = `${sandbox.filesUrl}/files/large?bytes=10`;
	const outputFile = (count: number) => Array.from({ length: count }, () => ({ fileUrl }));

	const most = await download({ outputFile: outputFile(100) });
	const more = await download({ outputFile: outputFile(101) });

	expect(Object.keys(more.outputs[0]?.[0]?.files ?? {})).toEqual(
		Object.keys(most.outputs[0]?.[0]?.files ?? {}),
	);
	const said = [most, more].map(({ hints }) => hints.map(({ message }) => message).join());
	expect(said.map((each) => each.includes('Only the first 100'))).toEqual([false, true]);
	expect((await sandbox.state()).fileRequests).toHaveLength(200);
});

it('a result without files passes as it is, in form raw too', async () => {
	const { outputs, error } = await download({ decision: 'accept', outputImage: null });

	expect(error).toBeUndefined();
	expect(outputs[0]).toHaveLength(1);
});

it('a file whose own keys look like those of an image stays a file', async () => {
	const body = (await scanned('raw')) as { outputFile: IDataObject[] };
	const outputFile = body.outputFile.map((file) => ({ ...file, image: 'front' }));

	const { outputs } = await download({ ...body, outputFile } as IDataObject);

	expect(Object.keys(outputs[0]?.[0]?.files ?? {}).sort()).toEqual(['face', 'file_0', 'front']);
});

describe("an item's own files", () => {
	const own = (...fields: string[]) =>
		Object.fromEntries(
			fields.map((field) => [field, { content: Buffer.from(field), fileName: 'report.pdf' }]),
		);
	const downloadTo = async (files: Record<string, TestFile>, options: INodeParameters = {}) => {
		const json = await scanned('simplified');
		return await run({
			items: [{ json, files }],
			parameters: { operation: 'downloadFiles', options },
			credential: { fileHosts: filesHost() },
		});
	};

	it('stay beside those of the result', async () => {
		const { outputs } = await downloadTo(own('data'));

		const { files = {} } = outputs[0]?.[0] ?? {};
		expect(Object.keys(files).sort()).toEqual(['data', 'face', 'file_0', 'front']);
		expect(files.data?.content.toString()).toBe('data');
	});

	it('are not replaced, and nothing is fetched', async () => {
		const result = await downloadTo(own('file_0', 'data', 'front'));

		const { message, description } = failureOf(result);
		expect(message).toBe(
			"The item already has a file in 'file_0', 'front', where a file of the result would go. Nothing was charged (charge: none) [item 0]",
		);
		expect(description).toContain("set 'Binary Field Prefix'");
		expect((await sandbox.state()).fileRequests).toEqual([]);
	});

	it("are not replaced in n8n's Execution Logic v2, where they are in the JSON", async () => {
		const file = { id: 'filesystem-v2:x', mimeType: 'image/jpeg', fileName: 'front.jpg' };
		const json = { ...(await scanned('simplified')), _files: { front: file, other: null } };

		const result = await run({
			items: [{ json }],
			parameters: { operation: 'downloadFiles' },
			credential: { fileHosts: filesHost() },
			workflowSettings: { binaryMode: 'combined' },
		});

		expect(failureOf(result).message).toMatch(/^The item already has a file in 'front', where/);
		expect((await sandbox.state()).fileRequests).toEqual([]);
	});

	it('stay beside those of the same name with a prefix', async () => {
		const result = await downloadTo(own('file_0', 'front'), { binaryFieldPrefix: ' result_ ' });

		const { files = {} } = result.outputs[0]?.[0] ?? {};
		expect(Object.keys(files).sort()).toEqual([
			...['file_0', 'front', 'result_face', 'result_file_0', 'result_front'],
		]);
		expect(files.front?.content.toString()).toBe('front');
		expect(files.result_front?.mimeType).toBe('image/jpeg');
	});

	it('keep a file name of their own', async () => {
		const json = await scanned('raw');
		const outputFile = (json.outputFile as IDataObject[]).map((file) => ({
			...file,
			fileName: 'Report.pdf',
		}));
		const { outputs } = await run({
			items: [{ json: { outputFile: [...outputFile, ...outputFile] }, files: own('data') }],
			parameters: { operation: 'downloadFiles' },
			credential: { fileHosts: filesHost() },
		});

		const { files = {} } = outputs[0]?.[0] ?? {};
		expect(Object.entries(files).map(([field, { fileName }]) => [field, fileName])).toEqual([
			['data', 'report.pdf'],
			['file_0', 'Report (2).pdf'],
			['file_1', 'Report (3).pdf'],
		]);
	});

	it('with a prefix that is no text are not touched', async () => {
		const result = await downloadTo(own('data'), { binaryFieldPrefix: '={{ $json }}' });

		expect(failureOf(result).message).toMatch(/^'Binary Field Prefix' is an object, not text/);
	});
});

it('an item that is no result is refused', async () => {
	expect(failureOf(await download({ name: 'x' }))).toMatchObject({
		message: expect.stringMatching(
			/no files or images of a result\. Nothing was charged \(charge: none\) \[item 0\]/,
		),
		itemIndex: 0,
	});
});

describe('hosts', () => {
	it('elsewhere get no key by a redirect', async () => {
		const followed: unknown[] = [];
		const elsewhere = await listen((request, response) => {
			followed.push(request.url);
			response.end();
		});
		const location = `${elsewhere.url}/x`;
		await sandbox.fault({ on: 'files', kind: 'redirect', status: 302, location });

		const result = await download(largeFile(10));

		expect(failureOf(result).message).toMatch(/not an allowed host/);
		expect(followed).toEqual([]);
	});

	it('that redirect for ever are given up', async () => {
		const location = `${sandbox.filesUrl}/files/large?bytes=7`;
		await sandbox.fault({ on: 'files', kind: 'redirect', location, times: 'always' });

		expect(failureOf(await download(largeFile(10))).message).toMatch(/redirected too many times/);
	});
});

describe.each(['default', 'filesystem'] as const)(
	'a file that does not come, in binary mode %s',
	(binaryMode) => {
		it.each([
			['serverError', /status 500/],
			['unauthorized', /status 401/],
			['html', /status 502/],
			['broken', /the connection was lost/],
			['truncated', /it arrived incomplete/],
			['noAnswer', /nothing arrived for 1 s/],
		])('is an error that costs nothing: %s', async (kind, reason) => {
			await sandbox.fault({ on: 'files', kind });
			const parameters = kind === 'noAnswer' ? { options: { timeout: 1 } } : {};

			const result = await download(largeFile(200_000), { binaryMode, parameters });

			const { message, description, itemIndex } = failureOf(result);
			expect(message).toMatch(/^A file could not be downloaded: .*\[item 0\]$/);
			expect(message).toMatch(reason);
			expect(description).toContain('Fix the cause that the message names');
			expect(itemIndex).toBe(0);
		});
	},
);

describe('a file that is answered with 200', () => {
	const PAGE = Buffer.from('<!doctype html><title>Sign in</title>');
	const PDF = Buffer.from('%PDF-1.7\n');
	const OTHER_IMAGE = Buffer.from('ff0a7f00ff', 'hex');
	const report = (fileName: string) => (fileUrl: string) => ({
		outputFile: [{ fileName, fileUrl }],
	});
	const image = (fileUrl: string) => ({ outputImage: { front: fileUrl } });
	const imageOfSimplified = (fileUrl: string) => ({ files: [{ image: 'front', fileUrl }] });

	/** Downloads what is answered with this type, one byte at a time where there are few. */
	const served = async (
		content: Buffer,
		type: string | undefined,
		resultOf: (fileUrl: string) => IDataObject,
		binaryMode?: 'filesystem',
	) => {
		const { url } = await listen((_, response) => {
			if (type) response.setHeader('Content-Type', type);
			for (const byte of content.subarray(0, 9)) response.write(Buffer.from([byte]));
			response.end(content.subarray(9));
		});
		return await run({
			binaryMode,
			items: [{ json: resultOf(`${url}/file`) }],
			parameters: { operation: 'downloadFiles' },
			credential: { fileHosts: new URL(url).host },
		});
	};

	const EMPTY = /: it is empty\./;
	const NO_PDF = /: it should be a PDF file, but it is not one\./;
	const NO_IMAGE = /: it should be an image, but it is text\./;

	it.each<[string, Buffer, string | undefined, (fileUrl: string) => IDataObject, RegExp]>([
		['is empty', Buffer.alloc(0), 'text/plain', report('notes.txt'), EMPTY],
		['is an empty image', Buffer.alloc(0), 'image/jpeg', image, EMPTY],
		['is called PDF, and is a page', PAGE, 'text/html', report('Report.PDF'), NO_PDF],
		['is called PDF, and is an image', OTHER_IMAGE, undefined, report('a.pdf'), NO_PDF],
		['is sent as PDF, and is an XML error', PAGE, 'Application/PDF; q=1', report('a'), NO_PDF],
		[
			'is a PDF after 1,024 bytes',
			Buffer.concat([Buffer.alloc(1_021, 'x'), PDF]),
			undefined,
			report('a.pdf'),
			NO_PDF,
		],
		['has the name of an image, and is a page', PAGE, 'text/html', report('face.jpeg'), NO_IMAGE],
		['is sent as an image, and is a page', PAGE, 'image/png', report('a'), NO_IMAGE],
		['is an image of the result, and is a page', PAGE, 'text/html', image, NO_IMAGE],
		['is an image of Simplified, and is a page', PAGE, undefined, imageOfSimplified, NO_IMAGE],
	])('fails, at no cost, if it %s', async (_, content, type, resultOf, problem) => {
		for (const binaryMode of [undefined, 'filesystem'] as const) {
			const { message } = failureOf(await served(content, type, resultOf, binaryMode));

			expect(message).toMatch(problem);
			expect(message).toMatch(/Nothing was charged \(charge: none\) \[item 0\]$/);
		}
	});

	it.each<[string, Buffer, string | undefined, (fileUrl: string) => IDataObject]>([
		['is a PDF', PDF, undefined, report('a.pdf')],
		[
			'is a PDF whose beginning is late',
			Buffer.concat([Buffer.alloc(1_020), PDF]),
			undefined,
			report('a.pdf'),
		],
		['is an image of a kind that is not known', OTHER_IMAGE, 'image/jxl', image],
		['is called something else, and is a page', PAGE, 'text/html', report('a.html')],
	])('is attached whole if it %s', async (_, content, type, resultOf) => {
		const { outputs, error } = await served(content, type, resultOf);

		expect(error).toBeUndefined();
		const [file] = Object.values(outputs[0]?.[0]?.files ?? {});
		expect(file?.content).toEqual(content);
	});
});
