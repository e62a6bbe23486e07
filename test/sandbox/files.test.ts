import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Result } from '../../dev/sandbox/interface';
import { useFresh } from '../kit/sandbox';
import { SandboxUnderTest, json } from '../kit/sandboxUnderTest';

const ASSETS = join(__dirname, '../../dev/sandbox/assets');
const PNG = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);

const client = useFresh(new SandboxUnderTest());

async function scan(fields: object = {}): Promise<Result> {
	return await json(await client.scan(fields));
}

async function frontOf(document: Buffer): Promise<Response> {
	const { outputImage } = await scan({ document: document.toString('base64') });
	return await fetch(String(outputImage.front));
}

async function bytesOf(response: Response): Promise<Buffer> {
	return Buffer.from(await response.arrayBuffer());
}

function describeFile({ headers }: Response): (string | null)[] {
	return ['content-type', 'content-length', 'content-disposition'].map((name) => headers.get(name));
}

it('lie on another host than the service', async () => {
	const { outputImage, outputFile } = await scan();
	const hosts = [outputImage.front, outputImage.face, outputFile[0]?.fileUrl].map(
		(url) => new URL(String(url)).origin,
	);
	expect(new Set(hosts)).toEqual(new Set([client.filesUrl]));
	expect(client.filesUrl).not.toBe(client.url);
});

it('serve a specimen as JPEG where a picture was sent that they do not keep', async () => {
	const response = await frontOf(Buffer.from('GIF89a'));
	const specimen = readFileSync(join(ASSETS, 'specimen-front.jpg'));
	expect(describeFile(response)).toEqual([
		'image/jpeg',
		String(specimen.length),
		'attachment; filename="front.jpg"',
	]);
	expect((await bytesOf(response)).equals(specimen)).toBe(true);
});

it('serve the picture that was sent', async () => {
	const response = await frontOf(PNG);
	expect(describeFile(response)).toEqual([
		'image/png',
		String(PNG.length),
		'attachment; filename="front.png"',
	]);
	expect((await bytesOf(response)).equals(PNG)).toBe(true);
});

it.each(['sandbox-accept', 'sandbox-aml', 'sandbox-empty-data'])(
	'serve the audit report of %s as PDF',
	async (profile) => {
		const { outputFile } = await scan({ profile });
		const { fileName, fileUrl } = outputFile[0] ?? {};
		const response = await fetch(String(fileUrl));
		const pdf = await bytesOf(response);
		expect(describeFile(response)).toEqual([
			'application/pdf',
			String(pdf.length),
			`attachment; filename="${fileName}"`,
		]);
		expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
		expect(pdf.subarray(-6).toString()).toContain('%%EOF');
	},
);

it('have no audit report for a profile without one', async () => {
	await client.setProfile('sandbox-accept', { auditReport: false });
	const { outputFile, transactionId } = await scan();
	expect(outputFile).toEqual([]);
	const response = await fetch(`${client.filesUrl}/reports/${transactionId}.pdf`);
	expect(response.status).toBe(404);
});

it('record who asked with an API key, without the key', async () => {
	const { filesUrl } = client;
	await fetch(`${filesUrl}/files/large?bytes=1`, { headers: { 'X-API-KEY': 'secret' } });
	await fetch(`${filesUrl}/files/large?bytes=1`);
	const { fileRequests } = await client.state();
	expect(fileRequests).toEqual([
		{ path: '/files/large', hasApiKey: true },
		{ path: '/files/large', hasApiKey: false },
	]);
});

describe('faults', () => {
	const large = async () =>
		await fetch(`${client.filesUrl}/files/large?bytes=300000`, { redirect: 'manual' });

	it.each([
		[{ kind: 'unauthorized' }, 401],
		[{ kind: 'tooManyRequests' }, 429],
		[{ kind: 'serverError' }, 500],
		[{ kind: 'html' }, 502],
		[{ kind: 'redirect', location: 'http://127.0.0.1:9/' }, 302],
		[{ kind: 'wrongShape' }, 200],
	])('%j answers %i', async (fault, status) => {
		await client.fault({ on: 'files', ...fault });
		const response = await large();
		expect(response.status).toBe(status);
		expect(response.headers.get('content-type')).not.toBe('application/octet-stream');
		await response.arrayBuffer();
		expect((await large()).headers.get('content-type')).toBe('application/octet-stream');
	});

	it('broken gives no answer', async () => {
		await client.fault({ on: 'files', kind: 'broken' });
		await expect(large()).rejects.toThrow();
	});

	it('truncated breaks off in the middle of the file', async () => {
		await client.fault({ on: 'files', kind: 'truncated' });
		const response = await large();
		expect(response.headers.get('content-length')).toBe('300000');
		await expect(response.arrayBuffer()).rejects.toThrow();
	});
});
