import { z } from 'zod/v4';

import type { WorkflowFile } from '../../../dev/stack/api';
import { itemsOf } from '../../../dev/stack/execution';
import { readExample } from '../../kit/examples/example';
import { differences, samplesOf } from '../../kit/examples/samples';
import { openStack } from '../../kit/n8n/handle';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { useService } from '../../kit/n8n/service';
import { actionNode, failNode, n8nNode, webhookNode, workflowOf } from '../../kit/n8n/workflow';
import type { WorkflowNode } from '../../kit/n8n/workflow';
import { useReceiver } from '../../kit/receiver';

const FILE = 'when-something-fails/workflow.json';
const TRIGGER = 'A Workflow Failed';
const PERSON = 'ALEX SPECIMEN';

const post = z.object({ text: z.string() });

const { api, n8nUrl } = openStack();
const service = useService(api, 'secret-of-failures');
const { sandbox } = service;
const slack = useReceiver();

let errorWorkflow: LiveWorkflow;

beforeAll(async () => {
	const replace = { 'https://hooks.slack.com': slack.url };
	errorWorkflow = await LiveWorkflow.start(api, await readExample(FILE, { replace }));
	await errorWorkflow.newExecutions();
});

/** A workflow that starts with a list of applicants, and has the example as its error workflow. */
function workflowWith(steps: WorkflowNode[], settings: Record<string, unknown> = {}): WorkflowFile {
	const start = webhookNode('Start', { responseMode: 'onReceived' });
	const split = n8nNode('Split', 'splitOut', 1, { fieldToSplitOut: 'body.applicants' });
	const nodes = [start, split, ...steps];
	return workflowOf(
		nodes,
		nodes.slice(1).map((node, index) => [String(nodes[index]?.name), node.name]),
		{ errorWorkflow: api.idOf(errorWorkflow.file.id), ...settings },
	);
}

function linkNode(name: string): WorkflowNode {
	return actionNode(name, {
		credentialId: service.credentialId,
		parameters: {
			operation: 'createHostedLink',
			profile: 'sandbox-onboarding',
			mode: 0,
			customData: "={{ $json['body.applicants'] }}",
		},
	});
}

/** Lets a workflow fail. Returns what is posted, and the item that the error workflow has got. */
async function failureOf(file: WorkflowFile) {
	const failing = await LiveWorkflow.start(api, file);
	await failing.send('Start', { applicants: [`${PERSON} 1`, `${PERSON} 2`] });
	const { id, status } = await failing.newExecution();
	expect(status).not.toBe('success');
	const execution = await errorWorkflow.newExecution();
	expect(execution.status).toBe('success');
	const [{ request, body } = { request: '', body: {} }, ...others] = slack.take();
	expect(others).toEqual([]);
	expect(request).toBe('POST /services/your/incoming/webhook');
	const [workflow, node, charged, link] = lines(body);
	expect(workflow).toBe(`*${file.name}* failed at *${node}*`);
	expect(link).toBe(`Execution: ${n8nUrl}/workflow/${api.idOf(file.id)}/executions/${id}`);
	return { node, charged, item: itemsOf(execution, TRIGGER)[0] ?? {}, body };
}

/** The workflow and its node, the node alone, the charge, and the link of a post. */
function lines(body: unknown): string[] {
	const [first = '', charged = '', link = ''] = post.parse(body).text.split('\n');
	const [, node = ''] = / failed at \*(.*)\*$/.exec(first) ?? [];
	return [first, node, charged.replace('May it have been charged? ', ''), link];
}

it('a request without an answer may have been charged', async () => {
	await sandbox.fault({ on: 'hosted', kind: 'broken' });
	const { node, charged } = await failureOf(workflowWith([linkNode('Create a Link')]));

	expect(node).toBe('Create a Link');
	expect(charged).toMatch(/^Perhaps: look the request up .* before you select Retry\. Other items/);
});

it('a refused request costs nothing, and paid items of the same run are named', async () => {
	await sandbox.fault({ on: 'hosted', kind: 'status', status: 400, skip: 1 });
	const { charged } = await failureOf(workflowWith([linkNode('Create a Link')]));

	expect(charged).toMatch(/^Other items of the run are paid: the execution says what Retry does/);
});

it('the failure of another node costs nothing', async () => {
	const { node, charged } = await failureOf(
		workflowWith([linkNode('Create a Link'), failNode('Update CRM')]),
	);

	expect(node).toBe('Update CRM');
	expect(charged).toBe('No, not by this failure.');
});

it('posts nothing of what the service says, and nothing of the items', async () => {
	const body = { message: `${PERSON} is unknown` };
	await sandbox.fault({ on: 'hosted', kind: 'status', status: 500, times: 'always', body });
	const failure = await failureOf(workflowWith([linkNode('Create a Link')]));

	expect(JSON.stringify(failure.item)).toContain(PERSON);
	expect(JSON.stringify(failure.body)).not.toContain(PERSON);
});

it('the samples are like what n8n hands to the workflow, and both are posted', async () => {
	await sandbox.fault({ on: 'hosted', kind: 'broken' });
	const { item } = await failureOf(workflowWith([linkNode('Create a Link')]));
	const real: unknown = JSON.parse(JSON.stringify(item));
	const samples = samplesOf(errorWorkflow.file);
	for (const { json } of samples) {
		const wrong = differences(json, real).filter((text) => !text.endsWith('is missing'));
		expect(wrong).toEqual([]);
	}

	await api.runWorkflow(errorWorkflow.file.id, 'Try It without the Service');
	expect(await errorWorkflow.newExecution()).toMatchObject({ status: 'success' });
	const posts = slack.take().map(({ body }) => lines(body));
	expect(posts).toEqual([
		[expect.any(String), 'Scan Documents', expect.stringMatching(/^Perhaps/), expect.any(String)],
		[expect.any(String), 'Update CRM', 'No, not by this failure.', expect.any(String)],
	]);
	expect(samples).toHaveLength(posts.length);
});
