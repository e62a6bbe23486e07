import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

import { poll } from '../../dev/stack/poll';
import { fixture } from '../kit/fixtures';
import { listen } from '../kit/httpServer';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { useOwnN8n } from '../kit/n8n/ownN8n';
import { useService } from '../kit/n8n/service';
import { databaseRows } from '../kit/n8n/traces';
import {
	actionNode,
	branchNode,
	failNode,
	manualNode,
	requestNode,
	webhookNode,
	workflowOf,
} from '../kit/n8n/workflow';

const TIMEOUT_MS = 120_000;

// In minutes; 15 by default. n8n keeps what a trigger has returned until then.
const n8n = useOwnN8n({ EXECUTIONS_DATA_PRUNE_HARD_DELETE_INTERVAL: '0.05' });
const service = useService(n8n, '');

/** Starts a workflow that scans, and ends with the given node. Its results are about one person. */
async function startScan(last: ReturnType<typeof branchNode>, settings: Record<string, unknown>) {
	const person = `Person ${randomUUID()}`;
	const data = { fullName: [{ value: person, confidence: 0.9 }] };
	const { url: baseUrl } = await listen((request, response) => {
		const body = JSON.stringify(fixture('scan-accept', { data }));
		request
			.resume()
			.on('end', () => response.setHeader('Content-Type', 'application/json').end(body));
	});
	const credentialId = await service.saveCredential({ baseUrl });
	const image = { documentSource: 'base64', documentBase64: '/9j/'.repeat(50) };
	const parameters = { operation: 'scan', profile: 'any', ...image };
	const nodes = [webhookNode('Call'), manualNode('By Hand')];
	const scan = actionNode('Scan', { credentialId, parameters });
	const file = workflowOf(
		[...nodes, scan, last],
		[...nodes.map(({ name }): [string, string] => [name, scan.name]), [scan.name, last.name]],
		settings,
	);
	return { person, workflow: await LiveWorkflow.start(n8n.api, file) };
}

async function isStored(value: string): Promise<boolean> {
	return (await databaseRows(n8n.folder)).includes(value);
}

async function untilStored(value: string, expected: boolean): Promise<void> {
	const what = `${value} to be ${expected ? 'stored' : 'deleted'}`;
	const options = { what, timeoutMs: TIMEOUT_MS };
	await poll(async () => ((await isStored(value)) === expected ? true : undefined), options);
}

describe.each([
	{ setting: 'saveDataSuccessExecution', keep: 'all', drop: 'none', last: branchNode('End') },
	{ setting: 'saveDataErrorExecution', keep: 'all', drop: 'none', last: failNode('End') },
])('$setting', ({ setting, keep, drop, last }) => {
	it.each([
		[keep, true],
		[drop, false],
	])('%s: the items are kept: %s', async (value, isKept) => {
		const { person, workflow } = await startScan(last, { [setting]: value });
		const applicant = `applicant-${randomUUID()}`;

		// n8n answers when the workflow has ended.
		await workflow.send('Call', { applicant });

		await untilStored(person, isKept);
		await untilStored(applicant, isKept);
		expect(await workflow.list()).toHaveLength(isKept ? 1 : 0);
	});
});

describe('saveManualExecutions', () => {
	it.each([true, false])('%s: the items are kept', async (isKept) => {
		const settings = { saveManualExecutions: isKept };
		const { person, workflow } = await startScan(branchNode('End'), settings);

		await n8n.api.runWorkflow(workflow.file.id, 'By Hand');

		const expected = isKept ? ['success'] : [];
		const options = { what: `executions ${expected.join(' ')}`, timeoutMs: TIMEOUT_MS };
		await poll(async () => {
			const statuses = (await workflow.list()).map(({ status }) => status);
			return String(statuses) === String(expected) ? true : undefined;
		}, options);
		await untilStored(person, isKept);
	});
});

describe('saveExecutionProgress', () => {
	it.each([true, false])('%s: items are stored while the workflow runs', async (isStoredEarly) => {
		const settings = { saveExecutionProgress: isStoredEarly };
		const open: ServerResponse[] = [];
		const { url } = await listen((_request, response) => void open.push(response));
		const { person, workflow } = await startScan(requestNode('Last', url), settings);

		// When a node runs, n8n has stored what the ones before it have returned, if it does so early.
		const answer = workflow.send('Call', {});
		const isAtLast = async () => open.length > 0 || undefined;
		await poll(isAtLast, { what: 'the last node to run', timeoutMs: TIMEOUT_MS });

		expect(await workflow.list()).toMatchObject([{ status: 'running' }]);
		await untilStored(person, isStoredEarly);
		expect(await workflow.list()).toMatchObject([{ status: 'running' }]);
		for (const response of open) response.end('{}');
		await answer;
		await untilStored(person, true);
	});
});
