import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';

import type { SentWebhook } from '../../../dev/sandbox/client';
import { poll } from '../../../dev/stack/poll';
import { deliverMany, sendUnanswered } from '../../kit/n8n/delivery/delivery';
import type { Way } from '../../kit/n8n/delivery/delivery';
import { openStack } from '../../kit/n8n/stack';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { MANY_EVENTS, useOwnN8n } from '../../kit/n8n/ownN8n';
import {
	CREATE,
	DEADLINE,
	TRIGGER,
	WAIT,
	branchesOf,
	flowOfPaths,
	startWaiting,
	triggerFlow,
	undeliveredOf,
	untilStatus,
	waitingFlow,
} from '../../kit/n8n/waitingFlow';
import { branchNode, requestNode, waitNode, webhookNode, workflowOf } from '../../kit/n8n/workflow';
import { useReceiver } from '../../kit/service/receiver';

jest.setTimeout(1_800_000);

const PROFILE = 'killed';
const BUSY_SECONDS = 8;
const AN_HOUR = 3_600;

const { sandbox, credential } = openStack();

// Of its own, because it's killed.
const n8n = useOwnN8n(MANY_EVENTS);
const outside = useReceiver();
let way: Way;
let trigger: LiveWorkflow;
let webhookUrl: string;

beforeAll(async () => {
	const { name, type, data } = credential;
	const { api, url } = n8n;
	const credentialId = await api.saveCredential({ name, type, data });
	const webhookSecret = String(data.webhookSecret);
	way = { sandbox, api, webhookUrl: url, credentialId, webhookSecret };
	trigger = await LiveWorkflow.start(api, triggerFlow(credentialId));
	webhookUrl = `${trigger.url(TRIGGER)}?secret=${webhookSecret}`;
	await sandbox.setProfile(PROFILE, { webhookUrl });
});

const options = () => ({ credentialId: way.credentialId, profile: PROFILE });

const statuses = ({ attempts }: SentWebhook) => attempts.map(({ status }) => status);

it('an execution that waits while n8n is killed goes on with a result that is sent again, or at No Result', async () => {
	const { api } = n8n;
	const flow = await LiveWorkflow.start(api, waitingFlow(options()));
	// Longer than n8n takes to start: it calls crashed what it resumes before it has recovered.
	const wait = { waitUpTo: 1, waitUnit: 'minutes' };
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
	expect(await trigger.takeExecutions()).toEqual([]);
});

