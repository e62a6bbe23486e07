// Run by n8n's Node.js: prints the CPU time of an item that fails under Continue, in runs of several sizes.
import 'reflect-metadata';

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';

import type { INodeType } from 'n8n-workflow';

import { IdentityVerificationApi } from '../../credentials/IdentityVerificationApi.credentials';
import { runNode } from '../../test/kit/engine/runNode';

const WARM_UP_ITEMS = 1_000;

const [file = '', status = '', ...counts] = process.argv.slice(2);
const { IdentityVerification } = createRequire(__filename)(file) as Record<
	string,
	new () => INodeType
>;

/** CPU time of an item in microseconds, with that of the service, which takes the same for each. */
async function cost(baseUrl: string, count: number): Promise<number> {
	if (!IdentityVerification) throw new Error('The package has no action node.');
	const before = process.cpuUsage();
	const { outputs } = await runNode({
		node: IdentityVerification,
		items: Array.from({ length: count }, () => ({})),
		parameters: { operation: 'createHostedLink', profile: 'bench', mode: 1 },
		credential: { type: new IdentityVerificationApi(), values: { apiKey: 'key', baseUrl } },
		credentialId: 'bench',
		settings: { onError: 'continueRegularOutput' },
	});
	const { user, system } = process.cpuUsage(before);
	const text = `answered with status ${status}`;
	const failed = outputs[0]?.filter(({ json }) => String(json.error).includes(text)) ?? [];
	if (failed.length !== count) throw new Error('Not every item has failed.');
	return (user + system) / count;
}

async function main(): Promise<void> {
	const server = createServer((request, response) => {
		request.resume().on('end', () => response.writeHead(Number(status)).end('{}'));
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	await cost(baseUrl, WARM_UP_ITEMS);
	const costs: number[] = [];
	for (const count of counts) costs.push(await cost(baseUrl, Number(count)));
	console.log(JSON.stringify(costs));
}

main().then(
	() => process.exit(0),
	(error: unknown) => {
		console.error(error);
		process.exit(1);
	},
);
