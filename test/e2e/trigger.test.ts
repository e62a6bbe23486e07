import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';

import { itemsOf, outputsTaken } from '../../dev/stack/execution';
import { fetchN8n } from '../../dev/stack/fetchN8n';
import { fixture } from '../kit/data/fixtures';
import { UNAVAILABLE } from '../kit/engine/refusals';
import { openStack } from '../kit/n8n/stack';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import type { Answer } from '../kit/n8n/liveWorkflow';
import { useSandboxInN8n } from '../kit/n8n/sandboxInN8n';
import { branchNode, copyNode, triggerNode, workflowOf } from '../kit/n8n/workflow';
import type { Connection, NodeOptions } from '../kit/n8n/workflow';
import { CONTINUE, retryOnFail } from '../kit/settings';

const SECRET = `only-for-this-run-${randomUUID()}`;
const TRIGGER = 'Verification Completed';
const SECURED = 'Secured';
/** Gets what the secured trigger returns. */
const NEXT = 'Next';
const BRANCHES = ['Review', 'Accept', 'Reject'];
const DECISIONS = ['review', 'accept', 'reject'];
const ALWAYS_OUTPUT_DATA = { alwaysOutputData: true };
const REFUSAL = "Turn off 'Always Output Data'";

/** n8n's default for `N8N_PAYLOAD_SIZE_MAX`. */
const LIMIT = 16 * 1024 * 1024;

const TOO_LARGE = { status: 413, body: '{"error":"The webhook is larger than n8n accepts"}' };
const UNREADABLE = {
	status: 400,
	body: JSON.stringify({
		error: 'Not a readable webhook',
		problems: [{ path: '', problem: 'is not a JSON object' }],
	}),
};

const BODY = fixture('webhook-accept', { customData: 'Zoë-漢字' });
const JSON_BYTES = Buffer.from(JSON.stringify(BODY));
const HUGE = Buffer.alloc(LIMIT + 1, ' ');

const { api } = openStack();
const sandboxInN8n = useSandboxInN8n(api, SECRET);

const connectionsToBranches = (trigger: string): Connection[] =>
	BRANCHES.map((branch, output) => [trigger, branch, output]);

/** Triggers that lead to the same three branches. */
function routingWorkflow(triggers: Record<string, NodeOptions>) {
	const nodes = Object.entries(triggers).map(([name, { settings }]) =>
		triggerNode(name, { parameters: { authentication: 'none' }, settings }),
	);
	const connections = nodes.flatMap(({ name }) => connectionsToBranches(name));
	return workflowOf([...nodes, ...BRANCHES.map((name) => branchNode(name))], connections);
}

describe('a result runs the branch of its decision and no other', () => {
	const triggers: Record<string, NodeOptions> = {
		'with no settings': {},
		'with On Error: Stop Workflow': { settings: { onError: 'stopWorkflow' } },
		'with On Error: Continue': { settings: CONTINUE },
		'with Retry On Fail, an error output and Execute Once': {
			settings: { ...retryOnFail(3), onError: 'continueErrorOutput', executeOnce: true },
		},
	};
	let workflow: LiveWorkflow;

	beforeAll(async () => {
		workflow = await LiveWorkflow.start(api, routingWorkflow(triggers));
	});

	it.each(Object.keys(triggers))('%s', async (name) => {
		for (const decision of DECISIONS) {
			const { status } = await workflow.send(name, fixture('webhook-reject-aml', { decision }));
			expect(status).toBe(200);
		}

		const executions = await workflow.takeExecutions(DECISIONS.length);
		expect(executions.map((execution) => outputsTaken(execution, name))).toEqual([[0], [1], [2]]);
		expect(executions.map(({ data }) => Object.keys(data))).toEqual(
			BRANCHES.map((branch) => [name, branch]),
		);
	});
});