it('an execution that n8n interrupts just after delivery goes on when it is retried and n8n forwards all outputs', async () => {
	const { api } = n8n;
	const branch = (name: string) => waitNode(name, 10);
	const start = async (order: string) => {
		const file = flowOfPaths(['Mail', 'Chat'], order, { ...options(), branch });
		return await startWaiting(api, await LiveWorkflow.start(api, file));
	};
	const waiting = [await start('v0'), await start('v1')];
	const sent: SentWebhook[] = [];
	for (const { link } of waiting) sent.push(await sandbox.finishLink(link.url, 'accept'));
	expect(sent.map(statuses)).toEqual([[200], [200]]);

	await n8n.crash();

	for (const [index, { executionId }] of waiting.entries()) {
		await untilStatus(api, executionId, 'crashed');
		await sandbox.resend(sent[index] as SentWebhook);
		expect(undeliveredOf(await trigger.takeExecution())).toEqual({
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

it('120 results get on once each when n8n is killed while they arrive', async () => {
	const { problems, unanswered, interrupted } = await deliverMany(way, {
		name: 'n8n-killed',
		count: 120,
		secondsEach: 3,
		pauseMs: 800,
		disturb: async () => await n8n.crash(),
	});

	expect(problems).toEqual([]);
	expect(unanswered).toBeGreaterThan(0);
	expect(interrupted).toBeGreaterThan(0);
});

it('results that arrive while n8n starts again are taken when it has recovered', async () => {
	const name = 'n8n-starting';
	const { problems, interrupted } = await deliverMany(way, {
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

	expect(problems).toEqual([]);
	// n8n lists as crashed what goes on before it has recovered.
	expect(interrupted).toBe(0);
});

it('an n8n that is busy resumes an execution once with two copies, also if it waits again behind them', async () => {
	const { api } = n8n;
	await n8n.restart({ ...MANY_EVENTS, N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' });
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
	await sandbox.setProfile(PROFILE, { webhookUrl: trigger.url(TRIGGER) });
	const refused = await sandbox.finishLink(link.url, 'accept');
	await sandbox.setProfile(PROFILE, { webhookUrl });
	const before = (await trigger.list()).length;

	await busy.send('Start', {});
	await Promise.all([sandbox.resend(refused), sandbox.resend(refused)]);

	await untilStatus(api, executionId, 'waiting');
	const copies = async () => (await trigger.list()).length - before + outside.received.length;
	await poll(async () => (await copies()) === 2 || undefined, {
		what: 'the copies to arrive',
		...DEADLINE,
	});
	expect(outside.received.map(({ request }) => request)).toEqual(['GET /accepted']);
});

it('a result reaches its execution at an endpoint of several parts, behind a proxy that removes a part of the path', async () => {
	const { api } = n8n;
	await n8n.restart({
		...MANY_EVENTS,
		N8N_ENDPOINT_WEBHOOK_WAIT: 'hooks/waiting',
		N8N_WEBHOOK_URL: `${n8n.url}/n8n/`,
	});
	await sandbox.setProfile(PROFILE, { webhookUrl });
	const flow = await LiveWorkflow.start(api, waitingFlow(options()));
	const { executionId, link } = await startWaiting(api, flow);

	await sandbox.finishLink(link.url, 'accept');

	expect(branchesOf(await untilStatus(api, executionId, 'success'))).toHaveProperty('Accept');
});

describe('with NODE_USE_ENV_PROXY and a proxy that never answers', () => {
	const asked = new Set<Socket>();
	const proxy = createServer((socket) => void asked.add(socket.on('error', () => undefined)));

	/** n8n waits three minutes for itself, which takes three seconds here. */
	const HASTE = `const { timeout } = AbortSignal;
		AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms === 180_000 ? 3_000 : ms);`;

	beforeAll(async () => {
		await once(proxy.listen(0, '127.0.0.1'), 'listening');
		await writeFile(join(n8n.folder, 'haste.cjs'), HASTE);
	});
	afterAll(async () => {
		for (const socket of asked) socket.destroy();
		await once(proxy.close(), 'close');
	});

	const restart = async (noProxy: string[]) =>
		await n8n.restart({
			...MANY_EVENTS,
			NODE_USE_ENV_PROXY: '1',
			HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
			NO_PROXY: noProxy.join(),
			NODE_OPTIONS: `--require ${join(n8n.folder, 'haste.cjs')}`,
		});

	it('a result goes to the outputs of the trigger, and says what to do', async () => {
		const { api } = n8n;
		await restart([new URL(sandbox.url).host]);
		const flow = await LiveWorkflow.start(api, waitingFlow(options()));
		const { executionId, link } = await startWaiting(api, flow);
		// What earlier tests have left.
		await trigger.takeExecutions();
		asked.clear();

		const sent = await sandbox.finishLink(link.url, 'accept');

		expect(statuses(sent)).toEqual([200]);
		expect(asked.size).toBeGreaterThan(0);
		expect(undeliveredOf(await trigger.takeExecution())).toEqual({
			Accept: [
				expect.objectContaining({
					notDelivered: expect.stringMatching(/could not be reached.*NO_PROXY/) as string,
				}),
			],
		});
		expect(await api.getExecution(executionId)).toMatchObject({ status: 'waiting' });
	});

	it('a result reaches its execution once that has been done', async () => {
		const { api } = n8n;
		await restart(['127.0.0.1']);
		const flow = await LiveWorkflow.start(api, waitingFlow(options()));
		const { executionId, link } = await startWaiting(api, flow);

		await sandbox.finishLink(link.url, 'accept');

		expect(branchesOf(await untilStatus(api, executionId, 'success'))).toHaveProperty('Accept');
	});
});
