import { fetchN8n } from '../../dev/stack/fetchN8n';
import { poll } from '../../dev/stack/poll';
import { listenJson } from '../kit/service/httpServer';
import { openStack } from '../kit/n8n/stack';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { DEADLINE, startFlow, untilStatus } from '../kit/n8n/waitingFlow';
import {
	branchNode,
	n8nNode,
	requestNode,
	waitNode,
	webhookNode,
	workflowOf,
} from '../kit/n8n/workflow';
import type { WorkflowNode } from '../kit/n8n/workflow';
import { useReceiver } from '../kit/service/receiver';
import { retryOnFail } from '../kit/settings';

// What n8n doesn't document and the package relies on: docs/architecture.md has the whole list.

const { api } = openStack();
const outside = useReceiver();

const AN_HOUR = 3_600;

describe("n8n's resume endpoint answers", () => {
	it('409 with "running" for an execution that runs', async () => {
		const { ask } = await startAt(waitNode('Hold', 5));

		expect(await ask()).toMatchObject({ status: 409, text: expect.stringContaining('running') });
	});

	it('409 with another text for an execution that has ended', async () => {
		const { id, ask } = await startAt(branchNode('Last'));
		await untilStatus(api, id, 'success');

		const { status, text } = await ask();
		expect(status).toBe(409);
		expect(text).not.toContain('running');
	});

	it('404 with "does not exist" for an execution that was deleted', async () => {
		const { id, ask } = await startAt(branchNode('Last'));
		await untilStatus(api, id, 'success');
		await api.deleteExecution(id);

		expect(await ask()).toMatchObject({
			status: 404,
			text: expect.stringContaining('does not exist'),
		});
	});

	it('404 with another text while another node waits', async () => {
		const { id, ask } = await startAt(waitNode('Another', AN_HOUR));
		await untilStatus(api, id, 'waiting');

		const { status, text } = await ask();
		expect(status).toBe(404);
		expect(text).not.toContain('does not exist');
	});

	it('307 while a form waits', async () => {
		const { id, ask } = await startAt(
			n8nNode('Form', 'wait', 1.1, { resume: 'form', formTitle: 'A form' }),
		);
		await untilStatus(api, id, 'waiting');

		expect((await ask()).status).toBe(307);
	});

	it('401 with "Invalid token" for another token', async () => {
		const { id, ask } = await startAt(waitNode('Another', AN_HOUR));
		await untilStatus(api, id, 'waiting');

		expect(await ask('0'.repeat(64))).toMatchObject({
			status: 401,
			text: expect.stringContaining('Invalid token'),
		});
	});
});

it('n8n runs a node with Retry On Fail again when its first item has an `error`', async () => {
	let tries = 0;
	const { url } = await listenJson(() => {
		tries += 1;
		return { body: { error: 'an error of the service' } };
	});
	const ask = { ...requestNode('Ask', url), ...retryOnFail(2) };
	const flow = await startFlowOf(ask);
	await flow.send('Start', {});
	await flow.takeExecution();

	expect(tries).toBe(2);
});

async function startFlowOf(...nodes: WorkflowNode[]): Promise<LiveWorkflow> {
	const all = [webhookNode('Start', { responseMode: 'onReceived' }), ...nodes];
	const connections = nodes.map(({ name }, index): [string, string] => [
		all[index]?.name ?? '',
		name,
	]);
	return await LiveWorkflow.start(api, workflowOf(all, connections));
}

/** Starts an execution that tells its token and then reaches a node. */
async function startAt(node: WorkflowNode) {
	const to = `={{ '${outside.url}/' + $execution.resumeUrl.split('signature=')[1] }}`;
	const flow = await startFlowOf(requestNode('Tell', to), node);
	const id = await startFlow(flow, {});
	const tell = await poll(async () => await Promise.resolve(outside.received[0]), {
		what: 'the token',
		...DEADLINE,
	});
	const own = tell.request.replace('GET /', '');
	return {
		id,
		async ask(token = own) {
			const path = `/webhook-waiting/${id}/identity-verification-result?signature=${token}`;
			const answer = await fetchN8n(api.url + path, { method: 'POST', redirect: 'manual' });
			return { status: answer.status, text: await answer.text() };
		},
	};
}
