import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface Received {
	/** Method and path. */
	request: string;
	body: unknown;
}

export interface Receiver {
	/** Without a trailing slash. */
	readonly url: string;
	/** What has come in since the last call. */
	take(): Received[];
	/** Answers the next request with this status instead of 200. */
	failOnce(status: number): void;
}

/** Stands in for services outside, such as Slack and a CRM, during the tests of a file. */
export function useReceiver(): Receiver {
	let server: Server;
	let received: Received[] = [];
	const failures: number[] = [];
	beforeAll(async () => {
		server = createServer(async (request, response) => {
			received.push({ request: `${request.method} ${request.url}`, body: await json(request) });
			response.writeHead(failures.shift() ?? 200, { 'content-type': 'application/json' });
			response.end('{}');
		});
		await once(server.listen(0, '127.0.0.1'), 'listening');
	});
	afterAll(async () => {
		server.closeAllConnections();
		await once(server.close(), 'close');
	});
	return {
		get url() {
			return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		},
		take() {
			const taken = received;
			received = [];
			return taken;
		},
		failOnce: (status) => void failures.push(status),
	};
}
