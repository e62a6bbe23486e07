import { report } from '../kit/delivery/expectations';
import { deliverToWaiting } from '../kit/delivery/waiting';
import { sendWhileKilled, startQueueStack } from './queueStack';
import type { QueueStack } from './queueStack';

const WORKERS = ['worker1', 'worker2'] as const;

let stack: QueueStack;

beforeAll(async () => {
	stack = await startQueueStack();
});

afterAll(async () => await stack?.stop());

describe('executions that wait in queue mode', () => {
	it('go on at the output of each decision', async () => {
		const tally = await deliverToWaiting(stack, {
			name: 'waiting-undisturbed',
			count: 3,
			secondsEach: 0,
		});
		expect([tally.people, tally.problems]).toEqual([3, []]);
		expect([tally.unanswered, tally.interrupted, tally.alsoLeft]).toEqual([[], 0, []]);
	});

	it('outlive webhook processor and workers, and take results while no worker runs', async () => {
		const { cluster } = stack;
		const tally = await deliverToWaiting(stack, {
			name: 'waiting-without-workers',
			count: 6,
			secondsEach: 0,
			whileWaiting: async () => {
				for (const name of ['webhook', ...WORKERS] as const) await cluster.kill(name);
				await cluster.restart('webhook');
			},
			disturb: async () => {
				for (const name of WORKERS) await cluster.restart(name);
			},
		});
		report('No worker for a while', tally);
		expect([tally.people, tally.problems]).toEqual([6, []]);
		expect([tally.unanswered, tally.alsoLeft]).toEqual([[], []]);
		// n8n lists an execution that is queued as crashed when the worker starts that had begun it. The last third
		// came after that.
		expect(tally.interrupted).toBeLessThanOrEqual(4);
	});
});

describe('100 executions that wait in queue mode', () => {
	const many = { count: 100, secondsEach: 6 };

	it('go on once each when a worker is killed while their results arrive', async () => {
		const { cluster } = stack;
		const tally = await deliverToWaiting(stack, {
			...many,
			name: 'waiting-worker-killed',
			pauseMs: 800,
			disturb: async () => await cluster.kill('worker1'),
			// While a worker starts, it stores each execution that it has begun as it was some milliseconds before, over a
			// result that arrives in between. See "After a crash" in docs/running.md.
			whenSent: async () => await cluster.restart('worker1'),
		});
		report('A worker killed, and started again after the last result', tally);
		expect(tally.unanswered).toEqual([]);
		expect(tally.interrupted).toBeGreaterThan(0);
		expect([tally.people, tally.problems]).toEqual([100, []]);
	});

	it('go on once each when the webhook processor is killed while their results arrive', async () => {
		const tally = await sendWhileKilled(stack, 'webhook', async (sending) => {
			return await deliverToWaiting(stack, { ...many, name: 'waiting-webhook-killed', ...sending });
		});
		expect(tally.unanswered).not.toEqual([]);
		expect([tally.people, tally.problems]).toEqual([100, []]);
	});
});
