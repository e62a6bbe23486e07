import { randomUUID } from 'node:crypto';

import { createDatabase } from '../../dev/queue/services';
import type { Database } from '../../dev/queue/services';
import { itemsOf, outputsTaken } from '../../dev/stack/execution';
import type { Execution } from '../../dev/stack/execution';
import { freePorts } from '../../dev/stack/ports';
import { picture } from '../kit/data/picture';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { useOwnN8n } from '../kit/n8n/ownN8n';
import { PROFILE } from '../kit/n8n/results';
import { SCAN, imagesBody } from '../kit/n8n/scans';
import { useSandboxInN8n } from '../kit/n8n/sandboxInN8n';
import {
	CREATE,
	START,
	TRIGGER,
	WAIT,
	branchesOf,
	triggerFlow,
	untilStatus,
	waitingFlow,
} from '../kit/n8n/waitingFlow';
import {
	actionNode,
	branchNode,
	imageNodes,
	n8nNode,
	webhookNode,
	workflowOf,
} from '../kit/n8n/workflow';
import type { Connection } from '../kit/n8n/workflow';
import { CONTINUE, WEBHOOK_SECRET } from '../kit/settings';

// Engine 2.0 keeps its executions in a PostgreSQL database of its own; the rest of n8n stays as it
// is.

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const BRANCHES = ['Review', 'Accept', 'Reject'];
const ENGINE_2 = { engineType: 'v2' };

// Filled in before n8n starts.
const env: Record<string, string> = {};
let database: Database;

beforeAll(async () => {
	database = await createDatabase(`identity_verification_${randomUUID().slice(0, 8)}`);
	const [port, controlPlanePort] = await freePorts(2);
	Object.assign(env, {
		N8N_ENABLED_MODULES: 'engine-v2',
		N8N_ENGINE_DATABASE_URL: database.url,
		// 0.0.0.0 unless set.
		N8N_ENGINE_HOST: '127.0.0.1',
		N8N_ENGINE_PORT: String(port),
		N8N_ENGINE_CONTROL_PLANE_PORT: String(controlPlanePort),
	});
});
// After-hooks run in the order in which they're defined, and n8n has to end before its database.
const n8n = useOwnN8n(env);
afterAll(async () => await database.remove());
const sandboxInN8n = useSandboxInN8n(n8n, WEBHOOK_SECRET);
const { sandbox } = sandboxInN8n;

const errorOf = ({ data }: Execution, node: string) => data[node]?.[0]?.error?.message ?? '';

/** Expressions find no item over a Webhook node there: its items aren't paired. */
const flowOptions = () => ({
	credentialId: sandboxInN8n.credentialId,
	profile: PROFILE,
	create: { customData: '={{ $json.body.applicantId }}' },
});

async function startRoutedScans(
	settings: Record<string, unknown> = {},
	profile = 'sandbox-accept',
): Promise<LiveWorkflow> {
	const { nodes, connections } = imageNodes(START, 'Image');
	const scan = actionNode(SCAN, {
		credentialId: sandboxInN8n.credentialId,
		settings,
		parameters: {
			operation: 'scan',
			profile,
			branchOnDecision: true,
			options: { maxParallelRequests: 1 },
		},
	});
	const start = webhookNode(START, { responseMode: 'onReceived' });
	const toBranches = BRANCHES.map((name, output): Connection => [SCAN, name, output]);
	const file = workflowOf(
		[start, ...nodes, scan, ...BRANCHES.map((name) => branchNode(name))],
		[...connections, ['Image', SCAN], ...toBranches],
		ENGINE_2,
	);
	return await LiveWorkflow.start(n8n.api, file);
}

/** Three scans of which the last one is refused. */
async function scanThree(settings: Record<string, unknown> = {}): Promise<Execution> {
	const images = [picture(), picture(), picture()];
	await sandbox.refuse(images[2]);
	const flow = await startRoutedScans(settings);
	await flow.send(START, imagesBody(images));
	return await flow.takeExecution();
}

