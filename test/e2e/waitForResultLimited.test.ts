import { poll } from '../../dev/stack/poll';
import { openStack } from '../kit/n8n/handle';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { MANY_EVENTS, useOwnN8n } from '../kit/n8n/ownN8n';
import {
	CREATE,
	DEADLINE,
	TRIGGER,
	WAIT,
	startWaiting,
	triggerFlow,
	untilStatus,
	waitingFlow,
} from '../kit/n8n/waitingFlow';
import { branchNode, requestNode, waitNode, webhookNode, workflowOf } from '../kit/n8n/workflow';
import { useReceiver } from '../kit/receiver';

const PROFILE = 'limited';
const BUSY_SECONDS = 8;
const AN_HOUR = 3_600;

const { sandbox, credential } = openStack();
const n8n = useOwnN8n({ ...MANY_EVENTS, N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' });
const outside = useReceiver();

it('an n8n that is busy resumes an execution once with two copies, also if it waits again behind them', async () => {
	const { api } = n8n;
	const { name, type, data } = credential;
	const credentialId = await api.saveCredential({ name, type, data });
	const trigger = await LiveWorkflow.start(api, triggerFlow(credentialId));
	const flow = await LiveWorkflow.start(
		api,
		waitingFlow({
			credentialId,
			profile: PROFILE,
			between: {
				nodes: [waitNode('Wait Again', AN_HOUR)],
				links: [
					[CREATE, WAIT],
					['Accept', 'Wait Again'],
				],
			},
			branch: (branch) =>
				branch === 'Accept' ? requestNode(branch, `${outside.url}/accepted`) : branchNode(branch),
		}),
	);
	const busy = await LiveWorkflow.start(
		api,
		workflowOf(
			[webhookNode('Start', { responseMode: 'onReceived' }), waitNode('Hold', BUSY_SECONDS)],
			[['Start', 'Hold']],
		),
	);
	const webhookUrl = trigger.url(TRIGGER);
	await sandbox.setProfile(PROFILE, { webhookUrl });
	const { executionId, link } = await startWaiting(api, flow);
	const refused = await sandbox.finishLink(link.url, 'accept');
	await sandbox.setProfile(PROFILE, {
		webhookUrl: `${webhookUrl}?secret=${String(data.webhookSecret)}`,
	});

	await busy.send('Start', {});
	await Promise.all([sandbox.resend(refused), sandbox.resend(refused)]);

	await untilStatus(api, executionId, 'waiting');
	const copies = async () => (await trigger.list()).length + outside.received.length;
	await poll(async () => (await copies()) === 2 || undefined, {
		what: 'the copies to arrive',
		...DEADLINE,
	});
	expect(outside.received.map(({ request }) => request)).toEqual(['GET /accepted']);
});
