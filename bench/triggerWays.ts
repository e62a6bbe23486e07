import type { WorkflowFile } from '../dev/stack/api';
import { poll } from '../dev/stack/poll';
import { DECISIONS } from '../nodes/IdentityVerification/contract';
import { SECRET_HEADER } from './bed';
import type { RunningN8n } from './bed';
import type { Way } from './events';
import { noOpStep, switchStep, triggerStep, webhookStep, workflowOf } from './workflows';

export const NONE = 'no authentication';
export const SECRET = 'with a secret';

/** Puts the two ways of receiving a result into n8n: the trigger, and Webhook + Switch. */
export async function installWays(
	running: RunningN8n,
	authentication: string,
): Promise<[Way, Way]> {
	return [
		await install(running, triggerWorkflow(running, authentication)),
		await install(running, webhookWorkflow(running, authentication)),
	];
}

async function install({ n8n, api }: RunningN8n, workflow: WorkflowFile): Promise<Way> {
	await api.saveWorkflow(workflow);
	await api.activate(workflow.id);
	const [start] = workflow.nodes;
	const path = start?.parameters.path ?? `${start?.webhookId}/webhook`;
	const url = `${n8n.url}/webhook/${String(path)}`;
	const options = { what: `${url} to listen`, timeoutMs: 30_000 };
	await poll(async () => {
		const answer = await fetch(url, { method: 'POST', headers: { [SECRET_HEADER]: 'wrong' } });
		return answer.status === 404 ? undefined : true;
	}, options);
	return { url, workflowId: workflow.id };
}

function triggerWorkflow({ credentialIds }: RunningN8n, authentication: string): WorkflowFile {
	const outputs = DECISIONS.map(() => ['Done']);
	const isSecret = authentication === SECRET;
	const parameters = {
		authentication: isSecret ? 'webhookSecret' : 'none',
		output: 'simplified',
		options: {},
	};
	const credentials = isSecret ? ['identityVerificationApi'] : [];
	const steps = [triggerStep(parameters, outputs, credentials), noOpStep()];
	return workflowOf(`Trigger ${authentication}`, steps, credentialIds);
}

function webhookWorkflow({ credentialIds }: RunningN8n, authentication: string): WorkflowFile {
	const outputs = DECISIONS.map(() => ['Done']);
	const isSecret = authentication === SECRET;
	const parameters = {
		path: isSecret ? 'with-secret' : 'without-secret',
		authentication: isSecret ? 'headerAuth' : 'none',
		responseMode: 'onReceived',
	};
	const credentials = isSecret ? ['httpHeaderAuth'] : [];
	const steps = [
		webhookStep(parameters, [['Switch']], credentials),
		switchStep('={{ $json.body.decision }}', [...DECISIONS], outputs),
		noOpStep(),
	];
	return workflowOf(`Webhook ${authentication}`, steps, credentialIds);
}
