// Run by n8n's Node.js: prints what the trigger's webhook() costs for payloads of several sizes.
import 'reflect-metadata';

import { createRequire } from 'node:module';

import { WebhookContext } from 'n8n-core';
import type { INodeType, IWorkflowExecuteAdditionalData } from 'n8n-workflow';

import { createAdditionalData } from '../../test/kit/engine/additionalData';
import { createWorkflow, NODE_NAME } from '../../test/kit/engine/workflow';
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

/** A call of webhook() in n8n's own context, from the parsed body to the routed item. */
function webhookCall(body: object): () => Promise<void> {
	if (!IdentityVerificationTrigger) throw new Error('The package has no trigger.');
	const { workflow, node, nodeType } = createWorkflow({
		node: IdentityVerificationTrigger,
		parameters: { authentication: 'none' },
	});
	const { webhook, description } = nodeType;
	const [webhookDescription] = description.webhooks ?? [];
	if (!webhook || !webhookDescription) throw new Error('The node has no webhook.');
	const request: object = { body, contentType: 'application/json', headers: {}, query: {} };
	const additionalData: IWorkflowExecuteAdditionalData = {
		...createAdditionalData({ workflow, mode: 'webhook' }),
		httpRequest: request as IWorkflowExecuteAdditionalData['httpRequest'],
	};
	const data = {
		httpMethod: 'POST',
		node: NODE_NAME,
		path: webhookDescription.path,
		webhookDescription,
		workflowId: workflow.id,
		workflowExecuteAdditionalData: additionalData,
	} as const;
	return async () => {
		const context = new WebhookContext(workflow, node, additionalData, 'webhook', data, [], null);
		const { workflowData } = await webhook.call(context);
		const rejects = workflowData?.[2]?.length;
		if (rejects !== 1) throw new Error('The payload was not routed to Reject.');
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
