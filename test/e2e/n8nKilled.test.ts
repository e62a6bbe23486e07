import pMap from 'p-map';

import type { SentWebhook } from '../../dev/sandbox/client';
import { itemsOf } from '../../dev/stack/execution';
import { poll } from '../../dev/stack/poll';
import { picture } from '../kit/data/picture';
import { sendUnanswered } from '../kit/n8n/delivery/delivery';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { MANY_EVENTS } from '../kit/n8n/ownN8n';
import { SCAN, START, imagesBody, startScans } from '../kit/n8n/scans';
import {
	CREATE,
	DEADLINE,
	TRIGGER,
	WAIT,
	branchesOf,
	flowOfPaths,
	startWaiting,
	undeliveredOf,
	untilStatus,
	waitingFlow,
} from '../kit/n8n/waitingFlow';
import type { Waiting } from '../kit/n8n/waitingFlow';
import { branchNode, requestNode, waitNode, webhookNode, workflowOf } from '../kit/n8n/workflow';
import { useReceiver } from '../kit/service/receiver';
import { sha256 } from '../kit/service/sandbox';
import { PROFILE, useKilledN8n } from './support/killedN8n';

jest.setTimeout(1_800_000);

const WAITING = 6;
const BUSY_SECONDS = 8;
const AN_HOUR = 3_600;

/** An endpoint of several parts, behind a proxy that removes a part of the path. */
const BEHIND_PROXY = (url: string) => ({
	...MANY_EVENTS,
	N8N_ENDPOINT_WEBHOOK_WAIT: 'hooks/waiting',
	N8N_WEBHOOK_URL: `${url}/n8n/`,
});

// Of its own, because it's killed.
const killed = useKilledN8n(BEHIND_PROXY);
const { n8n, sandbox, options } = killed;
const outside = useReceiver();
it('a result reaches its execution', async () => {
	const { api } = n8n;
	const flow = await LiveWorkflow.start(api, waitingFlow(options()));
	const { executionId, link } = await startWaiting(api, flow);

	await sandbox.finishLink(link.url, 'accept');

	expect(branchesOf(await untilStatus(api, executionId, 'success'))).toHaveProperty('Accept');
});

