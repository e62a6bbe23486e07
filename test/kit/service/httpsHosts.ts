import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';

/** Self-signed, with its key. */
const CERTIFICATE = readFileSync(join(__dirname, '..', '..', 'fixtures', 'certificate.pem'));

/** An empty one counts as none. */
const { https_proxy = '', no_proxy = '' } = process.env;

const servers: Server[] = [];
const tunnels: Socket[] = [];
let trust: jest.SpyInstance | undefined;

/**
 * Until the test ends, n8n sends its https requests to a proxy that brings all of them here, whatever
 * host they are for. That is in a request's header `host`.
 * @param options whether n8n's process knows the authority of the certificate
 */
export async function proxyEveryHost(
	listener: RequestListener,
	{ isTrusted = true } = {},
): Promise<void> {
	const target = createHttpsServer({ key: CERTIFICATE, cert: CERTIFICATE }, listener);
	const targetPort = await start(target);
	const proxy = createHttpServer();
	proxy.on('connect', (_, client) => {
		const tunnel = connect(targetPort, '127.0.0.1', () => {
			client.write('HTTP/1.1 200 Connection established\r\n\r\n');
			client.pipe(tunnel).pipe(client);
		});
		client.on('error', () => tunnel.destroy()).on('close', () => tunnel.destroy());
		tunnel.on('error', () => client.destroy()).on('close', () => client.destroy());
		tunnels.push(tunnel);
	});
	const proxyUrl = `http://127.0.0.1:${await start(proxy)}`;
	Object.assign(process.env, { https_proxy: proxyUrl, no_proxy: '' });
	if (isTrusted) trustCertificate();
}

/**
 * A server with https, of whose certificate nobody knows the authority. Closed after the test.
 * Returns its URL.
 */
export async function listenWithOwnCertificate(listener: RequestListener): Promise<string> {
	const server = createHttpsServer({ key: CERTIFICATE, cert: CERTIFICATE }, listener);
	return `https://127.0.0.1:${await start(server)}`;
}

/** As NODE_EXTRA_CA_CERTS would, which Node.js reads only when it starts; for all host names. */
function trustCertificate(): void {
	const { connect: connectTls } = tls;
	const trusting = (options: tls.ConnectionOptions) =>
		connectTls({ ...options, ca: CERTIFICATE, checkServerIdentity: () => undefined });
	trust = jest.spyOn(tls, 'connect').mockImplementation(trusting as typeof connectTls);
}

async function start(server: Server): Promise<number> {
	servers.push(server);
	await once(server.listen(0, '127.0.0.1'), 'listening');
	return (server.address() as AddressInfo).port;
}

afterEach(async () => {
	Object.assign(process.env, { https_proxy, no_proxy });
	trust?.mockRestore();
	tunnels.splice(0).forEach((tunnel) => tunnel.destroy());
	for (const server of servers.splice(0)) {
		const closed = once(server, 'close');
		server.close();
		await closed;
	}
});
