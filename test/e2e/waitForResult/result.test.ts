import { randomUUID } from 'node:crypto';

import type { SentWebhook } from '../../../dev/sandbox/client';
import { itemsOf } from '../../../dev/stack/execution';
import { fetchN8n } from '../../../dev/stack/fetchN8n';
import { marked, tellingValues } from '../../kit/data/personalValues';
import { openStack } from '../../kit/n8n/stack';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { addMember } from '../support/addMember';
import { PROFILE, notDeliveredItems, useResults } from '../../kit/n8n/results';
import { useSandboxInN8n } from '../../kit/n8n/sandboxInN8n';
import { Traces } from '../support/traces';
import {
	TRIGGER,
	branchesOf,
	through,
	createNode,
	startFlow,
	startWaiting,
	untilStatus,
	waitingFlow,
} from '../../kit/n8n/waitingFlow';
import { branchNode, setNode, triggerNode, waitNode } from '../../kit/n8n/workflow';
import { WEBHOOK_SECRET } from '../../kit/settings';

const stack = openStack();
const { api } = stack;
const sandboxInN8n = useSandboxInN8n(api, WEBHOOK_SECRET);
const { sandbox } = sandboxInN8n;
const results = useResults(api, sandboxInN8n);

const options = () => ({ credentialId: sandboxInN8n.credentialId, profile: PROFILE });

let flow: LiveWorkflow;

beforeAll(async () => {
	flow = await LiveWorkflow.start(api, waitingFlow(options()));
});

const lastAnswer = ({ attempts }: SentWebhook) => attempts.at(-1);

describe('a result', () => {
	it.each([
		['accept', 'Accept'],
		['lowConfidence', 'Review'],
		['expired', 'Reject'],
	] as const)('of the scenario %s resumes the execution at %s alone', async (scenario, branch) => {
		const { executionId, link } = await startWaiting(api, flow);

		const sent = await sandbox.finishLink(link.url, scenario);

		expect(lastAnswer(sent)).toMatchObject({ status: 200, body: '{"received":true}' });
		const execution = await untilStatus(api, executionId, 'success');
		expect(branchesOf(execution)).toEqual({
			[branch]: [
				expect.objectContaining({
					decision: branch.toLowerCase(),
					customData: 'applicant-1',
					reference: link.reference,
					fields: expect.any(Object) as object,
				}),
			],
		});
		expect(await results.trigger.takeExecutions()).toEqual([]);
	});

	it('that arrives before the workflow starts waiting is held until then', async () => {
		const slow = await LiveWorkflow.start(api, slowFlow(3));
		const executionId = await startFlow(slow, 'applicant-1');

		await sandbox.finishLink((await results.linkFor('applicant-1')).url, 'accept');

		const execution = await untilStatus(api, executionId, 'success');
		expect(Object.keys(branchesOf(execution))).toEqual(['Accept']);
		expect(await results.trigger.takeExecutions()).toEqual([]);
	});

	it("that arrives much earlier goes to the trigger's outputs, and is taken when it is sent again", async () => {
		const slow = await LiveWorkflow.start(api, slowFlow(20));
		const executionId = await startFlow(slow, 'applicant-1');

		const sent = await sandbox.finishLink((await results.linkFor('applicant-1')).url, 'expired');

		expect(await results.takeUndelivered()).toEqual({
			Reject: notDeliveredItems(/was not waiting/),
		});
		await untilStatus(api, executionId, 'waiting');
		await sandbox.resend(sent);
		const execution = await untilStatus(api, executionId, 'success');
		expect(Object.keys(branchesOf(execution))).toEqual(['Reject']);
		expect(await results.trigger.takeExecutions()).toEqual([]);
	});
});

it('an execution goes on waiting when somebody who knows its ID or even its token posts to it', async () => {
	const leaky = await LiveWorkflow.start(api, leakyFlow());
	const waiting = await startWaiting(api, leaky);
	const execution = await api.getExecution(waiting.executionId);
	const token = new URL(String(itemsOf(execution, 'Leak')[0]?.resumeUrl)).searchParams;
	const body = await results.finishUnheard(waiting.link.url, 'accept');
	const address = `${api.url}/webhook-waiting/${waiting.executionId}/identity-verification-result`;
	const signature = { 'x-identity-verification-signature': 'A'.repeat(43) };

	const attempts: [string, Record<string, string>][] = [
		[address, {}],
		[`${address}?signature=${'0'.repeat(64)}`, {}],
		[`${address}?${token}`, {}],
		[`${address}?${token}`, signature],
	];
	for (const [url, headers] of attempts) {
		const answer = await fetchN8n(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json', ...headers },
			body: JSON.stringify({ ...body, customData: 'applicant-1' }),
		});
		expect(answer.status).toBe(401);
	}

	const after = await api.getExecution(waiting.executionId);
	expect([after.status, branchesOf(after)]).toEqual(['waiting', {}]);
});

