import pMap from 'p-map';

import { LiveWorkflow } from '../test/kit/n8n/liveWorkflow';
import { CREATE, START, createNode } from '../test/kit/n8n/waitingFlow';
import type { Bed, RunningN8n } from './bed';
import { settle } from './events';
import { atMost, ratios } from './figures';
import type { Section } from './figures';
import { readMemory, readableMemory } from './heap';
import { PROFILE, installFlows } from './waitingFlows';
import { n8nNode, webhookStart, workflowOf } from './workflows';

const COUNT = 200;
/** What n8n builds up and lets go of anyway is more than what some executions hold. */
const WARM_UP_ROUNDS = 2;
const CONNECTIONS = 8;
const KB = 1_024;
/** n8n itself keeps the data of executions that wait in memory, in kB. */
const MOST = 20;

const DAYS = 7;

/** What an execution holds that waits for a result, against one in n8n's own Wait node. */
export async function addWaitingMemory(section: Section, bed: Bed, rounds: number): Promise<void> {
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
		for (const way of ways) await assertWaiting(way, (WARM_UP_ROUNDS + rounds) * COUNT);
		const [ours = [], theirs = []] = kb;
		const setting = `${COUNT} more executions that wait`;
		section.add('heap, each in Wait for Result', 'kB', ours, { setting, target: atMost(MOST) });
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
	await pMap(Array.from({ length: COUNT }).keys(), start, { concurrency: CONNECTIONS });
	await settle(running.api, way.file.id);
	const after = await readMemory(bed, running);
	return (after.heapUsed - before.heapUsed) / KB / COUNT;
}

async function assertWaiting(way: LiveWorkflow, expected: number): Promise<void> {
	const found = (await way.list()).filter(({ status }) => status === 'waiting').length;
	if (found !== expected) throw new Error(`${found} executions wait instead of ${expected}.`);
}