describe('after n8n was killed,', () => {
	const images = Array.from({ length: 3 }, () => picture());
	let scanId: string;
	/** Of what waits, and of what n8n interrupts just after delivery. */
	let waiting: Waiting[];
	let delivered: { executionId: string; sent: SentWebhook }[];

	beforeAll(async () => {
		const { api } = n8n;
		await sandbox.refuse(images[2]);
		const parameters = { options: { maxParallelRequests: 1 } };
		const { credentialId } = killed.way;
		const scans = await startScans(api, { credentialId, parameters });
		await scans.send(START, imagesBody(images));
		scanId = (await scans.takeExecution()).id;
		const flow = await LiveWorkflow.start(api, waitingFlow(options()));
		const applicants = Array.from({ length: WAITING }).keys();
		waiting = await pMap(applicants, async () => await startWaiting(api, flow), {
			concurrency: 1,
		});
		const branch = (name: string) => waitNode(name, 30);
		const interrupted = await pMap(['v0', 'v1'], async (order) => {
			const file = flowOfPaths(['Mail', 'Chat'], order, { ...options(), branch });
			return await startWaiting(api, await LiveWorkflow.start(api, file));
		});
		delivered = await pMap(interrupted, async ({ executionId, link }) => {
			return { executionId, sent: await sandbox.finishLink(link.url, 'accept') };
		});

		let isStarting = true;
		const started = n8n.crash().finally(() => (isStarting = false));
		for (const { link } of waiting) await sandbox.finishLink(link.url, 'expired');
		while (isStarting) await sendUnanswered(sandbox, PROFILE, { pauseMs: 50 });
		await started;
		await sendUnanswered(sandbox, PROFILE);
	});

	it('an execution that waits goes on with a result that is sent again, and n8n has recovered by then', async () => {
		for (const { executionId } of waiting) {
			// n8n lists as crashed what goes on before it has recovered.
			expect(branchesOf(await untilStatus(n8n.api, executionId, 'success'))).toEqual({
				Reject: [expect.objectContaining({ decision: 'reject', customData: 'applicant-1' })],
			});
		}
		expect(await killed.trigger.takeExecutions()).toEqual([]);
	});

	it('an execution that it interrupted just after delivery goes on when it is retried and n8n forwards all outputs', async () => {
		const { api } = n8n;
		for (const [index, { executionId, sent }] of delivered.entries()) {
			expect(sent.attempts.map(({ status }) => status)).toEqual([200]);
			await untilStatus(api, executionId, 'crashed');
			await sandbox.resend(sent);
			expect(undeliveredOf(await killed.trigger.takeExecution())).toEqual({
				Accept: [expect.objectContaining({ notDelivered: expect.any(String) as string })],
			});
			const withSavedWorkflow = index === 1;
			const retried = await api.retryExecution(executionId, withSavedWorkflow);
			expect(retried.status).toBe('success');
			expect(branchesOf(retried)).toEqual({
				Accept: [expect.objectContaining({ decision: 'accept', customData: 'applicant-1' })],
			});
		}
	});

	it("Retry finds what is paid in the node's context, and sends only what was refused again", async () => {
		const passed = await n8n.api.retryExecution(scanId);

		expect(passed.status).toBe('success');
		const ids = itemsOf(passed, SCAN).map(({ transactionId }) => transactionId);
		expect(new Set(ids).size).toBe(3);
		const digests = images.map(sha256);
		const documents = (await sandbox.documents()).filter((digest) => digests.includes(digest));
		expect(documents).toHaveLength(4);
	});
});

it('20 results get on once each when n8n is killed while they arrive', async () => {
	const { problems, unanswered, interrupted } = await killed.deliverWhileKilled(20);

	expect(problems).toEqual([]);
	expect(unanswered).toBeGreaterThan(0);
	expect(interrupted).toBeGreaterThan(0);
});

it('an n8n that is busy resumes an execution once with two copies, also if it waits again behind them', async () => {
	const { api } = n8n;
	await n8n.restart({ ...BEHIND_PROXY(n8n.url), N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' });
	const between = {
		nodes: [waitNode('Wait Again', AN_HOUR)],
		connections: [
			[CREATE, WAIT],
			['Accept', 'Wait Again'],
		] satisfies [string, string][],
	};
	const branch = (name: string) =>
		name === 'Accept' ? requestNode(name, `${outside.url}/accepted`) : branchNode(name);
	const flow = await LiveWorkflow.start(api, waitingFlow({ ...options(), between, branch }));
	const busy = await LiveWorkflow.start(
		api,
		workflowOf(
			[webhookNode('Start', { responseMode: 'onReceived' }), waitNode('Hold', BUSY_SECONDS)],
			[['Start', 'Hold']],
		),
	);
	const { executionId, link } = await startWaiting(api, flow);
	await sandbox.setProfile(PROFILE, { webhookUrl: killed.trigger.url(TRIGGER) });
	const refused = await sandbox.finishLink(link.url, 'accept');
	await sandbox.setProfile(PROFILE, { webhookUrl: killed.webhookUrl() });
	const before = (await killed.trigger.list()).length;

	await busy.send('Start', {});
	await Promise.all([sandbox.resend(refused), sandbox.resend(refused)]);

	await untilStatus(api, executionId, 'waiting');
	const copies = async () =>
		(await killed.trigger.list()).length - before + outside.received.length;
	await poll(async () => (await copies()) === 2 || undefined, {
		what: 'the copies to arrive',
		...DEADLINE,
	});
	expect(outside.received.map(({ request }) => request)).toEqual(['GET /accepted']);
});
