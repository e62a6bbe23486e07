import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';

import { readBody } from '../../nodes/IdentityVerification/trigger/readBody';
import { addBodyMembers } from '../kit/engine/n8nBody';
import { listen } from '../kit/service/httpServer';
import { MIB, STARTED, body, bytes, call } from './support/sentBody';

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

it('what is full of values starts the workflow', async () => {
	const full = Buffer.from(JSON.stringify({ ...body, list: new Array(6 * MIB).fill(1) }));

	const { status, started } = await call(full, undefined, { parameters: { output: 'simplified' } });

	expect(status).toBe(200);
	expect(started).toMatchObject([[], [{ decision: 'accept', customData: 'Zoë' }], []]);
});