describe('a result is handed on', () => {
	it('to a workflow that was unpublished meanwhile', async () => {
		const unpublished = await LiveWorkflow.start(api, waitingFlow(options()));
		const { executionId, link } = await startWaiting(api, unpublished);
		await api.deactivate(unpublished.file.id);

		await sandbox.finishLink(link.url, 'accept');

		await untilStatus(api, executionId, 'success');
		expect(await results.trigger.takeExecutions()).toEqual([]);
	});

	it('to the workflow that has the trigger, too', async () => {
		const file = waitingFlow(options());
		const parameters = { authentication: 'webhookSecret' };
		const both = await LiveWorkflow.start(api, {
			...file,
			nodes: [...file.nodes, triggerNode(TRIGGER, { ...options(), parameters })],
		});
		await results.directResultsTo(both);
		const { executionId, link } = await startWaiting(api, both);

		await sandbox.finishLink(link.url, 'expired');

		const execution = await untilStatus(api, executionId, 'success');
		expect(Object.keys(branchesOf(execution))).toEqual(['Reject']);
		expect(await both.list()).toHaveLength(1);
	});

	it('with the Custom Data that the flow gave, and once: sent again, it says why', async () => {
		const customData = `"quotes" 'and' more.w1.漢字-😀`;
		const { executionId, link } = await startWaiting(api, flow, customData);

		const sent = await sandbox.finishLink(link.url, 'accept');

		const before = await untilStatus(api, executionId, 'success');
		expect(itemsOf(before, 'Accept')).toEqual([expect.objectContaining({ customData })]);
		await sandbox.resend(sent);
		expect(await results.takeUndelivered()).toEqual({
			Accept: notDeliveredItems(/continued without it/, { customData }),
		});
		expect(await api.getExecution(executionId)).toEqual(before);
	});

	it('without a trace of personal data when the Output is Decision Only', async () => {
		const careful = await LiveWorkflow.start(
			api,
			waitingFlow({ ...options(), wait: { output: 'decisionOnly' } }),
		);
		const { executionId, link } = await startWaiting(api, careful);
		const person = `person-${randomUUID()}`;
		const body = marked(await results.finishUnheard(link.url, 'aml'), person);
		expect(tellingValues(body).length).toBeGreaterThan(2);

		await results.send(body);

		const { Reject } = branchesOf(await untilStatus(api, executionId, 'success'));
		expect(Reject).toEqual([
			expect.objectContaining({
				warnings: [expect.objectContaining({ code: 'AML_SANCTION', decision: 'reject' })],
				details: expect.objectContaining({ warningCodes: ['AML_SANCTION'] }),
			}),
		]);
		expect((await Traces.in(stack.folder)).find([person])).toEqual([]);
	});
});

describe("a result goes to the trigger's outputs", () => {
	it('when the execution was stopped', async () => {
		const { executionId, link } = await startWaiting(api, flow);
		await api.stopExecution(executionId);

		await sandbox.finishLink(link.url, 'accept');

		expect(await results.takeUndelivered()).toEqual({ Accept: notDeliveredItems(/stopped/) });
		expect((await api.getExecution(executionId)).status).toBe('canceled');
	});

	it('when the execution was deleted', async () => {
		const { executionId, link } = await startWaiting(api, flow);
		await api.deleteExecution(executionId);

		await sandbox.finishLink(link.url, 'accept');

		expect(await results.takeUndelivered()).toEqual({
			Accept: notDeliveredItems(/has no such execution|stopped/),
		});
	});

	it('when n8n could not resume the execution, because a credential of its workflow was deleted', async () => {
		const member = await addMember(api);
		const save = async () =>
			await sandboxInN8n.saveCredential({ webhookSecret: WEBHOOK_SECRET }, undefined, member);
		const [credentialId, another] = [await save(), await save()];
		const branch = (name: string) =>
			name === 'Accept'
				? createNode(name, { ...options(), credentialId: another })
				: branchNode(name);
		const file = waitingFlow({ ...options(), credentialId, branch });
		const ofMember = await LiveWorkflow.start(member, file);
		const { executionId, link } = await startWaiting(member, ofMember);
		await member.delete(`/credentials/${another}`);

		const sent = await sandbox.finishLink(link.url, 'accept');

		expect(lastAnswer(sent)).toMatchObject({ status: 200 });
		expect(await results.takeUndelivered()).toEqual({
			Accept: notDeliveredItems(/could not resume/),
		});
		expect((await member.getExecution(executionId)).status).toBe('error');
	});
});

/** Waits in another node before its Wait for Result. */
function slowFlow(seconds: number) {
	return waitingFlow({ ...options(), between: through(waitNode('Slow', seconds)) });
}

/** Shows the token that resumes it. */
function leakyFlow() {
	return waitingFlow({
		...options(),
		between: through(setNode('Leak', { resumeUrl: '={{ $execution.resumeUrl }}' })),
	});
}
