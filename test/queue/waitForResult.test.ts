import type { ProcessName } from '../../dev/queue/cluster';
import { expectEachGoneOn, report } from '../kit/delivery/expectations';
import { deliverToWaiting } from '../kit/delivery/waiting';
import type { WaitingTally } from '../kit/delivery/waitingTally';
import { sendWhileKilled, startQueueStack } from './queueStack';
import type { QueueStack } from './queueStack';

const WORKERS = ['worker1', 'worker2'] as const;

let stack: QueueStack;

beforeAll(async () => {
	stack = await startQueueStack();
});

afterAll(async () => await stack?.stop());

async function deliverWhileKilled(killed: ProcessName): Promise<WaitingTally> {
	const name = `waiting-${killed}-killed`;
	return await sendWhileKilled(
		stack,
		killed,
		async (sending) =>
			await deliverToWaiting(stack, { name, count: 200, secondsEach: 6, ...sending }),
	);
}

describe('executions that wait in queue mode', () => {
	it('go on at the output of each decision', async () => {
		const tally = await deliverToWaiting(stack, {
			name: 'waiting-undisturbed',
			count: 3,
			secondsEach: 0,
		});
		expectEachGoneOn(tally, 3);
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
		expectEachGoneOn(tally, 6);
		expect([tally.unanswered, tally.alsoLeft]).toEqual([[], []]);
		// n8n lists an execution that is queued as crashed when the worker starts that had begun it. The last third
		// came after that.
		expect(tally.interrupted).toBeLessThanOrEqual(4);
	});
});

describe('200 executions that wait in queue mode', () => {
	it('go on once each when a worker is killed while their results come', async () => {
		const tally = await deliverWhileKilled('worker1');
		expect(tally.unanswered).toEqual([]);
		expect(tally.interrupted).toBeGreaterThan(0);
		expectEachGoneOn(tally, 200);
	});

	it('go on once each when the webhook processor is killed while their results come', async () => {
		const tally = await deliverWhileKilled('webhook');
		expect(tally.unanswered).not.toEqual([]);
		expectEachGoneOn(tally, 200);
	});
});
