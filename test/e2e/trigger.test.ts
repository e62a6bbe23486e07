import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';

import { itemsOf, outputsTaken } from '../../dev/stack/execution';
import { fetchN8n } from '../../dev/stack/fetchN8n';
import { fixture } from '../kit/data/fixtures';
import { NOT_AUTHENTICATED, UNAVAILABLE } from '../kit/engine/refusals';
import { openStack } from '../kit/n8n/stack';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import type { Answer } from '../kit/n8n/liveWorkflow';
import { useSandboxInN8n } from '../kit/n8n/sandboxInN8n';
import { branchNode, copyNode, setNode, triggerNode, workflowOf } from '../kit/n8n/workflow';
import type { Connection, NodeOptions } from '../kit/n8n/workflow';
import { CONTINUE, retryOnFail } from '../kit/settings';

const SECRET = `only-for-this-run-${randomUUID()}`;
const PROFILE = 'sandbox-onboarding';
const TRIGGER = 'Verification Completed';
const SECURED = 'Secured';
const UNSECURED = 'Without a Secret';
/** Gets what the secured trigger returns. */
const NEXT = 'Next';
const BRANCHES = ['Review', 'Accept', 'Reject'];
const DECISIONS = ['review', 'accept', 'reject'];
const ALWAYS_OUTPUT_DATA = { alwaysOutputData: true };
const REFUSAL = "Turn off 'Always Output Data'";

/** n8n's default for `N8N_PAYLOAD_SIZE_MAX`. */
const LIMIT = 16 * 1024 * 1024;

const REFUSED = { status: 401, body: JSON.stringify({ error: NOT_AUTHENTICATED }) };
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
const { sandbox } = sandboxInN8n;

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

