import { setTimeout as sleep } from 'node:timers/promises';

import { parse as parseFlatted } from 'flatted';
import { z } from 'zod/v4';

import type { N8nApi } from '../dev/stack/api';
import { LiveWorkflow } from '../test/kit/n8n/liveWorkflow';
import {
	TRIGGER,
	startWaiting,
	triggerFlow,
	untilStatus,
	waitingFlow,
} from '../test/kit/n8n/waitingFlow';
import { SECRET_HEADER, WEBHOOK_SECRET } from './bed';
import type { Bed } from './bed';
import { ROUNDS, Section, median, ratios } from './figures';
import { TRIGGER_PAYLOAD_BYTES, payloadOf } from './payload';

const PROFILE = 'sandbox-accept';

const PAIRS_PER_ROUND = 5;

/** The branch of the payload's decision, behind both nodes. */
const BRANCH = 'Reject';
/**
 * So that n8n does nothing else while a result is on its way: no questions of this program either.
 */
const REST_MS = 300;

const startTimes = z.object({
	resultData: z.object({
		runData: z.record(z.string(), z.array(z.object({ startTime: z.number() }))),
	}),
});

const timedExecution = z.object({
	data: z.string().transform((text) => startTimes.parse(parseFlatted(text)).resultData.runData),
});

/**
 * Time of a result that an execution waits for, against one that goes to the trigger's outputs, in
 * turns. It has no target: n8n takes a second request, and reads the execution from its database.
 */
export async function measureWaiting(bed: Bed): Promise<Section> {
	const section = new Section('Wait for Result');
	await bed.withN8n({}, async ({ api, credentialIds }) => {
		const credentialId = credentialIds.identityVerificationApi ?? '';
		await bed.sandbox.reset();
		const waiting = await LiveWorkflow.start(api, waitingFlow({ credentialId, profile: PROFILE }));
		const trigger = await LiveWorkflow.start(api, triggerFlow(credentialId));
		const awaited = async () => {
			const { executionId, link } = await startWaiting(api, waiting);
			const { links } = await bed.sandbox.state();
			const sent = links.find(({ reference }) => reference === link.reference);
			const sentAt = await send(trigger, {
				hosted: sent?.reference,
				customData: sent?.customData,
				profileId: sent?.profile,
			});
			await untilStatus(api, executionId, 'success');
			return (await branchStart(api, executionId)) - sentAt;
		};
		const unawaited = async () => {
			const sentAt = await send(trigger, {});
			return (await branchStart(api, (await trigger.takeExecution()).id)) - sentAt;
		};
		const medians: [number[], number[]] = [[], []];
		// The first round isn't counted.
		for (let round = 0; round <= ROUNDS; round++) {
			const times: [number[], number[]] = [[], []];
			for (let pair = 0; pair < PAIRS_PER_ROUND; pair++) {
				times[0].push(await awaited());
				times[1].push(await unawaited());
			}
			if (round > 0) times.forEach((list, index) => medians[index]?.push(median(list)));
		}
		const [waited, own] = medians;
		section.add('from webhook to the node behind Wait for Result', 'ms', waited);
		section.add('from webhook to the node behind the trigger', 'ms', own);
		section.add('ratio', 'x', ratios(waited, own));
	});
	return section;
}

/** Sends a result to the trigger. Returns when it was sent, in milliseconds since 1970. */
async function send(trigger: LiveWorkflow, fields: object): Promise<number> {
	const result = { ...payloadOf(TRIGGER_PAYLOAD_BYTES), ...fields };
	await sleep(REST_MS);
	const sentAt = Date.now();
	const { status, body } = await trigger.send(TRIGGER, result, {
		headers: { [SECRET_HEADER]: WEBHOOK_SECRET },
	});
	if (status !== 200) throw new Error(`n8n answered ${status}: ${body}`);
	await sleep(REST_MS);
	return sentAt;
}

/** When the branch of an execution started, in milliseconds since 1970. */
async function branchStart(api: N8nApi, executionId: string): Promise<number> {
	const { data } = await api.get(`/executions/${executionId}`, timedExecution);
	const [run] = data[BRANCH] ?? [];
	if (!run) throw new Error(`Execution ${executionId} didn't reach ${BRANCH}.`);
	return run.startTime;
}
