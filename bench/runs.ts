import { Agent, request } from 'undici';

import type { WorkflowFile } from '../dev/stack/api';
import { poll } from '../dev/stack/poll';
import type { RunningN8n } from './bed';

const LONGEST_RUN_MS = 300_000;

/** A workflow that starts with a Webhook node and is ready. */
export interface ReadyWorkflow {
	/**
	 * Runs it once. Resolves when it's done, with how many milliseconds it took.
	 * @param body what the Webhook node receives as JSON
	 */
	run(body?: object): Promise<number>;
}

/** Saves a workflow that starts with a Webhook node, and waits until that listens. */
export async function makeReady(
	{ n8n, api }: RunningN8n,
	workflow: WorkflowFile,
): Promise<ReadyWorkflow> {
	await api.saveWorkflow(workflow);
	await api.activate(workflow.id);
	const url = `${n8n.url}/webhook/${String(workflow.nodes[0]?.parameters.path)}`;
	// n8n answers a GET with 404 in any case, but then names the methods that are registered.
	const isListening = async () =>
		(await (await fetch(url)).text()).includes('POST') ? true : undefined;
	await poll(isListening, { what: `${url} to listen`, timeoutMs: 30_000 });
	const dispatcher = new Agent({ headersTimeout: LONGEST_RUN_MS, bodyTimeout: LONGEST_RUN_MS });
	return {
		async run(body = {}) {
			const started = performance.now();
			const answer = await request(url, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(body),
				dispatcher,
			});
			const text = await answer.body.text();
			const elapsed = performance.now() - started;
			if (answer.statusCode !== 200) {
				throw new Error(`${workflow.name}: n8n answered ${answer.statusCode}: ${text}`);
			}
			return elapsed;
		},
	};
}
