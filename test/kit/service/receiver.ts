import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedMessage {
	/** Method and path. */
	request: string;
	contentType: string | undefined;
	text: string;
}

/**
 * Stands in for services outside, such as Slack and a CRM: keeps what arrives, and answers with
 * JSON.
 */
export class Receiver {
	/** Without a trailing slash. */
	url = '';
	readonly received: ReceivedMessage[] = [];
	private readonly failures: number[] = [];

	readonly listener: RequestListener = async (request, response) => {
		const contentType = request.headers['content-type'];
		const line = `${request.method} ${request.url}`;
		this.received.push({ request: line, contentType, text: await text(request) });
		response.writeHead(this.failures.shift() ?? 200, { 'content-type': 'application/json' });
		response.end('{"received":true}');
	};

	/** What has come in since the last call, with the JSON of each body. */
	take(): { request: string; body: unknown }[] {
		const taken = this.received.splice(0);
		return taken.map(({ request, text }) => ({ request, body: JSON.parse(text) as unknown }));
	}

	/** Forgets what arrived, and what was to fail. */
	reset(): void {
		this.received.length = 0;
		this.failures.length = 0;
	}

	/** Answers the next request with this status instead of 200. */
	failOnce(status: number): void {
		this.failures.push(status);
	}
}

/** A receiver for the tests of a file; it's as new for each test. */
export function useReceiver(): Receiver {
	const receiver = new Receiver();
	const server = createServer(receiver.listener);
	beforeAll(async () => {
		await once(server.listen(0, '127.0.0.1'), 'listening');
		receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	});
	beforeEach(() => receiver.reset());
	afterAll(async () => {
		server.closeAllConnections();
		await once(server.close(), 'close');
	});
	return receiver;
}
