import { request } from 'node:http';
import { Readable } from 'node:stream';

import { openBody } from '../../nodes/IdentityVerification/transport/body';
import type { OpenBody, StreamedImage } from '../../nodes/IdentityVerification/transport/body';
import { listen } from '../kit/httpServer';
import { picture } from '../kit/imageBytes';

const IMAGE = picture(1_000);

/** An image that comes in these pieces, and then breaks if there is an error. */
function stored(bytes: number, pieces: Buffer[], error?: Error): StreamedImage {
	const read = function* () {
		for (const piece of pieces) yield piece;
		if (error) throw error;
	};
	return { identity: 'x', bytes, open: async () => Readable.from(read(), { objectMode: false }) };
}

/** Sends the body as axios does; tells how much of it was read, and whether all arrived. */
async function send({ content, length }: OpenBody) {
	const seen = { bytes: 0, isWhole: false };
	const server = await listen((incoming, response) => {
		incoming.on('error', () => undefined).resume();
		incoming.on('end', () => {
			seen.isWhole = incoming.complete;
			response.end();
		});
	});
	const headers = { 'Content-Length': length };
	const outgoing = request(server.url, { method: 'POST', headers }).on('error', () => undefined);
	const ended = new Promise((resolve) => outgoing.on('response', resolve).on('close', resolve));
	const body = content as Readable;
	body.on('data', (chunk: Buffer) => (seen.bytes += chunk.length));
	body.on('error', (error) => outgoing.destroy(error)).pipe(outgoing);
	await ended;
	return seen;
}

const bodyOf = async (document: StreamedImage, face?: StreamedImage) =>
	await openBody({ profile: 'p', document, face });

it('is sent whole when it has the noted size', async () => {
	const body = await bodyOf(stored(1_000, [IMAGE]), stored(1_000, [IMAGE]));

	expect(await send(body)).toEqual({ bytes: body.length, isWhole: true });
	expect(body.failure).toBeUndefined();
});

const half = IMAGE.subarray(0, 500);

describe.each<[string, StreamedImage]>([
	['has twice the noted size, in one piece', stored(500, [IMAGE])],
	['has far more than the noted size', stored(500, [half, Buffer.alloc(1_000_000)])],
	['goes on by a byte behind the noted size', stored(500, [half, IMAGE.subarray(0, 1)])],
	['ends a byte before the noted size', stored(501, [half])],
	['has no byte', stored(500, [])],
	['breaks', stored(1_000, [half], new Error('The storage broke'))],
	['breaks before its first byte', stored(1_000, [], new Error('The storage broke'))],
	['breaks at its end', stored(500, [half], new Error('The storage broke'))],
])('an image that %s', (_, image) => {
	it.each<[string, () => Promise<OpenBody>]>([
		['alone', async () => await bodyOf(image)],
		['first', async () => await bodyOf(image, stored(1_000, [IMAGE]))],
		['second', async () => await bodyOf(stored(1_000, [IMAGE]), image)],
	])('never makes a whole body, and the body tells: %s', async (__, open) => {
		const body = await open();

		const { bytes, isWhole } = await send(body);

		expect(isWhole).toBe(false);
		expect(bytes).toBeLessThan(body.length);
		expect(body.failure?.message).toMatch(/another size than n8n noted|The storage broke/);
	});
});

it('tells nothing of a connection that the other side broke', async () => {
	const body = await bodyOf(
		stored(
			30_000_000,
			Array.from({ length: 30_000 }, () => IMAGE),
		),
	);
	const server = await listen((incoming) => incoming.socket.destroy());
	const outgoing = request(server.url, { method: 'POST' }).on('error', () => undefined);

	(body.content as Readable).pipe(outgoing);
	await new Promise((resolve) => outgoing.once('close', resolve));

	expect(body.failure).toBeUndefined();
	body.close();
});
