import { once } from 'node:events';
import { createServer } from 'node:http';
import type {
	IncomingHttpHeaders,
	IncomingMessage,
	RequestListener,
	ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

import type { IWebhookFunctions } from 'n8n-workflow';

import { addBodyMembers, parseBody, N8N_BODY_LIMIT } from './n8nBody';

type N8nRequest = ReturnType<IWebhookFunctions['getRequestObject']>;
type N8nResponse = ReturnType<IWebhookFunctions['getResponseObject']>;

/** A request as it is sent. */
export interface HttpRequest {
	/** Sent as JSON; bytes as they are, a list of them in chunks. Without one, nothing is sent. */
	body?: unknown;
	query?: Record<string, string>;
	/** The Content-Type is application/json unless it is given; undefined sends none. */
	headers?: Record<string, string | undefined>;
	/** What n8n takes at most, in bytes. */
	limit?: number;
	/** Answers what the node asks this n8n meanwhile, such as to resume an execution. */
	n8n?: RequestListener;
}

export interface HttpAnswer {
	/** Whether the node finished the response. */
	ended: boolean;
	status: number;
	headers: Headers;
	body: string;
}

/** Lets a handler answer a real HTTP request and tells what it returned and what it sent. */
export async function answerOverHttp<Result>(
	{ body, query = {}, headers = {}, limit = N8N_BODY_LIMIT, n8n }: HttpRequest,
	handle: (request: N8nRequest, response: N8nResponse) => Promise<Result>,
): Promise<[Result, HttpAnswer]> {
	let outcome: Promise<Result> | undefined;
	let ended = false;
	const server = createServer((request, response) => {
		if (outcome && n8n) return n8n(request, response);
		outcome = (async () => {
			const n8nRequest = asN8nRequest(request, limit);
			await parseBody(n8nRequest);
			return await handle(n8nRequest as N8nRequest, asN8nResponse(response));
		})();
		const finish = () => {
			ended = response.writableEnded;
			if (!ended) response.end();
		};
		outcome.then(finish, finish);
	});
	// At all addresses, as n8n does: the socket then calls 127.0.0.1 ::ffff:127.0.0.1.
	await once(server.listen(0), 'listening');
	try {
		const { port } = server.address() as AddressInfo;
		const url = `http://127.0.0.1:${port}/?${new URLSearchParams(query).toString()}`;
		const answer = await fetch(url, {
			method: 'POST',
			headers: headersOf(headers),
			body: bytesOf(body),
			duplex: 'half',
		} as RequestInit);
		const text = await answer.text();
		if (!outcome) throw new Error('The request did not arrive');
		return [await outcome, { ended, status: answer.status, headers: answer.headers, body: text }];
	} finally {
		server.closeAllConnections();
		server.close();
	}
}

function headersOf(headers: Record<string, string | undefined>): Headers {
	const all = new Headers({ 'content-type': 'application/json' });
	for (const [name, value] of Object.entries(headers)) {
		if (value === undefined) all.delete(name);
		else all.set(name, value);
	}
	return all;
}

function bytesOf(body: unknown): RequestInit['body'] {
	if (body === undefined || Buffer.isBuffer(body)) return body;
	if (Array.isArray(body) && body.some(Buffer.isBuffer)) return Readable.toWeb(Readable.from(body));
	return Buffer.from(JSON.stringify(body));
}

/** n8n's web server is express: these are the members of it that a node may use. */
function asN8nRequest(request: IncomingMessage, limit: number): IncomingMessage {
	const query = Object.fromEntries(new URL(request.url ?? '/', 'http://n8n').searchParams);
	const header = (name: string) => (request.headers as IncomingHttpHeaders)[name.toLowerCase()];
	const express = { query, params: {}, ip: '127.0.0.1', ips: [], header, get: header };
	return addBodyMembers(Object.assign(request, express), limit);
}

function asN8nResponse(response: ServerResponse): N8nResponse {
	const own = {
		status(code: number) {
			response.statusCode = code;
			return response;
		},
		json(body: unknown) {
			response.setHeader('Content-Type', 'application/json; charset=utf-8');
			return response.end(JSON.stringify(body));
		},
		send(body: string) {
			return response.end(body);
		},
	};
	return Object.assign(response, own) as unknown as N8nResponse;
}
