import { itemsOf, outputsTaken } from '../../dev/stack/execution';
import type { Execution } from '../../dev/stack/execution';
import { runInEditor } from './support/runInEditor';
import { fixture } from '../kit/data/fixtures';
import { unusedUrl } from '../kit/service/httpServer';
import { picture } from '../kit/data/picture';
import { openStack } from '../kit/n8n/stack';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { SCAN, imagesBody } from '../kit/n8n/scans';
import { useSandboxInN8n } from '../kit/n8n/sandboxInN8n';
import {
	actionNode,
	branchNode,
	imageNodes,
	manualNode,
	triggerNode,
	webhookNode,
	workflowOf,
} from '../kit/n8n/workflow';
import type { Connection, NodeOptions } from '../kit/n8n/workflow';
import { CONTINUE, WEBHOOK_SECRET, retryOnFail } from '../kit/settings';

// n8n sends items that it can't route to a node's first output. None of it may be taken for an
// accept.

const BRANCHES = ['Review', 'Accept', 'Reject'];

const { api } = openStack();
const sandboxInN8n = useSandboxInN8n(api, WEBHOOK_SECRET);
const { sandbox } = sandboxInN8n;

const connectionsToBranches = (from: string): Connection[] =>
	BRANCHES.map((branch, output) => [from, branch, output]);

/** Scans what it is sent, or started with by hand, and leads to a branch for each decision. */
function scanWorkflow({
	settings,
	parameters,
	credentialId = sandboxInN8n.credentialId,
}: NodeOptions = {}) {
	const { nodes, connections } = imageNodes('Start', 'Image');
	const scan = actionNode(SCAN, {
		credentialId,
		settings,
		parameters: {
			operation: 'scan',
			profile: 'sandbox-accept',
			branchOnDecision: true,
			...parameters,
		},
	});
	return workflowOf(
		[
			webhookNode('Start', { responseMode: 'onReceived' }),
			manualNode('By Hand'),
			...nodes,
			scan,
			...BRANCHES.map(branchNode),
		],
		[...connections, ['Image', SCAN], ['By Hand', SCAN], ...connectionsToBranches(SCAN)],
	);
}

async function scan(options: NodeOptions = {}, images = 1): Promise<Execution> {
	const workflow = await LiveWorkflow.start(api, scanWorkflow(options));
	await workflow.send('Start', imagesBody(Array.from({ length: images }, () => picture())));
	return await workflow.takeExecution();
}

const ranBranches = ({ data }: Execution) => BRANCHES.filter((branch) => branch in data);

it.each([
	['accept', 'Accept'],
	['lowConfidence', 'Review'],
	['expired', 'Reject'],
] as const)('a scan that ends as %s runs the branch %s alone', async (scenario, branch) => {
	await sandbox.setProfile('sandbox-accept', { scenario });

	const execution = await scan();

	expect(ranBranches(execution)).toEqual([branch]);
	expect(itemsOf(execution, branch)).toMatchObject([{ decision: branch.toLowerCase() }]);
});

describe('nothing reaches Accept', () => {
	it('of the input of a node that is disabled', async () => {
		const execution = await scan({ settings: { disabled: true } });

		expect(ranBranches(execution)).toEqual(['Review']);
		expect(await sandbox.requests()).toEqual([]);
	});

	it('of an item with an `error`, whose JSON n8n replaces without repeating the node, and it says whether it may be charged', async () => {
		await sandbox.fault({ on: 'scan', kind: 'serverError' });
		await sandbox.fault({ on: 'scan', kind: 'broken' });
		const settings = { ...CONTINUE, ...retryOnFail(3) };
		const parameters = { options: { maxParallelRequests: 1 } };
		const baseUrl = await unusedUrl();

		const failed = await scan({ settings, parameters }, 2);
		expect(await sandbox.requests()).toHaveLength(2);
		const unsent = await scan({
			settings,
			credentialId: await sandboxInN8n.saveCredential({ baseUrl }),
		});

		expect([failed, unsent].map(ranBranches)).toEqual([['Review'], ['Review']]);
		const errors = [failed, unsent]
			.flatMap((one) => itemsOf(one, 'Review'))
			.map(({ error }) => error);
		expect(errors).toEqual([
			expect.stringMatching(/status 500.*may have been processed and charged.*\[item 0\]/),
			expect.stringMatching(
				/^No answer from the service.*may have been processed and charged.*\[item 1\]/,
			),
			// Before 2.39, n8n doesn't say why there was no answer.
			expect.stringMatching(
				/(refused.*Nothing was charged|may have been processed and charged).*\[item 0\]/,
			),
		]);
	});

	it('of the empty item of Always Output Data', async () => {
		await sandbox.setProfile('sandbox-accept', { scenario: 'expired' });

		const execution = await scan({ settings: { alwaysOutputData: true } });

		expect(ranBranches(execution)).toEqual(['Review', 'Reject']);
	});

	it('of a pinned item', async () => {
		const workflow = { ...scanWorkflow(), pinData: { [SCAN]: [{ json: { decision: 'reject' } }] } };
		await api.saveWorkflow(workflow);

		const execution = await runInEditor(api, workflow, 'By Hand');

		expect(ranBranches(execution)).toEqual(['Review']);
		expect(await sandbox.requests()).toEqual([]);
	});

	it('of the pinned item of the trigger', async () => {
		const trigger = triggerNode('Trigger', { parameters: { authentication: 'none' } });
		const pinData = { Trigger: [{ json: fixture('webhook-reject-aml') }] };
		const nodes = [trigger, ...BRANCHES.map(branchNode)];
		const workflow = { ...workflowOf(nodes, connectionsToBranches('Trigger')), pinData };
		await api.saveWorkflow(workflow);

		const execution = await runInEditor(api, workflow, 'Trigger');

		expect(outputsTaken(execution, 'Trigger')).toEqual([0]);
		expect(ranBranches(execution)).toEqual(['Review']);
	});
});
