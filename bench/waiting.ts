import { setTimeout as sleep } from 'node:timers/promises';

import { parse as parseFlatted } from 'flatted';
import pMap from 'p-map';
import { z } from 'zod/v4';

import { LiveWorkflow } from '../test/kit/n8n/liveWorkflow';
import {
	CREATE,
	START,
	TRIGGER,
	createNode,
	startWaiting,
	triggerFlow,
	untilStatus,
	waitingFlow,
} from '../test/kit/n8n/waitingFlow';
import { WEBHOOK_SECRET } from './bed';
import type { Bed, RunningN8n } from './bed';
import { settle } from './events';
import { Section, atMost, median, ratios } from './figures';
import { readMemory, readableMemory } from './heap';
import { TRIGGER_PAYLOAD_BYTES, payloadOf } from './payload';
import { n8nNode, webhookStart, workflowOf } from './workflows';

const PROFILE = 'sandbox-accept';

const WARM_UP_PAIRS = 10;
const PAIRS_PER_ROUND = 10;

const MORE_WAITING = 200;
/** What n8n builds up and lets go of anyway is more than what some executions hold. */
const WARM_UP_ROUNDS = 2;
const CONNECTIONS = 8;
const KB = 1_024;
/** n8n itself keeps the data of executions that wait in memory, in kB. */
const MOST_KB = 20;

const DAYS = 7;

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
 * Time of a result that an execution waits for, against one that goes to the trigger's outputs, and the memory of waiting.
 * The time has no target: n8n takes a second request, and reads the execution from its database.
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
	await addWaitingMemory(section, bed, rounds);
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

/** What an execution holds that waits for a result, against one in n8n's own Wait node. */
async function addWaitingMemory(section: Section, bed: Bed, rounds: number): Promise<void> {
	const env = { ...readableMemory(bed), N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' };
	await bed.withN8n(env, async (running) => {
		const { waiting } = await installFlows(bed, running);
		const ways = [waiting, await LiveWorkflow.start(running.api, waitNodeFlow(running))];
		const kb: number[][] = [[], []];
		for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
			for (const [index, way] of ways.entries()) {
				const growth = await growthOf(bed, running, way);
				if (round >= 0) kb[index]?.push(growth);
			}
		}
		for (const way of ways) await assertWaiting(way, (WARM_UP_ROUNDS + rounds) * MORE_WAITING);
		const [ours = [], theirs = []] = kb;
		const setting = `${MORE_WAITING} more executions that wait`;
		section.add('heap, each in Wait for Result', 'kB', ours, { setting, target: atMost(MOST_KB) });
		section.add("heap, each in n8n's own Wait", 'kB', theirs, { setting });
		section.add('ratio', 'x', ratios(ours, theirs), { setting });
	});
}

/** The same workflow with n8n's own Wait node. */
function waitNodeFlow({ credentialIds }: RunningN8n) {
	const credentialId = credentialIds.identityVerificationApi ?? '';
	const wait = n8nNode('Wait', 'wait', 1.1, { amount: DAYS, unit: 'days' });
	const start = { ...webhookStart({ responseMode: 'onReceived' }), name: START };
	return workflowOf(
		[start, createNode(CREATE, { credentialId, profile: PROFILE }), wait],
		[
			[START, CREATE],
			[CREATE, wait.name],
		],
	);
}

/** Starts executions that wait. Returns how much more n8n holds for each of them when they do, in kB. */
async function growthOf(bed: Bed, running: RunningN8n, way: LiveWorkflow): Promise<number> {
	const before = await readMemory(bed, running);
	const start = async (index: number) => {
		await way.send(START, { applicantId: `applicant-${index}` });
	};
	await pMap(Array.from({ length: MORE_WAITING }).keys(), start, { concurrency: CONNECTIONS });
	await settle(running.api, way.file.id);
	const after = await readMemory(bed, running);
	return (after.heapUsed - before.heapUsed) / KB / MORE_WAITING;
}

async function assertWaiting(way: LiveWorkflow, expected: number): Promise<void> {
	const found = (await way.list()).filter(({ status }) => status === 'waiting').length;
	if (found !== expected) throw new Error(`${found} executions wait instead of ${expected}.`);
}
