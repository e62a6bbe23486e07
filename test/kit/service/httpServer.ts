import { once } from 'node:events';
import { createServer } from 'node:http';
import type {
	IncomingMessage,
	OutgoingHttpHeaders,
	RequestListener,
	ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpServer {
	/** Without a trailing slash. */
	url: string;
	close(): Promise<void>;
}

const open = new Set<HttpServer>();

/** A server on a free loopback port, for what the sandbox does not do. Closed after the test. */
export async function listen(listener: RequestListener): Promise<HttpServer> {
	const server = createServer(listener);
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	const handle: HttpServer = {
		url: `http://127.0.0.1:${port}`,
		async close() {
			if (!open.delete(handle)) return;
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
	open.add(handle);
	return handle;
}

/** A server, and what became of its requests. */
export interface CountingServer extends HttpServer {
	/** How many requests have begun to arrive. */
	asked(): number;
	/** Resolves when the answers to all of them have ended, or their connections. */
	closed(): Promise<unknown>;
}

/** A server that answers each request in this way once all of it has arrived. */
export async function listenToEnd(listener: RequestListener): Promise<CountingServer> {
	const closed: Promise<void>[] = [];
	const server = await listen((request, response) => {
		closed.push(new Promise((resolve) => response.once('close', () => resolve())));
		request.resume().on('end', () => listener(request, response));
	});
	return { ...server, asked: () => closed.length, closed: async () => await Promise.all(closed) };
}

export const JSON_TYPE = { 'Content-Type': 'application/json' };

interface JsonAnswer {
	status?: number;
	headers?: OutgoingHttpHeaders;
	body: object;
}

/** A server that answers each request with JSON once all of it has arrived. */
export async function listenJson(
	answer: (request: IncomingMessage) => JsonAnswer,
): Promise<CountingServer> {
	return await listenToEnd((request, response) => {
		const { status = 200, headers, body } = answer(request);
		response.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body));
	});
}

/**
 * A service that answers with these statuses one after the other, and then with 200, and the
 * credential for it.
 */
export async function serviceWithStatuses(
	statuses: number[],
	body: object,
	headers: OutgoingHttpHeaders = {},
) {
	const { url, asked } = await listenJson(() => ({ status: statuses.shift(), headers, body }));
	return { asked, credential: { baseUrl: url } };
}

/** Address of a port at which nothing listens. */
export async function unusedUrl(): Promise<string> {
	const server = await listen(() => undefined);
	await server.close();
	return server.url;
}

afterEach(async () => {
	await Promise.all([...open].map(async (server) => await server.close()));
});

/** Waits for `count` requests, then breaks all their connections. */
export async function breaksTogether(count: number): Promise<CountingServer> {
	const arrived: ServerResponse[] = [];
	return await listenToEnd((_, response) => {
		arrived.push(response);
		if (arrived.length === count) arrived.forEach((each) => each.destroy());
	});
}
