import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { deflateSync, gzipSync } from 'node:zlib';

import { readBody } from '../../nodes/IdentityVerification/trigger/readBody';
import { addBodyMembers } from '../kit/engine/n8nBody';
import { fixture } from '../kit/service/fixtures';
import { listen } from '../kit/service/httpServer';
import { callTrigger, REFUSED } from '../kit/engine/callTrigger';
import type { TriggerCall } from '../kit/engine/callTrigger';

const MIB = 1024 * 1024;

const body = fixture('webhook-accept', { customData: 'Zoë' });
const bytes = Buffer.from(JSON.stringify(body));

const STARTED = { status: 200, body: { received: true }, started: [[], [body], []] };

const UNREADABLE = {
	status: 400,
	body: {
		error: 'Not a readable webhook',
		problems: [{ path: '', problem: 'is not a JSON object' }],
	},
	started: undefined,
};

const TOO_LARGE = {
	status: 413,
	body: { error: 'The webhook is larger than n8n accepts' },
	started: undefined,
};

/**
 * Types that n8n doesn't parse; undefined for none. What it makes of others is tried in test/e2e.
 */
const TYPES = [
	undefined,
	'application/octet-stream',
	'application/x+json',
	'application/json ; charset=utf-8',
	'application/json, application/json',
	'text/json',
	'nonsense',
	' ',
];

const call = async (sent: unknown, contentType?: string, rest: TriggerCall = {}) =>
	await callTrigger({
		body: sent,
		...rest,
		headers: { 'Content-Type': contentType, ...rest.headers },
		parameters: { output: 'raw', ...rest.parameters },
	});

describe('JSON starts the workflow', () => {
	it.each([...TYPES, 'application/json', 'APPLICATION/JSON'])('as %j', async (type) => {
		expect(await call(bytes, type)).toEqual(STARTED);
	});

	it.each<[encoding: BufferEncoding, charset: string]>([
		['utf8', 'utf-8'],
		['utf8', '"UTF-8"'],
		['utf8', 'binary'],
		['utf8', ''],
		['utf8', 'utf-8, application/json'],
		['latin1', 'iso-8859-1'],
		['utf16le', 'utf-16le'],
	])('in %s, called %j', async (encoding, charset) => {
		const encoded = Buffer.from(JSON.stringify(body), encoding);

		expect(await call(encoded, `application/x+json; charset=${charset}`)).toEqual(STARTED);
	});

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

	it('of exactly the size that n8n takes', async () => {
		expect(await call(bytes, undefined, { limit: bytes.length })).toEqual(STARTED);
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

	it.each(['multipart/form-data; boundary=x', 'Multipart/Mixed; boundary=x', 'multipart/x+json'])(
		'JSON as %s, which is not read',
		async (type) => {
			expect(await call(bytes, type)).toEqual(UNREADABLE);
		},
	);

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

it.each(['gzip', 'deflate', 'identity'])(
	'a body as %s whose sender goes away in the middle keeps nothing waiting',
	async (encoding) => {
		let read: Promise<unknown> | undefined;
		const server = await listen((request) => {
			read = readBody(addBodyMembers(request, MIB));
			request.once('data', () => socket.destroy());
		});
		const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
		const head = `POST / HTTP/1.1\r\nHost: n8n\r\nContent-Length: ${bytes.length}\r\n`;

		socket.write(`${head}Content-Encoding: ${encoding}\r\n\r\n`);
		socket.write((encoding === 'deflate' ? deflateSync : gzipSync)(bytes).subarray(0, 20));
		await once(socket, 'close');

		expect(await read).toMatchObject({ ok: false });
	},
);

describe('what is larger than n8n takes is refused', () => {
	it('with its length', async () => {
		expect(await call(bytes, undefined, { limit: bytes.length - 1 })).toEqual(TOO_LARGE);
	});

	it('unpacked', async () => {
		const headers = { 'Content-Encoding': 'gzip' };
		const packed = gzipSync(Buffer.alloc(16 * MIB + 1, ' '));

		expect(await call(packed, undefined, { headers })).toEqual(TOO_LARGE);
	});

	it('in chunks', async () => {
		expect(await call([bytes, bytes], undefined, { limit: bytes.length })).toEqual(TOO_LARGE);
	});

	// A sender that looks for the answer last would otherwise wait for ever.
	it('and taken from the sender to its end', async () => {
		const server = await listen((request, response) => {
			void readBody(addBodyMembers(request, MIB)).then((body) =>
				response.end(JSON.stringify(body)),
			);
		});
		const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
		const chunk = `${MIB.toString(16)}\r\n${' '.repeat(MIB)}\r\n`;

		socket.write('POST / HTTP/1.1\r\nHost: n8n\r\nTransfer-Encoding: chunked\r\n\r\n');
		for (let count = 0; count < 64; count++) {
			if (!socket.write(chunk)) await once(socket, 'drain');
		}
		socket.end('0\r\n\r\n');

		expect(await text(socket)).toContain('"tooLarge"');
	});
});

describe('what has so many values that reading them would block n8n is refused', () => {
	const withValues = (count: number) =>
		Buffer.from(JSON.stringify({ ...body, list: new Array(count).fill(1) }));

	it.each(['application/json', 'text/json', undefined])('as %j', async (type) => {
		expect(await call(withValues(MIB / 2), type)).toEqual({
			...UNREADABLE,
			body: {
				error: 'Not a readable webhook',
				problems: [{ path: '', problem: 'has too many values to be read' }],
			},
		});
	});

	it('also if its quotation marks are such only in ASCII, as n8n reads it', async () => {
		const text = withValues(MIB / 2)
			.toString()
			.replace('"list"', '"a":"\xa2,\xa2list\xa2');
		const answer = await call(Buffer.from(text, 'latin1'), 'application/json; charset=ascii');

		expect(answer.status).toBe(400);
	});

	it.each(['application/json', undefined])('beyond 1 MB, as %j', async (type) => {
		const { status } = await call(withValues(MIB / 2 - 10_000), type);

		expect(status).toBe(200);
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
