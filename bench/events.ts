import { Pool } from 'undici';
import { z } from 'zod/v4';

import type { N8nApi } from '../dev/stack/api';
import { poll } from '../dev/stack/poll';
import { SECRET_HEADER, WEBHOOK_SECRET } from './bed';
import type { RunningN8n } from './bed';
import { cpuMs } from './process';

const CONNECTIONS = 8;
/** A running n8n is warm: the first hundreds of events take up to a third longer. */
const WARM_UP_SECONDS = 4;
const SECONDS = 2;

/** An active workflow that starts when a result is sent to its URL. */
export interface Way {
	url: string;
	workflowId: string;
}

export interface Run {
	eventsPerSecond: number;
	cpuMsPerEvent: number;
}

/** Sends events that aren't measured. */
export async function warmUp({ api }: RunningN8n, way: Way, body: string): Promise<void> {
	await send(way.url, body, WARM_UP_SECONDS);
	await settle(api, way.workflowId);
}

/** Sends for some seconds. The time counts until the last execution has ended, not its answer only. */
export async function measureEvents(
	{ n8n, api }: RunningN8n,
	way: Way,
	body: string,
): Promise<Run> {
	const started = performance.now();
	const cpuBefore = cpuMs(n8n.pid);
	const events = await send(way.url, body, SECONDS);
	await settle(api, way.workflowId);
	const elapsed = performance.now() - started;
	return {
		eventsPerSecond: (events / elapsed) * 1_000,
		cpuMsPerEvent: (cpuMs(n8n.pid) - cpuBefore) / events,
	};
}

/** Sends events over some connections, each after the answer to the last. Returns their number. */
async function send(url: string, body: string, seconds: number): Promise<number> {
	const { origin, pathname } = new URL(url);
	const pool = new Pool(origin, { connections: CONNECTIONS });
	const end = performance.now() + seconds * 1_000;
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
export async function settle(api: N8nApi, workflowId: string): Promise<void> {
	const filter = JSON.stringify({ workflowId, status: ['new', 'running'] });
	const path = `/executions?limit=1&filter=${encodeURIComponent(filter)}`;
	const isIdle = async () =>
		(await api.get(path, executions)).results.length === 0 ? true : undefined;
	await poll(isIdle, { what: 'all executions to end', timeoutMs: 60_000, intervalMs: 25 });
}
