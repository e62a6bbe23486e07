import { fixture } from '../kit/fixtures';
import { UNAVAILABLE } from '../kit/refusals';
import { itemsOf, outputsTaken } from '../../dev/stack/execution';
import { fetchN8n } from '../../dev/stack/fetchN8n';
import { openStack } from '../kit/n8n/handle';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { branchNode, setNode, triggerNode, workflowOf } from '../kit/n8n/workflow';
import type { Link, NodeOptions } from '../kit/n8n/workflow';

const TRIGGER = 'Verification Completed';
const BRANCHES = ['Review', 'Accept', 'Reject'];
const DECISIONS = ['review', 'accept', 'reject'];
const ALWAYS_OUTPUT_DATA = { alwaysOutputData: true };
const REFUSAL = "Turn off 'Always Output Data'";

const { api } = openStack();

/** Triggers that lead to the same three branches. */
function routingWorkflow(triggers: Record<string, NodeOptions> = { [TRIGGER]: {} }) {
	const nodes = Object.entries(triggers).map(([name, { parameters, settings }]) =>
		triggerNode(name, { parameters: { authentication: 'none', ...parameters }, settings }),
	);
	return workflowOf(
		[...nodes, ...BRANCHES.map(branchNode)],
		nodes.flatMap(({ name }) => BRANCHES.map((branch, output): Link => [name, branch, output])),
	);
}

describe('a result runs the branch of its decision and no other', () => {
	const triggers: Record<string, NodeOptions> = {
		'with no settings': {},
		'with Retry On Fail': { settings: { retryOnFail: true, maxTries: 3 } },
		'with On Error: Stop Workflow': { settings: { onError: 'stopWorkflow' } },
		'with On Error: Continue': { settings: { onError: 'continueRegularOutput' } },
		'with On Error: Continue (using error output)': {
			settings: { onError: 'continueErrorOutput' },
		},
		'with Execute Once': { settings: { executeOnce: true } },
		'with a note': { settings: { notes: 'A note', notesInFlow: true } },
		'with all of them': {
			settings: { retryOnFail: true, onError: 'continueErrorOutput', executeOnce: true },
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

		const executions = await workflow.newExecutions(DECISIONS.length);
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
		const file = workflowOf(
			[trigger, ...BRANCHES.map((branch) => setNode(branch, { found }))],
			BRANCHES.map((branch, output): Link => [TRIGGER, branch, output]),
			{ executionOrder },
		);
		const workflow = await LiveWorkflow.start(api, file);

		for (const [index, decision] of DECISIONS.entries()) {
			await workflow.send(TRIGGER, fixture('webhook-reject-aml', { decision }));
			const execution = await workflow.newExecution();
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
		const workflow = await LiveWorkflow.start(api, routingWorkflow());
		const [trigger, ...branches] = workflow.file.nodes;
		const nodes = [{ ...trigger, ...ALWAYS_OUTPUT_DATA }, ...branches];

		const change = LiveWorkflow.start(api, { ...workflow.file, nodes } as typeof workflow.file);
		const refusal = await change.then(() => undefined, String);
		// n8n 2 takes the new version without asking the trigger again; n8n 1 keeps the one before.
		if (refusal) {
			expect(refusal).toContain(REFUSAL);
			return;
		}

		for (const decision of DECISIONS) {
			const answer = await workflow.send(TRIGGER, fixture('webhook-reject-aml', { decision }));
			expect(answer).toEqual({ status: 503, body: JSON.stringify({ error: UNAVAILABLE }) });
		}
		expect(await workflow.newExecutions()).toEqual([]);
	});
});
