import type { SentWebhook } from '../../dev/sandbox/client';
import type { Way } from '../kit/delivery/delivery';
import { report } from '../kit/delivery/expectations';
import { deliverToWaiting, sendUnanswered } from '../kit/delivery/waiting';
import { openStack } from '../kit/n8n/handle';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { MANY_EVENTS, useOwnN8n } from '../kit/n8n/ownN8n';
import {
	TRIGGER,
	branchesOf,
	flowOfWays,
	startWaiting,
	triggerFlow,
	undeliveredOf,
	untilStatus,
	waitingFlow,
} from '../kit/n8n/waitingFlow';
import { waitNode } from '../kit/n8n/workflow';

jest.setTimeout(1_800_000);

const PROFILE = 'killed';

const { sandbox, credential } = openStack();

// Of its own, because it's killed.
const n8n = useOwnN8n(MANY_EVENTS);
let way: Way;
let trigger: LiveWorkflow;

beforeAll(async () => {
	const { name, type, data } = credential;
	const { api, url: webhookUrl } = n8n;
	const credentialId = await api.saveCredential({ name, type, data });
	const webhookSecret = String(data.webhookSecret);
	way = { sandbox, api, webhookUrl, credentialId, webhookSecret };
	trigger = await LiveWorkflow.start(api, triggerFlow(credentialId));
	const url = `${trigger.url(TRIGGER)}?secret=${webhookSecret}`;
	await sandbox.setProfile(PROFILE, { webhookUrl: url });
});

const options = () => ({ credentialId: way.credentialId, profile: PROFILE });

const statuses = ({ attempts }: SentWebhook) => attempts.map(({ status }) => status);

it('an execution that waits while n8n is killed goes on with a result that is sent again, or at No Result', async () => {
	const { api } = n8n;
	const flow = await LiveWorkflow.start(api, waitingFlow(options()));
	const wait = { waitUpTo: 0.5, waitUnit: 'minutes' };
	const hasty = await LiveWorkflow.start(api, waitingFlow({ ...options(), wait }));
	const waiting = await startWaiting(api, flow);
	const late = await startWaiting(api, hasty, 'late');

	const started = n8n.crash();
	const sent = await sandbox.finishLink(waiting.link.url, 'expired');
	await started;

	expect(statuses(sent)).toEqual([null]);
	const { reference, url } = late.link;
	expect(branchesOf(await untilStatus(api, late.executionId, 'success'))).toEqual({
		'No Result': [{ decision: null, customData: 'late', reference, url }],
	});
	expect(await api.getExecution(waiting.executionId)).toMatchObject({ status: 'waiting' });
	await sandbox.resend(sent);
	expect(branchesOf(await untilStatus(api, waiting.executionId, 'success'))).toEqual({
		Reject: [expect.objectContaining({ decision: 'reject', customData: 'applicant-1' })],
	});
	expect(await trigger.newExecutions()).toEqual([]);
});

it.each([
	['in the legacy order', 'v0', false],
	['with the saved workflow', 'v1', true],
])(
	'an execution that n8n interrupts just after delivery goes on when it is retried and n8n forwards all outputs, %s',
	async (_, order, loadWorkflow) => {
		const { api } = n8n;
		const branch = (name: string) => waitNode(name, 10);
		const flow = await LiveWorkflow.start(
			api,
			flowOfWays(['Mail', 'Chat'], order, { ...options(), branch }),
		);
		const { executionId, link } = await startWaiting(api, flow);
		const sent = await sandbox.finishLink(link.url, 'accept');
		expect(statuses(sent)).toEqual([200]);

		await n8n.crash();

		await untilStatus(api, executionId, 'crashed');
		await sandbox.resend(sent);
		expect(undeliveredOf(await trigger.newExecution())).toEqual({
			Accept: [expect.objectContaining({ notDelivered: expect.any(String) as string })],
		});
		const retried = await api.retryExecution(executionId, loadWorkflow);
		expect(retried.status).toBe('success');
		expect(branchesOf(retried)).toEqual({
			Accept: [expect.objectContaining({ decision: 'accept', customData: 'applicant-1' })],
		});
	},
);

it('100 executions go on once each when n8n is killed while their results arrive', async () => {
	const tally = await deliverToWaiting(way, {
		name: 'waiting-killed',
		count: 100,
		secondsEach: 3,
		pauseMs: 800,
		disturb: async () => await n8n.crash(),
	});
	report('n8n killed and started again', tally);
	expect(tally.unanswered).not.toEqual([]);
	expect(tally.interrupted).toBeGreaterThan(0);
	expect([tally.people, tally.problems]).toEqual([100, []]);
});

it('results that arrive while n8n starts again are taken when it has recovered', async () => {
	const name = 'waiting-starting';
	const tally = await deliverToWaiting(way, {
		name,
		count: 50,
		secondsEach: 0,
		whileWaiting: async () => {
			let isStarting = true;
			const crash = n8n.crash().finally(() => (isStarting = false));
			while (isStarting) await sendUnanswered(sandbox, name, { pauseMs: 50 });
			await crash;
		},
	});
	report('Results while n8n starts', tally);
	expect([tally.people, tally.problems]).toEqual([50, []]);
	// n8n lists as crashed what goes on before it has recovered.
	expect(tally.interrupted).toBe(0);
});
