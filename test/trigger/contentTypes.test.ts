import { deflateSync, gzipSync } from 'node:zlib';

import { REFUSED } from '../kit/engine/callTrigger';
import { STARTED, UNREADABLE, body, bytes, call } from './support/sentBody';

/**
 * Types that n8n doesn't parse; undefined for none. What it makes of others is tried in test/e2e.
 */
const TYPES = [
	undefined,
	'application/octet-stream',
	'application/x+json',
	'multipart/x+json',
	'application/json ; charset=utf-8',
	'application/json, application/json',
	'text/json',
	'nonsense',
	' ',
];

describe('JSON starts the workflow', () => {
	it.each([...TYPES, 'application/json', 'APPLICATION/JSON'])('as %j', async (type) => {
		expect(await call(bytes, type)).toEqual(STARTED);
	});

	it.each(['utf-8', '"UTF-8"', 'binary', '', 'utf-8, application/json', 'iso-8859-1'])(
		'in UTF-8, called %j',
		async (charset) => {
			expect(await call(bytes, `application/x+json; charset=${charset}`)).toEqual(STARTED);
		},
	);

	it.each([undefined, 'application/json', 'text/plain; charset=iso-8859-1'])(
		'at Review with bytes that are no text, without the ID they are in, as %s',
		async (type) => {
			const encoded = Buffer.from(JSON.stringify(body), 'latin1');

			for (const output of ['simplified', 'decisionOnly']) {
				const { status, started } = await call(encoded, type, { parameters: { output } });

				const item = {
					customData: null,
					unrecognizedDecision: true,
					unreadable: ['customData', '*'],
				};
				expect({ status, started }).toMatchObject({ status: 200, started: [[item], [], []] });
			}
		},
	);

	it('with a byte order mark', async () => {
		expect(await call(Buffer.concat([Buffer.from('\ufeff'), bytes]))).toEqual(STARTED);
	});

	it('in chunks', async () => {
		expect(await call([bytes.subarray(0, 9), bytes.subarray(9)])).toEqual(STARTED);
	});

	it.each([
		['gzip', gzipSync(bytes)],
		['deflate', deflateSync(bytes)],
	])('packed with %s', async (encoding, packed) => {
		const headers = { 'Content-Encoding': encoding };

		expect(await call(packed, undefined, { headers })).toEqual(STARTED);
	});
});

describe('what is no JSON object is refused', () => {
	const contents: [name: string, content: string][] = [
		['nothing', ''],
		['a text', 'event=hosted_conclusive'],
		['JSON that is cut off', bytes.subarray(0, -1).toString()],
		['null', 'null'],
		['a list', `[${bytes.toString()}]`],
		['a text in JSON', JSON.stringify(bytes.toString())],
		['XML', '<event>hosted_conclusive</event>'],
		['lists without end', '['.repeat(100_000)],
	];

	it.each(contents)('%s', async (_, content) => {
		for (const type of TYPES) expect(await call(Buffer.from(content), type)).toEqual(UNREADABLE);
	});

	it('JSON as multipart/form-data, of which n8n leaves nothing', async () => {
		expect(await call(bytes, 'multipart/form-data; boundary=x')).toEqual(UNREADABLE);
	});

	it.each([
		['gzip', 'that was never compressed', bytes],
		['gzip', 'that is cut off', gzipSync(bytes).subarray(0, -9)],
		['deflate', 'that was never compressed', bytes],
		['br', 'which n8n does not unpack', gzipSync(bytes)],
	])('%s %s', async (encoding, _, sent) => {
		const headers = { 'Content-Encoding': encoding };

		expect(await call(sent, undefined, { headers })).toEqual(UNREADABLE);
	});
});

it('authentication comes before the body is read', async () => {
	for (const type of TYPES.filter((known) => !known?.startsWith('application/json'))) {
		expect(await call(bytes, type, { query: {} })).toEqual(REFUSED);
		expect(await call(bytes.subarray(1), type, { query: {} })).toEqual(REFUSED);
	}
	expect(await call(bytes, undefined, { query: {}, limit: 9 })).toEqual(REFUSED);
	expect(await call(bytes, 'multipart/mixed', { query: {} })).toEqual(REFUSED);
});
