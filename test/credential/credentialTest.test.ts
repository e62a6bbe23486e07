import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

import type { IDataObject } from 'n8n-workflow';

import { listen, unusedUrl } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { sandboxCredential } from '../kit/engine/action';
import { testCredential } from '../kit/engine';

const sandbox = useSandbox();

const test = async (changes: IDataObject = {}) => {
	const { type, values } = sandboxCredential(sandbox, changes);
	return await testCredential(type, values);
};

/** A service that answers everything with this status. */
const serviceWith = async (status: number, headers: Record<string, string> = {}) => {
	const requests: string[] = [];
	const server = await listen((request, response) => {
		requests.push(`${request.method} ${request.url} ${String(request.headers['x-api-key'])}`);
		response.writeHead(status, headers).end();
	});
	return { baseUrl: server.url, requests };
};

const OK = { status: 'OK', message: 'Connection successful!' };
const INVALID_URL = { status: 'Error', message: 'ERR_INVALID_URL' };
const REFUSED = {
	status: 'Error',
	message: 'The service refused this API key, or a firewall in front of it refused n8n',
};

it('is fine with a key that the service takes, and costs nothing', async () => {
	expect(await test()).toEqual(OK);

	const { requests, billed } = await sandbox.state();
	expect(requests.map(({ method, path, hasApiKey }) => [method, path, hasApiKey])).toEqual([
		['GET', '/scan', true],
	]);
	expect(billed).toBe(0);
});

it('says that the service refused a wrong key, and costs nothing', async () => {
	expect(await test({ apiKey: 'wrong' })).toEqual(REFUSED);

	expect(await sandbox.billed()).toBe(0);
});

it.each([200, 204, 400, 402, 404, 405, 415, 422, 429])(
	'is fine with status %d, even if the path is wrong: the service did not refuse the key',
	async (status) => {
		const { baseUrl, requests } = await serviceWith(status);

		expect(await test({ baseUrl })).toEqual(OK);
		expect(requests).toEqual(['GET /scan sandbox-key']);
	},
);

it.each([401, 403])('says with status %d that the service refused the key', async (status) => {
	const { baseUrl } = await serviceWith(status);

	expect(await test({ baseUrl })).toEqual(REFUSED);
});

it.each([500, 502, 503, 504, 520, 599])('names the status %d', async (status) => {
	const { baseUrl } = await serviceWith(status);

	expect(await test({ baseUrl })).toEqual({
		status: 'Error',
		message: `The service was reached but answered with status ${status}. Try again later.`,
	});
});

it('takes the key along no redirect', async () => {
	const elsewhere = await serviceWith(200);
	const service = await serviceWith(302, { Location: `${elsewhere.baseUrl}/` });

	await test({ baseUrl: service.baseUrl });

	expect(service.requests).toHaveLength(1);
	expect(elsewhere.requests).toEqual([]);
});

it('says when nothing listens there', async () => {
	expect(await test({ baseUrl: await unusedUrl() })).toEqual({
		status: 'Error',
		message: 'ECONNREFUSED',
	});
});

it('says when there is no TLS', async () => {
	const { baseUrl, requests } = await serviceWith(200);

	const outcome = await test({ baseUrl: baseUrl.replace('http:', 'https:') });

	expect(outcome).toEqual({ status: 'Error', message: 'EPROTO' });
	expect(requests).toEqual([]);
});

it.each([
	['/', '/scan'],
	['//', '/scan'],
	['/api/v2', '/api/v2/scan'],
	['/api/v2/', '/api/v2/scan'],
	['/@team', '/@team/scan'],
])('asks below the path of the base URL: %s', async (path, asked) => {
	const { baseUrl, requests } = await serviceWith(405);

	expect(await test({ baseUrl: baseUrl + path })).toEqual(OK);
	expect(requests).toEqual([`GET ${asked} sandbox-key`]);
});

it.each([
	'http://api.example.com',
	'http://localhost.example.com',
	'http://localhost@api.example.com',
	'api.example.com',
	'https://api.example.com/#',
	'https://api.example.com/api?',
	' https://api.example.com/?a=1 ',
	'',
])('blames the base URL %j', async (baseUrl) => {
	const outcome = await test({ baseUrl });

	expect(outcome).toEqual(INVALID_URL);
});

it.each([
	(host: string) => `https://api.example.com@${host}`,
	(host: string) => `https://a:b@${host}/x`,
	(host: string) => `https:///a@${host}`,
	(host: string) => `https://\t/a@${host}`,
	(host: string) => `https://${host}\\x`,
])('contacts nobody with a base URL that the node refuses: %s', async (baseUrl) => {
	let connections = 0;
	const server = createServer((socket) => {
		connections++;
		socket.destroy();
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;

	const outcome = await test({ baseUrl: baseUrl(`127.0.0.1:${port}`) });
	server.close();

	expect(outcome).toEqual(INVALID_URL);
	expect(connections).toBe(0);
});