it.each(['v0', 'v1'])(
	"a node behind each output finds the trigger's item, in the execution order %s",
	async (executionOrder) => {
		const trigger = triggerNode(TRIGGER, { parameters: { authentication: 'none' } });
		const found = `={{ $('${TRIGGER}').item.json.decision }}`;
		const nodes = [trigger, ...BRANCHES.map((branch) => setNode(branch, { found }))];
		const file = workflowOf(nodes, connectionsToBranches(TRIGGER), { executionOrder });
		const workflow = await LiveWorkflow.start(api, file);

		for (const [index, decision] of DECISIONS.entries()) {
			await workflow.send(TRIGGER, fixture('webhook-reject-aml', { decision }));
			const execution = await workflow.takeExecution();
			expect(execution.status).toBe('success');
			expect(outputsTaken(execution, TRIGGER)).toEqual([index]);
			expect(itemsOf(execution, BRANCHES[index] ?? '')).toEqual([{ found: decision }]);
		}
	},
);

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
		const parameters = { authentication: 'webhookSecret', output: 'raw' };
		const unsecured = `Credential ${randomUUID()}`;
		const withoutSecret = await sandboxInN8n.saveCredential({ webhookSecret: SECRET }, unsecured);
		workflow = await LiveWorkflow.start(
			api,
			workflowOf(
				[
					triggerNode(SECURED, { credentialId: sandboxInN8n.credentialId, parameters }),
					triggerNode(UNSECURED, { credentialId: withoutSecret, parameters }),
					copyNode(NEXT),
				],
				DECISIONS.map((_, output): Connection => [SECURED, NEXT, output]),
			),
		);
		// A trigger without a secret isn't published: it can only lose it later.
		await sandboxInN8n.saveCredential({ webhookSecret: '' }, unsecured);
	});

	interface Sent {
		headers?: Record<string, string>;
		query?: string;
		/**
		 * n8n answers it before all has come. On a connection that it closes then, its answer can get
		 * lost.
		 */
		isTooLarge?: boolean;
	}

	/** Bytes and streams go without a Content-Type unless one is given. */
	async function post(
		body: RequestInit['body'],
		{ headers = {}, query = `?secret=${SECRET}`, isTooLarge = false }: Sent = {},
	): Promise<Answer> {
		const request = { method: 'POST', headers, body, duplex: 'half' };
		const send = isTooLarge ? fetch : fetchN8n;
		const response = await send(workflow.url(SECURED) + query, request as RequestInit);
		return { status: response.status, body: await response.text() };
	}

	async function expectStarted(answer: Answer): Promise<void> {
		expect(answer).toEqual({ status: 200, body: '{"received":true}' });
		const execution = await workflow.takeExecution();
		expect(Object.keys(execution.data).sort()).toEqual([NEXT, SECURED].sort());
		expect(itemsOf(execution, NEXT)).toEqual([BODY]);
	}

	describe('takes', () => {
		it('what is sent to the webhook URL of a profile, with the secret in its query', async () => {
			const webhookUrl = `${workflow.url(SECURED)}?secret=${SECRET}`;
			await sandbox.setProfile(PROFILE, { webhookUrl });
			const sent = await sandbox.verify({ profile: PROFILE, customData: 'applicant-1' }, 'aml');

			expect(sent).toMatchObject({ attempts: [{ status: 200 }] });
			expect(itemsOf(await workflow.takeExecution(), NEXT)).toEqual([
				expect.objectContaining({ customData: 'applicant-1', decision: 'reject' }),
			]);
		});

		it('the secret in the header', async () => {
			const headers = { 'X-Webhook-Secret': SECRET };

			await expectStarted(await post(JSON_BYTES, { query: '', headers }));
		});

		it.each([
			'application/json',
			'Application/JSON; charset=UTF-8',
			'application/json ; charset=utf-8',
			'application/json, application/json',
			'application/vnd.api+json; charset=nonsense',
			'text/plain',
			'application/octet-stream; charset=binary',
			'application/x-www-form-urlencoded',
			'nonsense',
		])('JSON as %s', async (type) => {
			await expectStarted(await post(JSON_BYTES, { headers: { 'content-type': type } }));
		});

		it('JSON without a Content-Type, also packed', async () => {
			await expectStarted(await post(JSON_BYTES));
			const headers = { 'content-encoding': 'gzip' };
			await expectStarted(await post(gzipSync(JSON_BYTES), { headers }));
		});

		// n8n's own parser for XML refuses it first, as a rule: not always, after it has failed before.
		it('JSON as XML, unless it is unreadable for n8n itself', async () => {
			const headers = { 'content-type': 'application/xml' };
			const answer = await post(JSON_BYTES, { headers });

			if (answer.status === 200) await expectStarted(answer);
			else expect(answer.status).toBe(422);
		});
	});

	describe('starts nothing', () => {
		afterEach(async () => {
			expect(await workflow.takeExecutions()).toEqual([]);
			await expectStarted(await post(JSON_BYTES));
		});

		it.each([
			'',
			`?secret=${SECRET}x`,
			`?secret=wrong&secret=${SECRET}`,
			`?secret[]=${SECRET}`,
			`?other=${SECRET}`,
		])('with the query %j, whatever comes', async (query) => {
			const headers = { 'content-encoding': 'gzip' };

			expect(await post(JSON_BYTES, { query })).toEqual(REFUSED);
			expect(await post(JSON_BYTES, { query, headers })).toEqual(REFUSED);
			expect(await post(HUGE, { query, isTooLarge: true })).toEqual(REFUSED);
		});

		it.each(['', `?secret=${SECRET}`])(
			'when the credential has no secret any more: %j',
			async (query) => {
				expect(await workflow.send(UNSECURED, BODY, { query })).toEqual(REFUSED);
			},
		);

		it('by a form that holds the event', async () => {
			const form = new URLSearchParams({ event: 'hosted_conclusive', decision: 'accept' });

			expect(await post(form)).toEqual(UNREADABLE);
		});

		it('by multipart, which is not read', async () => {
			const form = new FormData();
			form.set('event', 'hosted_conclusive');

			expect(await post(form)).toEqual(UNREADABLE);
		});

		it.each([
			['with its length', HUGE, {}],
			['in chunks', Readable.toWeb(Readable.from([HUGE])) as ReadableStream, {}],
			['unpacked', gzipSync(HUGE), { 'content-encoding': 'gzip' }],
		])('by more than n8n takes, %s', async (_, body, headers) => {
			expect(await post(body, { headers, isTooLarge: true })).toEqual(TOO_LARGE);
		});

		it("by more than n8n takes, as JSON: n8n's own answer", async () => {
			const headers = { 'content-type': 'application/json' };
			const { status } = await post(HUGE, { headers, isTooLarge: true });

			expect(status).toBe(500);
		});
	});
});
