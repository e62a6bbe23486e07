import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';

import { IMAGE_KEYS } from './imageBody';
import type { ImageBody } from './imageBody';
import { KEY_HEADER } from './interface';
import { pathOf } from './refusal';
import type { RequestRecord, SandboxState } from './state';

const records = new WeakMap<FastifyRequest, RequestRecord>();

/** Records every request of the server with what was answered. */
export function logRequests(server: FastifyInstance, state: SandboxState): void {
	server.addHook('onRequest', async (request) => {
		const record = newRecord(request);
		records.set(request, record);
		state.requests.push(record);
	});
	server.addHook('onSend', async (request, reply) => {
		const { destroyed } = request.socket;
		if (!destroyed) recordOf(request).status = reply.statusCode;
	});
}

/** The record of a request on a server whose requests are recorded. */
export function recordOf(request: FastifyRequest): RequestRecord {
	const record = records.get(request);
	if (!record) throw new Error('This request is not recorded.');
	return record;
}

/** Adds what the body says to the record, without its images. */
export function recordBody(record: RequestRecord, { body, images, bytes }: ImageBody): void {
	record.bodyBytes = bytes;
	for (const key of IMAGE_KEYS) {
		const image = images[key];
		if (image) record.images[key] = { bytes: image.bytes, sha256: image.sha256 };
	}
	if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
	const isImage = (key: string) => Object.keys(images).includes(key);
	record.fields = Object.fromEntries(Object.entries(body).filter(([key]) => !isImage(key)));
	const { profile, customData } = record.fields;
	if (typeof profile === 'string') record.profile = profile;
	if (typeof customData === 'string') record.customData = customData;
}

/** Whether the request carries any API key, right or wrong. */
export function hasApiKey(request: FastifyRequest): boolean {
	return request.headers[KEY_HEADER] !== undefined;
}

/** Whether the request carries this API key. */
export function carriesKey(request: FastifyRequest, apiKey: string): boolean {
	return request.headers[KEY_HEADER] === apiKey;
}

function newRecord(request: FastifyRequest): RequestRecord {
	return {
		id: randomUUID(),
		method: request.method,
		path: pathOf(request),
		status: null,
		billed: 0,
		images: {},
		fields: {},
		bodyBytes: 0,
		hasApiKey: hasApiKey(request),
		receivedAt: new Date().toISOString(),
	};
}
