import { useFresh } from '../kit/service/sandbox';
import { SandboxUnderTest, json } from './support/sandboxUnderTest';

/** Fills a block of the reader exactly. */
const LONG_BASE64 = `${'A'.repeat(64 * 1024 - 2)}==`;

const client = useFresh(new SandboxUnderTest());

function base64Of(latin1: string): string {
	return Buffer.from(latin1, 'latin1').toString('base64');
}

async function messageOf(response: Response): Promise<string> {
	return (await json<{ message: string }>(response)).message;
}

describe('scan', () => {
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
