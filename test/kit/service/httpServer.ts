import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
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

/** A server that reads each request to its end, and answers with JSON. */
export async function listenJson(
	answer: (request: IncomingMessage) => { status?: number; body: object },
): Promise<HttpServer> {
	return await listen((request, response) => {
		request.resume().on('end', () => {
			const { status = 200, body } = answer(request);
			response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
		});
	});
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
export async function breaksTogether(count: number): Promise<HttpServer & { asked(): number }> {
	const arrived: ServerResponse[] = [];
	const server = await listen((request, response) => {
		request.resume().on('end', () => {
			arrived.push(response);
			if (arrived.length === count) arrived.forEach((each) => each.destroy());
		});
	});
	return { ...server, asked: () => arrived.length };
}
