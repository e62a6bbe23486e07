import { Pool } from 'undici';
import { z } from 'zod/v4';

import type { N8nApi } from '../dev/stack/api';
import { poll } from '../dev/stack/poll';
import type { LiveWorkflow } from '../test/kit/n8n/liveWorkflow';
import { SECRET_HEADER, WEBHOOK_SECRET } from './bed';
import type { RunningN8n } from './bed';
import { TRIGGER_PAYLOAD_BYTES, payloadOf } from './payload';
import { cpuMs } from './process';

const CONNECTIONS = 8;
const SECONDS = 2;

export interface Run {
	eventsPerSecond: number;
	cpuMsPerEvent: number;
}

/**
 * Sends results to a node for some seconds. The time counts until the last execution has ended, not
 * its answer only.
 */
export async function measureEvents(
	{ n8n, api }: RunningN8n,
	workflow: LiveWorkflow,
	nodeName: string,
): Promise<Run> {
	const started = performance.now();
	const cpuBefore = cpuMs(n8n.pid);
	const events = await send(workflow.url(nodeName));
	await settle(api, workflow.file.id);
	const elapsed = performance.now() - started;
	return {
		eventsPerSecond: (events / elapsed) * 1_000,
		cpuMsPerEvent: (cpuMs(n8n.pid) - cpuBefore) / events,
	};
}

/** Sends events over some connections, each after the answer to the last. Returns their number. */
async function send(url: string): Promise<number> {
	const { origin, pathname } = new URL(url);
	const pool = new Pool(origin, { connections: CONNECTIONS });
	const body = JSON.stringify(payloadOf(TRIGGER_PAYLOAD_BYTES));
	const end = performance.now() + SECONDS * 1_000;
	let sent = 0;
	const work = async () => {
		while (performance.now() < end) {
			sent++;
			const answer = await pool.request({
				method: 'POST',
				path: pathname,
				headers: { 'content-type': 'application/json', [SECRET_HEADER]: WEBHOOK_SECRET },
				body,
			});
			const text = await answer.body.text();
			if (answer.statusCode !== 200) throw new Error(`n8n answered ${answer.statusCode}: ${text}`);
		}
	};
	await Promise.all(Array.from({ length: CONNECTIONS }, work)).finally(() => pool.close());
	return sent;
}

const executions = z.object({ results: z.array(z.object({ status: z.string() })) });

/** Resolves when no execution of the workflow runs any more. */
async function settle(api: N8nApi, id: string): Promise<void> {
	const filter = JSON.stringify({ workflowId: api.idOf(id), status: ['new', 'running'] });
	const path = `/executions?limit=1&filter=${encodeURIComponent(filter)}`;
	const isIdle = async () =>
		(await api.get(path, executions)).results.length === 0 ? true : undefined;
	await poll(isIdle, { what: 'all executions to end', timeoutMs: 60_000, intervalMs: 25 });
}
