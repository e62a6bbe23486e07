import { setTimeout as sleep } from 'node:timers/promises';

import { parse as parseFlatted } from 'flatted';
import { z } from 'zod/v4';

import { startWaiting, untilStatus } from '../test/kit/n8n/waitingFlow';
import type { RunningN8n } from './bed';
import { TRIGGER_PAYLOAD_BYTES, payloadOf } from './payload';
import type { Flows } from './waitingFlows';

/** The branch of the payload's decision, behind both nodes. */
const BRANCH = 'Reject';
/** So that n8n does nothing else while a result is on its way: no questions of this program either. */
const REST_MS = 300;

const startTimes = z.object({
	resultData: z.object({
		runData: z.record(z.string(), z.array(z.object({ startTime: z.number() }))),
	}),
});

const timedExecution = z.object({
	data: z.string().transform((text) => startTimes.parse(parseFlatted(text)).resultData.runData),
});

/** Milliseconds from sending a result to the start of the node behind the Wait for Result that has waited for it. */
export async function measureAwaited(flows: Flows): Promise<number> {
	const { api } = flows.running;
	const { executionId, link } = await startWaiting(api, flows.waiting);
	const { links } = await flows.bed.sandbox.state();
	const sent = links.find(({ reference }) => reference === link.reference);
	const sentAt = await send(flows, {
		hosted: sent?.reference,
		customData: sent?.customData,
		profileId: sent?.profile,
	});
	await untilStatus(api, executionId, 'success');
	return (await branchStart(flows.running, executionId)) - sentAt;
}

/** Milliseconds from sending a result that nobody waits for to the start of the node behind the trigger. */
export async function measureUnawaited(flows: Flows): Promise<number> {
	const sentAt = await send(flows, {});
	const { id } = await flows.trigger.newExecution();
	return (await branchStart(flows.running, id)) - sentAt;
}

/** Sends a result to the trigger. Returns when it was sent, in milliseconds since 1970. */
async function send({ url }: Flows, fields: object): Promise<number> {
	const body = JSON.stringify({ ...payloadOf(TRIGGER_PAYLOAD_BYTES), ...fields });
	await sleep(REST_MS);
	const sentAt = Date.now();
	const answer = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body,
	});
	const text = await answer.text();
	if (answer.status !== 200) throw new Error(`n8n answered ${answer.status}: ${text}`);
	await sleep(REST_MS);
	return sentAt;
}

async function branchStart({ api }: RunningN8n, executionId: string): Promise<number> {
	const { data } = await api.get(`/executions/${executionId}`, timedExecution);
	const [run] = data[BRANCH] ?? [];
	if (!run) throw new Error(`Execution ${executionId} didn't reach ${BRANCH}.`);
	return run.startTime;
}
