import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { IWebhookFunctions } from 'n8n-workflow';

type N8nRequest = ReturnType<IWebhookFunctions['getRequestObject']>;
type N8nResponse = ReturnType<IWebhookFunctions['getResponseObject']>;

/** A request as the node sees it. */
export interface ReceivedRequest {
	/** What n8n's parser made of the bytes: any JSON value, text, or nothing. */
	body?: unknown;
	query?: Record<string, string>;
	headers?: Record<string, string>;
}

export interface SentResponse {
	/** Whether the node finished the response. */
	ended: boolean;
	status: number;
	headers: Headers;
	body: string;
}

/** Lets a handler answer a real HTTP request and tells what it returned and what it sent. */
export async function exchange<Result>(
	{ body, query = {}, headers = {} }: ReceivedRequest,
	handle: (request: N8nRequest, response: N8nResponse) => Promise<Result>,
): Promise<[Result, SentResponse]> {
	let outcome: Promise<Result> | undefined;
	let ended = false;
	const server = createServer((request, response) => {
		outcome = handle(asN8nRequest(request, body), asN8nResponse(response));
		const finish = () => {
			ended = response.writableEnded;
			if (!ended) response.end();
		};
		outcome.then(finish, finish);
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	try {
		const { port } = server.address() as AddressInfo;
		const url = `http://127.0.0.1:${port}/?${new URLSearchParams(query).toString()}`;
		const answer = await fetch(url, { method: 'POST', headers });
		const text = await answer.text();
		if (!outcome) throw new Error('The request did not arrive');
		return [await outcome, { ended, status: answer.status, headers: answer.headers, body: text }];
	} finally {
		server.closeAllConnections();
		server.close();
	}
}

/** n8n's web server is express: these are the members of it that a node may use. */
function asN8nRequest(request: IncomingMessage, body: unknown): N8nRequest {
	const query = Object.fromEntries(new URL(request.url ?? '/', 'http://n8n').searchParams);
	const header = (name: string) => (request.headers as IncomingHttpHeaders)[name.toLowerCase()];
	return Object.assign(request, {
		body,
		query,
		params: {},
		ip: '127.0.0.1',
		ips: [],
		header,
		get: header,
	}) as unknown as N8nRequest;
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
