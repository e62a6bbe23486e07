// Run by n8n's Node.js: prints what the trigger's webhook() costs for payloads of several sizes.
import 'reflect-metadata';

import { createRequire } from 'node:module';

import type { INodeType } from 'n8n-workflow';

import { webhookOf } from '../../test/kit/engine/webhook';
import type { Exchanged } from '../../test/kit/engine/webhook';
import { payloadOf } from '../payload';

const MAX_CALLS = 3_000;
const WARM_UP_SHARE = 0.3;
const MS_PER_SIZE = 1_500;

const [file = '', ...sizes] = process.argv.slice(2);
const { IdentityVerificationTrigger } = createRequire(__filename)(file) as Record<
	string,
	new () => INodeType
>;

/** Median of a call in microseconds, after warming up. */
async function cost(bytes: number): Promise<number> {
	const call = webhookCall(payloadOf(bytes));
	const times: number[] = [];
	const end = performance.now() + MS_PER_SIZE;
	while (times.length < MAX_CALLS && performance.now() < end) {
		const started = performance.now();
		await call();
		times.push((performance.now() - started) * 1_000);
	}
	const warm = times.slice(Math.floor(times.length * WARM_UP_SHARE)).sort((a, b) => a - b);
	return warm[Math.floor(warm.length / 2)] ?? NaN;
}

/** A call of webhook() in n8n's own context, from the bytes of the body to the item. */
function webhookCall(body: object): () => Promise<void> {
	if (!IdentityVerificationTrigger) throw new Error('The package has no trigger.');
	const { prepare } = webhookOf({
		node: IdentityVerificationTrigger,
		parameters: { authentication: 'none' },
	});
	const request: object = {
		rawBody: Buffer.from(JSON.stringify(body)),
		readRawBody: async () => await Promise.resolve(),
		complete: true,
		once: () => undefined,
		headers: {},
		query: {},
	};
	const call = prepare({ httpRequest: request } as Exchanged);
	return async () => {
		const { workflowData } = await call();
		const [item] = workflowData?.flat() ?? [];
		if (item?.json.decision !== 'reject') throw new Error('The payload was not handed on.');
	};
}

async function main(): Promise<void> {
	const costs: number[] = [];
	for (const size of sizes) costs.push(await cost(Number(size)));
	console.log(JSON.stringify(costs));
}

main().then(
	() => process.exit(0),
	(error: unknown) => {
		console.error(error);
		process.exit(1);
	},
);
