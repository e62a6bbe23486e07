import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A webhook receiver that keeps the bodies it gets. */
export class Receiver {
	readonly bodies: string[] = [];
	readonly contentTypes: (string | undefined)[] = [];
	status = 200;

	private constructor(private readonly server: Server) {}

	static async start(): Promise<Receiver> {
		const server = createServer();
		const receiver = new Receiver(server);
		server.on('request', async (request, response) => {
			receiver.contentTypes.push(request.headers['content-type']);
			receiver.bodies.push(await text(request));
			response.writeHead(receiver.status).end('{"received":true}');
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return receiver;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/webhook`;
	}

	async close(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}
}
