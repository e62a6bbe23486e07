import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod/v4';

import { SPECIMEN } from '../../dev/stack/paths';
import type { Execution } from '../../dev/stack/execution';
import { fixture } from '../kit/fixtures';
import { openStack } from '../kit/n8n/handle';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { useService } from '../kit/n8n/service';
import { actionNode, imageNodes, triggerNode, webhookNode, workflowOf } from '../kit/n8n/workflow';

const TRIGGER = 'Verification Completed';
const DOWNLOAD = 'Download Files';

const stack = openStack();
const { api, folder } = stack;
const service = useService(stack, '');
const { sandbox } = service;

const binaries = z.record(
	z.string(),
	z.object({ id: z.string(), data: z.string(), mimeType: z.string(), fileName: z.string() }),
);

let workflow: LiveWorkflow;

beforeAll(async () => {
	workflow = await LiveWorkflow.start(api, downloadWorkflow(service.credentialId));
});

/** Downloads the files of a scan, and of accepts that arrive as a webhook. */
function downloadWorkflow(credentialId: string) {
	const { nodes, links } = imageNodes('Start', 'Image');
	const scan = { operation: 'scan', profile: 'sandbox-accept' };
	return workflowOf(
		[
			webhookNode('Start'),
			...nodes,
			actionNode('Scan', { credentialId, parameters: scan }),
			triggerNode(TRIGGER, { parameters: { authentication: 'none', output: 'raw' } }),
			actionNode(DOWNLOAD, { credentialId, parameters: { operation: 'downloadFiles' } }),
		],
		[...links, ['Image', 'Scan'], ['Scan', DOWNLOAD], [TRIGGER, DOWNLOAD, 1]],
	);
}

async function downloadOf(outputFile: object[], receiver = workflow): Promise<Execution> {
	await receiver.send(TRIGGER, fixture('webhook-accept', { outputFile, outputImage: {} }));
	return await receiver.newExecution();
}

function attachedTo({ data }: Execution): z.infer<typeof binaries> {
	const [item] = data[DOWNLOAD]?.[0]?.data?.main?.[0] ?? [];
	return binaries.parse(item?.binary);
}

async function servedBy(path: string): Promise<Buffer> {
	const headers = { 'x-api-key': sandbox.apiKey };
	const answer = await fetch(new URL(path, sandbox.filesUrl), { headers });
	return Buffer.from(await answer.arrayBuffer());
}

describe('the files of a scan', () => {
	it('are stored byte for byte in the file system, with their names and types', async () => {
		const document = await readFile(SPECIMEN);
		await workflow.send('Start', { images: [document.toString('base64')] });

		const attached = attachedTo(await workflow.newExecution());

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

	it('cannot leave the folder of the execution by their names', async () => {
		const fileUrl = `${sandbox.filesUrl}/files/large?bytes=100000`;

		const execution = await downloadOf([{ fileName: '../../../../escaped.pdf', fileUrl }]);

		const { file_0: file } = attachedTo(execution);
		expect(file).toMatchObject({ fileName: 'escaped.pdf' });
		expect(await api.getFile(file?.id ?? '')).toEqual(Buffer.alloc(100_000));
		const names = await readdir(join(folder, '.n8n'), { recursive: true });
		expect(names.filter((name) => name.includes('escaped'))).toEqual([]);
	});
});
