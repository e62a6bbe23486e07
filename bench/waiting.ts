import { setTimeout as sleep } from 'node:timers/promises';

import { parse as parseFlatted } from 'flatted';
import { z } from 'zod/v4';

import { LiveWorkflow } from '../test/kit/n8n/liveWorkflow';
import {
	TRIGGER,
	startWaiting,
	triggerFlow,
	untilStatus,
	waitingFlow,
} from '../test/kit/n8n/waitingFlow';
import { WEBHOOK_SECRET } from './bed';
import type { Bed, RunningN8n } from './bed';
import { Section, median, ratios } from './figures';
import { TRIGGER_PAYLOAD_BYTES, payloadOf } from './payload';

const PROFILE = 'sandbox-accept';

const WARM_UP_PAIRS = 10;
const PAIRS_PER_ROUND = 10;

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

/** A workflow that waits for results, and the trigger that takes them. */
interface Flows {
	bed: Bed;
	running: RunningN8n;
	waiting: LiveWorkflow;
	trigger: LiveWorkflow;
	/** Where results are sent. */
	url: string;
}

/** Puts both into n8n, with a sandbox that sends nothing by itself. */
async function installFlows(bed: Bed, running: RunningN8n): Promise<Flows> {
	const { api, credentialIds } = running;
	const credentialId = credentialIds.identityVerificationApi ?? '';
	await bed.sandbox.reset();
	const waiting = await LiveWorkflow.start(api, waitingFlow({ credentialId, profile: PROFILE }));
	const trigger = await LiveWorkflow.start(api, triggerFlow(credentialId));
	const url = `${trigger.url(TRIGGER)}?secret=${WEBHOOK_SECRET}`;
	return { bed, running, waiting, trigger, url };
}

/**
 * Time of a result that an execution waits for, against one that goes to the trigger's outputs. It has no target: n8n takes a second request, and reads the execution from its database.
 */
export async function measureWaiting(bed: Bed, rounds: number): Promise<Section> {
	const section = new Section('Wait for Result');
	await bed.withN8n({}, async (running) => {
		const flows = await installFlows(bed, running);
		await measurePairs(flows, WARM_UP_PAIRS);
		const waited: number[] = [];
		const own: number[] = [];
		for (let round = 0; round < rounds; round++) {
			const pairs = await measurePairs(flows, PAIRS_PER_ROUND);
			waited.push(median(pairs.map(([time]) => time)));
			own.push(median(pairs.map(([, time]) => time)));
		}
		section.add('from webhook to the node behind Wait for Result', 'ms', waited);
		section.add('from webhook to the node behind the trigger', 'ms', own);
		section.add('ratio', 'x', ratios(waited, own));
	});
	return section;
}

/** The times of a result that is waited for and of one that isn't, in turns. */
async function measurePairs(flows: Flows, count: number): Promise<[number, number][]> {
	const pairs: [number, number][] = [];
	while (pairs.length < count) {
		pairs.push([await measureAwaited(flows), await measureUnawaited(flows)]);
	}
	return pairs;
}

/** Milliseconds from sending a result to the start of the node behind the Wait for Result that has waited for it. */
async function measureAwaited(flows: Flows): Promise<number> {
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
async function measureUnawaited(flows: Flows): Promise<number> {
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
