import { LiveWorkflow } from '../test/kit/n8n/liveWorkflow';
import { TRIGGER, triggerFlow, waitingFlow } from '../test/kit/n8n/waitingFlow';
import { WEBHOOK_SECRET } from './bed';
import type { Bed, RunningN8n } from './bed';

export const PROFILE = 'sandbox-accept';

/** A workflow that waits for results, and the trigger that takes them. */
export interface Flows {
	bed: Bed;
	running: RunningN8n;
	waiting: LiveWorkflow;
	trigger: LiveWorkflow;
	/** Where results are sent. */
	url: string;
}

/** Puts both into n8n, with a sandbox that sends nothing by itself. */
export async function installFlows(bed: Bed, running: RunningN8n): Promise<Flows> {
	const { api, credentialIds } = running;
	const credentialId = credentialIds.identityVerificationApi ?? '';
	await bed.sandbox.reset();
	const waiting = await LiveWorkflow.start(api, waitingFlow({ credentialId, profile: PROFILE }));
	const trigger = await LiveWorkflow.start(api, triggerFlow(credentialId));
	const url = `${trigger.url(TRIGGER)}?secret=${WEBHOOK_SECRET}`;
	return { bed, running, waiting, trigger, url };
}
