import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';

import type { SentWebhook } from '../../dev/sandbox/client';
import { deliverMany, sendUnanswered } from '../kit/n8n/delivery/delivery';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { MANY_EVENTS } from '../kit/n8n/ownN8n';
import {
	branchesOf,
	startWaiting,
	undeliveredOf,
	untilStatus,
	waitingFlow,
} from '../kit/n8n/waitingFlow';
import { useKilledN8n } from './support/killedN8n';

jest.setTimeout(1_800_000);

const FIVE_MINUTES = { timeoutMs: 300_000, intervalMs: 500 };

// Of its own, because it's killed.
const killed = useKilledN8n(MANY_EVENTS);
const { n8n, sandbox, options } = killed;
const statuses = ({ attempts }: SentWebhook) => attempts.map(({ status }) => status);

it('a wait that ends while n8n starts again after a kill ends at No Result', async () => {
	const { api } = n8n;
	// Longer than n8n takes to start: it calls crashed what it resumes before it has recovered.
	const wait = { waitUpTo: 3, waitUnit: 'minutes' };
	const flow = await LiveWorkflow.start(api, waitingFlow({ ...options(), wait }));
	const { executionId, link } = await startWaiting(api, flow, 'late');

	await n8n.crash();

	const { reference, url } = link;
	expect(branchesOf(await untilStatus(api, executionId, 'success', FIVE_MINUTES))).toEqual({
		'No Result': [{ decision: null, customData: 'late', reference, url }],
	});
});

it('120 results get on once each when n8n is killed while they arrive', async () => {
	const { problems, unanswered, interrupted } = await killed.deliverWhileKilled(120);

	expect(problems).toEqual([]);
	expect(unanswered).toBeGreaterThan(0);
	expect(interrupted).toBeGreaterThan(0);
});

it('results that arrive while n8n starts again are taken when it has recovered', async () => {
	const name = 'n8n-starting';
	const { problems, interrupted } = await deliverMany(killed.way, {
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
			NODE_OPTIONS: `--require "${join(n8n.folder, 'haste.cjs')}"`,
		});

	it('a result goes to the outputs of the trigger, and says what to do', async () => {
		const { api } = n8n;
		await restart([new URL(sandbox.url).host]);
		const flow = await LiveWorkflow.start(api, waitingFlow(options()));
		const { executionId, link } = await startWaiting(api, flow);
		// What earlier tests have left.
		await killed.trigger.takeExecutions();
		asked.clear();

		const sent = await sandbox.finishLink(link.url, 'accept');

		expect(statuses(sent)).toEqual([200]);
		expect(asked.size).toBeGreaterThan(0);
		expect(undeliveredOf(await killed.trigger.takeExecution())).toEqual({
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
