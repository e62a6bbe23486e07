import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';

/** `N8N_PAYLOAD_SIZE_MAX`, unless it is set. */
export const N8N_BODY_LIMIT = 16 * 1024 * 1024;

interface N8nRequest extends IncomingMessage {
	body?: unknown;
}

/** Adds what n8n's `rawBodyReader` adds to each request. */
export function addBodyMembers(request: N8nRequest, limit: number): N8nRequest {
	const header = request.headers['content-type'];
	if (header) {
		const [type = '', ...parameters] = header.split(';');
		const charset = parameters.map((parameter) => /^ *charset=(.*)/i.exec(parameter)?.[1]);
		request.contentType = type.toLowerCase();
		request.encoding = (charset.find(Boolean) ?? 'utf-8').toLowerCase() as BufferEncoding;
	}
	request.readRawBody = async () => {
		// n8n's own condition: an empty body counts as read.
		if (!request.rawBody) request.rawBody = await readAll(unpacked(request), limit);
	};
	return request;
}

/**
 * What n8n parses before it calls a trigger whose version isn't 1. Rejects where n8n answers
 * itself. It parses text and forms, too, which test/e2e/trigger tries, and XML.
 */
export async function parseBody(request: N8nRequest): Promise<void> {
	const { contentType = '' } = request;
	if (contentType === 'multipart/form-data') {
		await readAll(request, Infinity);
		request.body = { data: {}, files: {} };
		return;
	}
	if (contentType !== 'application/json') return;
	await request.readRawBody();
	const text = request.rawBody.toString(request.encoding);
	if (text) request.body = JSON.parse(text.replace(/^\ufeff/, '')) as unknown;
}

function unpacked(request: IncomingMessage): Readable {
	if (request.headers['content-encoding'] === 'gzip') return request.pipe(createGunzip());
	if (request.headers['content-encoding'] === 'deflate') return request.pipe(createInflate());
	return request;
}

/** As the package raw-body does it: over the limit the stream is left as it is, and paused. */
async function readAll(stream: Readable, limit: number): Promise<Buffer> {
	return await new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		let size = 0;
		const onData = (chunk: Buffer) => {
			chunks.push(chunk);
			size += chunk.length;
			if (size <= limit) return;
			stream.off('data', onData).pause();
			reject(Object.assign(new Error('request entity too large'), { status: 413 }));
		};
		if (!stream.readable) reject(new Error('stream is not readable'));
		stream.on('aborted', () => reject(new Error('request aborted')));
		stream.on('error', reject);
		stream.on('end', () => resolve(Buffer.concat(chunks)));
		stream.on('data', onData);
	});
}
