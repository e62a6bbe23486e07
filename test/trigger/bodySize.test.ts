import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';

import { readBody } from '../../nodes/IdentityVerification/trigger/readBody';
import { addBodyMembers } from '../kit/engine/n8nBody';
import { listen } from '../kit/service/httpServer';
import { MIB, STARTED, UNREADABLE, body, bytes, call } from './support/sentBody';

const TOO_LARGE = {
	status: 413,
	body: { error: 'The webhook is larger than n8n accepts' },
	started: undefined,
};

it('JSON of exactly the size that n8n takes starts the workflow', async () => {
	expect(await call(bytes, undefined, { limit: bytes.length })).toEqual(STARTED);
});

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
