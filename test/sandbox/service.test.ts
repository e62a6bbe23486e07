import { createHash } from 'node:crypto';

import { picture } from '../kit/imageBytes';
import { useFresh } from '../kit/sandbox';
import { DOCUMENT, SandboxUnderTest, json } from '../kit/sandboxUnderTest';

/** Fills a block of the reader exactly. */
const LONG_BASE64 = `${'A'.repeat(64 * 1024 - 2)}==`;

const client = useFresh(new SandboxUnderTest());

function base64Of(latin1: string): string {
	return Buffer.from(latin1, 'latin1').toString('base64');
}

async function messageOf(response: Response): Promise<string> {
	return (await json<{ message: string }>(response)).message;
}

describe('API key', () => {
	it.each(['/scan', '/hosted'])('is required for %s', async (path) => {
		for (const key of ['', 'wrong']) {
			const response = await client.call(path, { profile: 'sandbox-accept' }, { 'X-API-KEY': key });
			expect(response.status).toBe(401);
			expect(await messageOf(response)).toContain('X-API-KEY');
		}
		const { billed, requests } = await client.state();
		expect(billed).toBe(0);
		expect(requests.map(({ status }) => status)).toEqual([401, 401]);
	});
});

describe('scan', () => {
	it('records the images as size and hash, and the other fields as they are', async () => {
		const face = picture(6).toString('base64');
		await client.scan({ face, extra: { nested: ['kept', 1.5, true, null] } });
		const { requests } = await client.state();
		expect(requests).toHaveLength(1);
		const sha256 = createHash('sha256').update(DOCUMENT).digest('hex');
		expect(requests[0]).toMatchObject({
			method: 'POST',
			path: '/scan',
			status: 200,
			billed: 1,
			profile: 'sandbox-accept',
			images: { document: { bytes: DOCUMENT.length, sha256 }, face: { bytes: 6 } },
			fields: { profile: 'sandbox-accept', extra: { nested: ['kept', 1.5, true, null] } },
		});
		expect(requests[0]?.fields).not.toHaveProperty('document');
		expect(requests[0]?.images.document).not.toHaveProperty('content');
	});

	it.each([
		['no profile', { profile: undefined }, 'profile is missing'],
		['no document', { document: undefined }, 'document is missing'],
		['a document that is no text', { document: 12 }, 'document has another type'],
		['an empty document', { document: '' }, 'document is empty'],
		['text that is no base64', { document: 'not base64!!' }, "document isn't base64"],
		['a data URI', { document: 'data:image/png;base64,QUJD' }, "document isn't base64"],
		['cut base64', { face: 'QUJDR' }, "face isn't base64"],
		['base64 with something behind its end', { face: 'QQ==QUJD' }, "face isn't base64"],
		['base64 with two ends far apart', { face: `${LONG_BASE64}QQ==` }, "face isn't base64"],
		['a PDF', { document: base64Of('%PDF-1.7\n') }, 'document is not an image'],
		['a text as face', { face: base64Of('A face, in words') }, 'face is not an image'],
		['a video', { document: base64Of('\0\0\0\x14ftypisom\0\0\0\0mp42') }, 'is not an image'],
	])('refuses %s with 400', async (_what, fields, message) => {
		const response = await client.scan(fields);
		expect(response.status).toBe(400);
		expect(await messageOf(response)).toContain(message);
		expect((await client.state()).billed).toBe(0);
	});

	it.each(['', '{', '{"profile":"sandbox-accept","document":"QUJD"', '[]', 'null', '{"a":1}}'])(
		'refuses the body %j with 400',
		async (body) => {
			expect((await client.call('/scan', body)).status).toBe(400);
			expect((await client.state()).requests[0]?.status).toBe(400);
		},
	);
});

describe('hosted link', () => {
	it.each([
		[0, 2, {}],
		[1, 1, {}],
		[2, 1, { referenceFace: '/9j/' }],
		[3, 1, { contractSign: 'template-7' }],
	])('of mode %i costs %i', async (mode, credits, fields) => {
		const response = await client.requestLink({ mode, ...fields });
		expect(response.status).toBe(200);
		const { requests, links, billed } = await client.state();
		expect(billed).toBe(credits);
		expect(requests[0]).toMatchObject({ billed: credits, customData: 'customer-1' });
		expect(links[0]).toMatchObject({ mode, version: 3, customData: 'customer-1' });
	});

	it.each([
		['mode 4', { mode: 4 }, 'mode has another type or value'],
		['mode 2 without a face', { mode: 2 }, 'referenceFace'],
		['mode 3 without a contract', { mode: 3 }, 'contractSign'],
		['a version that is not out', { version: 4 }, 'version'],
		['no customData', { customData: undefined }, 'customData is missing'],
	])('is refused for %s', async (_what, fields, message) => {
		const response = await client.requestLink(fields);
		expect(response.status).toBe(400);
		expect(await messageOf(response)).toContain(message);
	});
});
