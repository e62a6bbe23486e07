import type { WorkflowFile } from '../dev/stack/api';
import { poll } from '../dev/stack/poll';
import { DECISIONS } from '../nodes/IdentityVerification/contract';
import { SECRET_HEADER } from './bed';
import type { RunningN8n } from './bed';
import type { Way } from './events';
import { branchNode, namedWorkflow, switchNode } from './workflows';
import { triggerNode, webhookStart, withCredential } from './workflows';
import type { Link } from './workflows';

export const NONE = 'no authentication';
export const SECRET = 'with a secret';

const DONE = 'Done';

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
	const isSecret = authentication === SECRET;
	const parameters = { authentication: isSecret ? 'webhookSecret' : 'none' };
	const credentialId = isSecret ? credentialIds.identityVerificationApi : undefined;
	const nodes = [triggerNode('Trigger', { parameters, credentialId }), branchNode(DONE)];
	return namedWorkflow(`Trigger ${authentication}`, nodes, branchesOf('Trigger'));
}

function webhookWorkflow({ credentialIds }: RunningN8n, authentication: string): WorkflowFile {
	const isSecret = authentication === SECRET;
	const webhook = webhookStart({
		path: isSecret ? 'with-secret' : 'without-secret',
		authentication: isSecret ? 'headerAuth' : 'none',
		responseMode: 'onReceived',
	});
	const nodes = [
		isSecret ? withCredential(webhook, 'httpHeaderAuth', credentialIds) : webhook,
		switchNode('={{ $json.body.decision }}', DECISIONS),
		branchNode(DONE),
	];
	const links: Link[] = [[webhook.name, 'Switch'], ...branchesOf('Switch')];
	return namedWorkflow(`Webhook ${authentication}`, nodes, links);
}

function branchesOf(from: string): Link[] {
	return DECISIONS.map((_, output) => [from, DONE, output]);
}