describe('Always Output Data', () => {
	it('is refused when the workflow is activated, and no webhook is taken', async () => {
		const file = routingWorkflow({ [TRIGGER]: { settings: ALWAYS_OUTPUT_DATA } });

		const start = LiveWorkflow.start(api, file);

		await expect(start).rejects.toThrow(REFUSAL);
		const [trigger] = file.nodes;
		const answer = await fetchN8n(`${api.url}/webhook/${trigger?.webhookId}/webhook`, {
			method: 'POST',
			body: JSON.stringify(fixture('webhook-reject-aml')),
			headers: { 'content-type': 'application/json' },
		});
		expect(answer.status).toBe(404);
	});

	it('is refused for each webhook when it is turned on in an active workflow', async () => {
		const workflow = await LiveWorkflow.start(api, routingWorkflow({ [TRIGGER]: {} }));
		const [trigger, ...branches] = workflow.file.nodes;
		const nodes = [{ ...trigger, ...ALWAYS_OUTPUT_DATA }, ...branches];

		const change = LiveWorkflow.start(api, { ...workflow.file, nodes } as typeof workflow.file);
		const refusal = await change.then(() => undefined, String);
		// n8n 2 takes the new version without asking the trigger again; n8n 1 keeps the one before.
		if (refusal) {
			expect(refusal).toContain(REFUSAL);
			return;
		}

		const answer = await workflow.send(TRIGGER, fixture('webhook-accept'));
		expect(answer).toEqual({ status: 503, body: JSON.stringify({ error: UNAVAILABLE }) });
		expect(await workflow.takeExecutions()).toEqual([]);
	});
});

describe('a trigger with a webhook secret', () => {
	let workflow: LiveWorkflow;

	beforeAll(async () => {
		const { credentialId } = sandboxInN8n;
		const parameters = { authentication: 'webhookSecret', output: 'raw' };
		workflow = await LiveWorkflow.start(
			api,
			workflowOf(
				[triggerNode(SECURED, { credentialId, parameters }), copyNode(NEXT)],
				DECISIONS.map((_, output): Connection => [SECURED, NEXT, output]),
			),
		);
	});

	/** Bytes go without a Content-Type unless one is given. */
	async function post(
		body: RequestInit['body'],
		headers: Record<string, string> = {},
		send = fetchN8n,
	): Promise<Answer> {
		const url = `${workflow.url(SECURED)}?secret=${SECRET}`;
		const response = await send(url, { method: 'POST', headers, body });
		return { status: response.status, body: await response.text() };
	}

	async function expectStarted(answer: Answer): Promise<void> {
		expect(answer).toEqual({ status: 200, body: '{"received":true}' });
		const execution = await workflow.takeExecution();
		expect(Object.keys(execution.data).sort()).toEqual([NEXT, SECURED].sort());
		expect(itemsOf(execution, NEXT)).toEqual([BODY]);
	}

	describe('takes', () => {
		it('JSON without a Content-Type, also packed', async () => {
			await expectStarted(await post(JSON_BYTES));
			await expectStarted(await post(gzipSync(JSON_BYTES), { 'content-encoding': 'gzip' }));
		});

		// n8n parses these itself.
		it.each(['text/plain', 'application/x-www-form-urlencoded'])('JSON as %s', async (type) => {
			await expectStarted(await post(JSON_BYTES, { 'content-type': type }));
		});
	});

	describe('starts nothing', () => {
		afterEach(async () => {
			expect(await workflow.takeExecutions()).toEqual([]);
			await expectStarted(await post(JSON_BYTES));
		});

		it('by a form that holds the event', async () => {
			const form = new URLSearchParams({ event: 'hosted_conclusive', decision: 'accept' });

			expect(await post(form)).toEqual(UNREADABLE);
		});

		// n8n answers it before all has come. On a connection that it closes then, its answer can get
		// lost.
		it('by more than n8n takes, unpacked', async () => {
			const headers = { 'content-encoding': 'gzip' };

			expect(await post(gzipSync(HUGE), headers, fetch)).toEqual(TOO_LARGE);
		});
	});
});
