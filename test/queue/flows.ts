import { readFile } from 'node:fs/promises';
import { z } from 'zod/v4';

import type { SandboxClient } from '../../dev/sandbox/client';
import type { WorkflowFile } from '../../dev/stack/api';
import { isFinished, itemsOf } from '../../dev/stack/execution';
import type { Execution } from '../../dev/stack/execution';
import { fetchN8n } from '../../dev/stack/fetchN8n';
import { SPECIMEN } from '../../dev/stack/paths';
import { poll } from '../../dev/stack/poll';
import { bodyOf } from '../kit/n8n/scans';
import {
	actionNode,
	branchNode,
	imageNodes,
	triggerNode,
	webhookNode,
	workflowOf,
} from '../kit/n8n/workflow';
import { eventPath } from '../kit/delivery/workflow';
import { picture } from '../kit/imageBytes';
import { sha256 } from '../kit/sandbox';
import type { QueueStack } from './queueStack';

const TRIGGER = 'Verification Completed';
const BRANCHES = ['Review', 'Accept', 'Reject'];

/** An upload that the webhook processor takes, and a worker scans and adds files to. */
export async function runScanFlow(stack: QueueStack) {
	const { api, credentialId, webhookUrl, sandbox } = stack;
	const upload = webhookNode('Upload', { responseMode: 'onReceived' });
	const scan = { operation: 'scan', profile: 'sandbox-accept', documentBinaryField: 'document' };
	const workflow = workflowOf(
		[
			upload,
			actionNode('Scan', { credentialId, parameters: scan }),
			actionNode('Download', { credentialId, parameters: { operation: 'downloadFiles' } }),
		],
		[
			['Upload', 'Scan'],
			['Scan', 'Download'],
		],
	);
	await api.saveWorkflow(workflow);
	await api.activate(workflow.id);
	const document = await readFile(SPECIMEN);
	const form = new FormData();
	form.set('document', new Blob([document], { type: 'image/jpeg' }), 'specimen.jpg');
	const path = String(upload.parameters.path);
	await fetchN8n(`${webhookUrl}/webhook/${path}`, { method: 'POST', body: form });
	const execution = await onlyExecution(stack, workflow);
	return {
		execution,
		scanned: itemsOf(execution, 'Scan')[0],
		sentSha256: { sent: sha256(document), received: await lastDocument(sandbox) },
		documentMode: binariesOf(execution, 'Upload').document?.split(':')[0],
		attached: await load(stack, binariesOf(execution, 'Download')),
	};
}

/** A result that the webhook processor takes, and a worker routes and adds files to. */
export async function runTriggerFlow(stack: QueueStack, scenario: string) {
	const { api, credentialId, webhookUrl, webhookSecret, sandbox } = stack;
	const download = { operation: 'downloadFiles' };
	const workflow = workflowOf(
		[
			triggerNode(TRIGGER, { credentialId, parameters: { authentication: 'webhookSecret' } }),
			...BRANCHES.map(branchNode),
			actionNode('Download', { credentialId, parameters: download }),
		],
		BRANCHES.flatMap((branch, output) => [
			[TRIGGER, branch, output],
			[branch, 'Download'],
		]),
	);
	await api.saveWorkflow(workflow);
	await api.activate(workflow.id);
	const url = `${webhookUrl}${eventPath(workflow)}?secret=${webhookSecret}`;
	await sandbox.setProfile('queue-flow', { webhookUrl: url });
	await sandbox.verify({ profile: 'queue-flow' }, scenario);
	const execution = await onlyExecution(stack, workflow);
	return {
		execution,
		branches: BRANCHES.filter((branch) => execution.data[branch]),
		attached: await load(stack, binariesOf(execution, 'Download')),
	};
}

/** Three scans of which one is refused at first, and the Retry of their execution. */
export async function runRetriedScans(stack: QueueStack) {
	const { api, credentialId, webhookUrl, sandbox } = stack;
	const upload = webhookNode('Upload', { responseMode: 'onReceived' });
	const { nodes, links } = imageNodes('Upload', 'Image');
	const options = { maxParallelRequests: 1 };
	const scan = { operation: 'scan', profile: 'sandbox-accept', options };
	const workflow = workflowOf(
		[upload, ...nodes, actionNode('Scan', { credentialId, parameters: scan })],
		[...links, ['Image', 'Scan']],
	);
	await api.saveWorkflow(workflow);
	await api.activate(workflow.id);
	const files = [picture(), picture(), picture()];
	await sandbox.faultOn(files[2]);
	const before = await sandbox.billed();
	const headers = { 'content-type': 'application/json' };
	const url = `${webhookUrl}/webhook/${String(upload.parameters.path)}`;
	await fetchN8n(url, { method: 'POST', headers, body: JSON.stringify(bodyOf(files)) });
	const failed = await onlyExecution(stack, workflow);
	const passed = await api.retryExecution(failed.id);
	return {
		failed,
		passed,
		scanned: itemsOf(passed, 'Scan'),
		billed: (await sandbox.billed()) - before,
	};
}

async function onlyExecution({ api }: QueueStack, { id }: WorkflowFile): Promise<Execution> {
	return await poll(
		async () => {
			const [listed] = (await api.listExecutions(id)).filter(isFinished);
			return listed && (await api.getExecution(listed.id));
		},
		{ what: 'the execution', timeoutMs: 180_000 },
	);
}

const stored = z.object({ id: z.string() });

/** IDs of the files that a node returned, by binary field. */
function binariesOf({ data }: Execution, node: string): Partial<Record<string, string>> {
	const items = (data[node] ?? [])
		.flatMap((run) => run.data?.main ?? [])
		.flatMap((main) => main ?? []);
	const files = items.flatMap(({ binary }) => Object.entries(binary ?? {}));
	return Object.fromEntries(files.map(([field, file]) => [field, stored.parse(file).id]));
}

/** Gets files from the main process, as the editor does to show them. */
async function load(
	{ api }: QueueStack,
	ids: Partial<Record<string, string>>,
): Promise<Partial<Record<string, Buffer>>> {
	const files = Object.entries(ids).map(async ([field, id = '']) => [field, await api.getFile(id)]);
	return Object.fromEntries(await Promise.all(files)) as Partial<Record<string, Buffer>>;
}

async function lastDocument(sandbox: SandboxClient): Promise<string | undefined> {
	const scans = (await sandbox.requests()).filter(({ path }) => path === '/scan');
	return scans.at(-1)?.images.document?.sha256;
}
