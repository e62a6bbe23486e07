import { readFile } from 'node:fs/promises';

import { itemsOf } from '../../dev/stack/execution';
import { fetchN8n } from '../../dev/stack/fetchN8n';
import { SPECIMEN } from '../../dev/stack/paths';
import { deliverMany } from '../kit/n8n/delivery/delivery';
import { picture } from '../kit/data/picture';
import { filesOf } from '../kit/n8n/files';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { imagesBody } from '../kit/n8n/scans';
import {
	actionNode,
	branchNode,
	imageNodes,
	triggerNode,
	webhookNode,
	workflowOf,
} from '../kit/n8n/workflow';
import type { Connection, WorkflowNode } from '../kit/n8n/workflow';
import { sha256 } from '../kit/service/sandbox';
import { WEBHOOK_SECRET } from '../kit/settings';
import { useCluster } from './support/cluster';

const WORKERS = ['worker1', 'worker2'] as const;
const TRIGGER = 'Verification Completed';
const BRANCHES = ['Review', 'Accept', 'Reject'];

const cluster = useCluster();
const { sandbox } = cluster;

/** Whether one worker, and no other process, ran an execution. */
async function expectRunByWorker(executionId: string): Promise<void> {
	const names = ['main', 'webhook', ...WORKERS] as const;
	const logs = await Promise.all(names.map(async (name) => await cluster.log(name)));
	const line = `Worker started execution ${executionId} `;
	expect(WORKERS).toContain(names.filter((_, index) => logs[index]?.includes(line)).join());
}

const start = async (nodes: WorkflowNode[], connections: Connection[]) =>
	await LiveWorkflow.start(cluster.way.api, workflowOf(nodes, connections), cluster.way.webhookUrl);

const upload = () => webhookNode('Upload', { responseMode: 'onReceived' });

function action(name: string, parameters: Record<string, unknown>): WorkflowNode {
	return actionNode(name, {
		credentialId: cluster.way.credentialId,
		parameters: { profile: 'sandbox-accept', ...parameters },
	});
}

/** Gets a file from the main process, as the editor does to show it. */
const load = async (file?: { id: string }) => await cluster.way.api.getFile(file?.id ?? '');

describe('the nodes in queue mode', () => {
	it('scan a file that another process received, and attach files that main can show', async () => {
		const flow = await start(
			[
				upload(),
				action('Scan', { operation: 'scan', documentBinaryField: 'document' }),
				action('Download', { operation: 'downloadFiles' }),
			],
			[
				['Upload', 'Scan'],
				['Scan', 'Download'],
			],
		);
		const document = await readFile(SPECIMEN);
		const form = new FormData();
		form.set('document', new Blob([document], { type: 'image/jpeg' }), 'specimen.jpg');
		await fetchN8n(flow.url('Upload'), { method: 'POST', body: form });

		const execution = await flow.takeExecution();

		expect(execution.status).toBe('success');
		await expectRunByWorker(execution.id);
		expect(itemsOf(execution, 'Scan')).toMatchObject([{ decision: 'accept' }]);
		expect(await sandbox.documents()).toEqual([sha256(document)]);
		expect(filesOf(execution, 'Upload').document?.id).toMatch(/^database:/);
		const attached = filesOf(execution, 'Download');
		expect(Object.keys(attached).sort()).toEqual(['face', 'file_0', 'front']);
		expect((await load(attached.file_0)).subarray(0, 5).toString()).toBe('%PDF-');
		expect((await load(attached.front)).equals(document)).toBe(true);
	});

	it('pay nothing again when a failed execution is retried', async () => {
		const { nodes, connections } = imageNodes('Upload', 'Image');
		const options = { maxParallelRequests: 1 };
		const flow = await start(
			[upload(), ...nodes, action('Scan', { operation: 'scan', options })],
			[...connections, ['Image', 'Scan']],
		);
		const files = [picture(), picture(), picture()];
		await sandbox.refuse(files[2]);
		const before = await sandbox.billed();
		await flow.send('Upload', imagesBody(files));
		const failed = await flow.takeExecution();

		const passed = await cluster.way.api.retryExecution(failed.id);

		expect([failed.status, passed.status]).toEqual(['error', 'success']);
		await expectRunByWorker(passed.id);
		const ids = itemsOf(passed, 'Scan').map(({ transactionId }) => transactionId);
		expect(new Set(ids).size).toBe(3);
		expect((await sandbox.billed()) - before).toBe(3);
	});

	it('receive a result, route it by its decision and attach its report', async () => {
		const { credentialId } = cluster.way;
		const parameters = { authentication: 'webhookSecret' };
		const flow = await start(
			[
				triggerNode(TRIGGER, { credentialId, parameters }),
				...BRANCHES.map((branch) => branchNode(branch)),
				action('Download', { operation: 'downloadFiles' }),
			],
			BRANCHES.flatMap((branch, output): Connection[] => [
				[TRIGGER, branch, output],
				[branch, 'Download'],
			]),
		);
		const webhookUrl = `${flow.url(TRIGGER)}?secret=${WEBHOOK_SECRET}`;
		await sandbox.setProfile('queue-flow', { webhookUrl });
		await sandbox.verify({ profile: 'queue-flow' }, 'aml');

		const execution = await flow.takeExecution();

		expect(execution.status).toBe('success');
		await expectRunByWorker(execution.id);
		expect(BRANCHES.filter((branch) => execution.data[branch])).toEqual(['Reject']);
		const { file_0: report } = filesOf(execution, 'Download');
		expect((await load(report)).subarray(0, 5).toString()).toBe('%PDF-');
	});
});

it('20 results get on once each when a worker is killed while they arrive', async () => {
	const { problems, unanswered, interrupted } = await cluster.deliverWhileWorkerIsKilled(20);

	expect(problems).toEqual([]);
	expect(unanswered).toBe(0);
	expect(interrupted).toBeGreaterThan(0);
});

it('executions outlive the workers, and take results while no worker runs', async () => {
	const { problems, unanswered, interrupted } = await deliverMany(cluster.way, {
		name: 'without-workers',
		count: 12,
		secondsEach: 0,
		whileWaiting: async () => await cluster.kill(...WORKERS),
		disturb: async () => await cluster.restart('worker1'),
	});

	expect(problems).toEqual([]);
	expect(unanswered).toBe(0);
	// When a worker starts, n8n lists the executions that it had begun as crashed, even if they are
	// queued again. The last third of the results is sent after that, so only the first two can be.
	expect(interrupted).toBeLessThanOrEqual(8);
});
