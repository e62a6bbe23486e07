import { z } from 'zod/v4';

import { itemsOf } from '../../../dev/stack/execution';
import { differences, samplesOf } from '../../kit/n8n/examples/samples';
import { PROFILE, usePublished } from './support/useExample';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { actionNode, failNode, n8nNode, webhookNode, workflowOf } from '../../kit/n8n/workflow';
import type { WorkflowNode } from '../../kit/n8n/workflow';
import { TRY } from '../support/runInEditor';

const PERSON = 'ALEX SPECIMEN';

const post = z.object({ text: z.string() });

const example = usePublished('when-something-fails');
const { api, outside, sandboxInN8n, sandbox, takeSucceeded } = example;

/**
 * Lets a workflow fail that creates links for a list of applicants. Returns what is posted, and the
 * item that the error workflow has got.
 */
async function failureOf(...more: WorkflowNode[]) {
	const nodes = [
		webhookNode('Start', { responseMode: 'onReceived' }),
		n8nNode('Split', 'splitOut', 1, { fieldToSplitOut: 'body.applicants' }),
		actionNode('Create a Link', {
			credentialId: sandboxInN8n.credentialId,
			parameters: {
				operation: 'createHostedLink',
				profile: PROFILE,
				mode: 0,
				customData: "={{ $json['body.applicants'] }}",
			},
		}),
		...more,
	];
	const file = workflowOf(
		nodes,
		nodes.slice(1).map((node, index) => [String(nodes[index]?.name), node.name]),
		{ errorWorkflow: api.idOf(example.workflow.file.id) },
	);
	const failing = await LiveWorkflow.start(api, file);
	await failing.send('Start', { applicants: [`${PERSON} 1`, `${PERSON} 2`] });
	const { id, status } = await failing.takeExecution();
	expect(status).not.toBe('success');
	const [item = {}] = itemsOf(await takeSucceeded(), 'A Workflow Failed');
	const [{ request, body } = { request: '', body: {} }, ...others] = outside.takePosts();
	expect(others).toEqual([]);
	expect(request).toBe('POST /slack/services/your/incoming/webhook');
	const { workflow, node, charged, link } = read(body);
	expect(workflow).toBe(file.name);
	expect(link).toBe(`Execution: ${api.url}/workflow/${api.idOf(file.id)}/executions/${id}`);
	return { node, charged, item, body };
}

/** What a post says, line by line. */
function read(body: unknown) {
	const lines =
		/^A workflow failed\.\nWas anything charged\? (.*)\n(Execution: .*)\nNode: `(.*)`\nWorkflow: `(.*)`$/;
	const [, charged, link, node, workflow] = lines.exec(post.parse(body).text) ?? [];
	return { charged, link, node, workflow };
}

it.each([
	[
		'a request without an answer',
		{ kind: 'broken' },
		/^Possibly: look the request up .* before you select Retry\. Other items/,
	],
	[
		'a refused request, after one that is paid',
		{ kind: 'status', status: 400, skip: 1 },
		/^No, not by this failure\. Other items of the run are paid for: the execution says/,
	],
])('says what may have been charged for %s', async (_, fault, expected) => {
	await sandbox.fault({ on: 'hosted', ...fault });
	const { node, charged } = await failureOf();

	expect(node).toBe('Create a Link');
	expect(charged).toMatch(expected);
});

it('says that the failure of another node costs nothing', async () => {
	const { node, charged } = await failureOf(failNode('Update CRM'));

	expect(node).toBe('Update CRM');
	expect(charged).toBe('No, not by this failure.');
});

it('posts nothing of what the service says, and nothing of the items', async () => {
	const body = { message: `${PERSON} is unknown` };
	await sandbox.fault({ on: 'hosted', kind: 'status', status: 500, times: 'always', body });
	const failure = await failureOf();

	expect(JSON.stringify(failure.item)).toContain(PERSON);
	expect(JSON.stringify(failure.body)).not.toContain(PERSON);
});

it('the samples are like what n8n hands to the workflow, and both are posted', async () => {
	await sandbox.fault({ on: 'hosted', kind: 'broken' });
	const { item } = await failureOf();
	const real: unknown = JSON.parse(JSON.stringify(item));
	const samples = samplesOf(example.workflow.file);
	for (const { json } of samples) {
		const wrong = differences(json, real).filter((text) => !text.endsWith('is missing'));
		expect(wrong).toEqual([]);
	}

	await api.runWorkflow(example.workflow.file.id, TRY);
	await takeSucceeded();
	expect(outside.takePosts().map(({ body }) => read(body))).toMatchObject([
		{ node: 'Scan Documents', charged: expect.stringMatching(/^Possibly/) },
		{ node: 'Update CRM', charged: 'No, not by this failure.' },
	]);
	expect(samples).toHaveLength(2);
});