describe('a scan', () => {
	it.each([
		['sandbox-accept', 'Accept'],
		['sandbox-low-confidence', 'Review'],
		['sandbox-expired', 'Reject'],
	])('of the profile %s goes to %s alone', async (profile, branch) => {
		const flow = await startRoutedScans({}, profile);

		await flow.send(START, imagesBody([picture()]));

		const execution = await flow.takeExecution();
		expect(execution.id).toMatch(UUID_V7);
		expect(execution.status).toBe('success');
		expect(BRANCHES.filter((name) => execution.data[name])).toEqual([branch]);
	});

	// There, n8n stores only the message of an error.
	it('that fails names the paid ones in its message, and promises no Retry', async () => {
		const execution = await scanThree();

		expect(execution.status).toBe('error');
		expect(await sandbox.billed()).toBe(2);
		const message = errorOf(execution, SCAN);
		expect(message).not.toContain('Retry');
		expect(message).toMatch(/2 items are done and paid for \([0-9a-f]{32}, [0-9a-f]{32}\)/);
	});

	it('that fails in a node set to continue goes to Review with its error', async () => {
		const execution = await scanThree(CONTINUE);

		expect(execution.status).toBe('success');
		expect(itemsOf(execution, 'Accept')).toHaveLength(2);
		expect(itemsOf(execution, 'Review')).toEqual([
			{ error: expect.stringContaining('status 400') as string },
		]);
	});
});

describe('a link', () => {
	it.each(['stopWorkflow', 'continueRegularOutput'])(
		'with a Wait for Result behind it is refused, unpaid (%s)',
		async (onError) => {
			const file = waitingFlow(flowOptions());
			const nodes = file.nodes.map((node) => (node.name === CREATE ? { ...node, onError } : node));
			const settings = { executionOrder: 'v1', ...ENGINE_2 };
			const flow = await LiveWorkflow.start(n8n.api, { ...file, nodes, settings });

			await flow.send(START, { applicantId: 'applicant-1' });

			const execution = await flow.takeExecution();
			const [item] = itemsOf(execution, CREATE);
			const message = errorOf(execution, CREATE) || String(item?.error);
			expect(message).toMatch(/Engine 2\.0/);
			expect(message).not.toContain('Retry');
			expect(await sandbox.billed()).toBe(0);
			expect((await sandbox.state()).links).toEqual([]);
		},
	);

	// n8n runs what is called on its other engine, whatever that workflow's settings say.
	it('is waited for in a sub-workflow that nobody waits for', async () => {
		const trigger = await LiveWorkflow.start(n8n.api, triggerFlow(sandboxInN8n.credentialId));
		const webhookUrl = `${trigger.url(TRIGGER)}?secret=${WEBHOOK_SECRET}`;
		await sandbox.setProfile(PROFILE, { webhookUrl });
		const waiting = waitingFlow(flowOptions());
		const called = n8nNode(START, 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' });
		const last = branchNode('Last');
		const ends = workflowOf(
			[],
			['No Result', ...BRANCHES].map((name): Connection => [name, 'Last']),
		);
		const sub = await LiveWorkflow.start(n8n.api, {
			...waiting,
			nodes: [...waiting.nodes.map((node) => (node.name === START ? called : node)), last],
			connections: { ...(waiting.connections as object), ...(ends.connections as object) },
			settings: { executionOrder: 'v1', ...ENGINE_2 },
		});
		const call = n8nNode('Call', 'executeWorkflow', 1.2, {
			workflowId: { __rl: true, mode: 'id', value: sub.file.id },
			options: { waitForSubWorkflow: false },
		});
		const start = webhookNode(START, { responseMode: 'onReceived' });
		const flow = await LiveWorkflow.start(
			n8n.api,
			workflowOf([start, call], [[START, 'Call']], ENGINE_2),
		);

		await flow.send(START, { applicantId: 'applicant-1' });
		expect((await flow.takeExecution()).status).toBe('success');
		const [listed] = await sub.list();
		const waits = await untilStatus(n8n.api, listed?.id ?? '', 'waiting');
		expect(itemsOf(waits, WAIT)).toEqual([]);
		await sandbox.finishLink((await sandbox.state()).links.at(-1)?.url ?? '', 'accept');

		const execution = await untilStatus(n8n.api, waits.id, 'success');
		expect(Object.keys(branchesOf(execution))).toEqual(['Accept']);
		expect(await trigger.takeExecutions()).toEqual([]);
	});
});

describe('the trigger', () => {
	// n8n doesn't call `execute()` of a trigger there.
	it.each([
		['accept', 1],
		['lowConfidence', 0],
		['expired', 2],
	])('routes the scenario %s to output %i', async (scenario, output) => {
		const file = triggerFlow(sandboxInN8n.credentialId);
		const settings = { executionOrder: 'v1', ...ENGINE_2 };
		const trigger = await LiveWorkflow.start(n8n.api, { ...file, settings });
		const webhookUrl = `${trigger.url(TRIGGER)}?secret=${WEBHOOK_SECRET}`;
		await sandbox.setProfile(PROFILE, { webhookUrl });

		await sandbox.verify({ profile: PROFILE }, scenario);

		const execution = await trigger.takeExecution();
		expect(execution.id).toMatch(UUID_V7);
		expect(outputsTaken(execution, TRIGGER)).toEqual([output]);
	});
});
