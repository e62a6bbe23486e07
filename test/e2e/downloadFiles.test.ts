import { readFile } from 'node:fs/promises';

import { SPECIMEN } from '../../dev/stack/paths';
import { openStack } from '../kit/n8n/stack';
import { filesOf } from '../kit/n8n/files';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { useSandboxInN8n } from '../kit/n8n/sandboxInN8n';
import { actionNode, imageNodes, webhookNode, workflowOf } from '../kit/n8n/workflow';

const { api } = openStack();
const sandboxInN8n = useSandboxInN8n(api, '');
const { sandbox } = sandboxInN8n;

async function servedBy(path: string): Promise<Buffer> {
	const headers = { 'x-api-key': sandbox.apiKey };
	const answer = await fetch(new URL(path, sandbox.filesUrl), { headers });
	return Buffer.from(await answer.arrayBuffer());
}

it('the files of a scan are stored byte for byte in the file system, with their names and types', async () => {
	const { credentialId } = sandboxInN8n;
	const { nodes, connections } = imageNodes('Start', 'Image');
	const scan = { operation: 'scan', profile: 'sandbox-accept' };
	const workflow = await LiveWorkflow.start(
		api,
		workflowOf(
			[
				webhookNode('Start'),
				...nodes,
				actionNode('Scan', { credentialId, parameters: scan }),
				actionNode('Download', { credentialId, parameters: { operation: 'downloadFiles' } }),
			],
			[...connections, ['Image', 'Scan'], ['Scan', 'Download']],
		),
	);
	const document = await readFile(SPECIMEN);
	await workflow.send('Start', { images: [document.toString('base64')] });

	const attached = filesOf(await workflow.takeExecution(), 'Download');

	expect(attached).toMatchObject({
		front: { data: 'filesystem-v2', mimeType: 'image/jpeg' },
		face: { data: 'filesystem-v2', mimeType: 'image/jpeg' },
		file_0: { data: 'filesystem-v2', mimeType: 'application/pdf' },
	});
	const { fileRequests } = await sandbox.state();
	expect(fileRequests).toHaveLength(3);
	expect(fileRequests.every(({ hasApiKey }) => hasApiKey)).toBe(true);
	const { front, face, file_0: report } = attached;
	const transactionId = /audit-report-(\w+)\.pdf/.exec(report?.fileName ?? '')?.[1];
	expect((await api.getFile(front?.id ?? '')).equals(document)).toBe(true);
	const servedFace = await servedBy(`/images/${transactionId}/face`);
	expect((await api.getFile(face?.id ?? '')).equals(servedFace)).toBe(true);
	const pdf = (await api.getFile(report?.id ?? '')).toString('latin1');
	expect(pdf).toMatch(/^%PDF-[^]*%%EOF\s*$/);
});
