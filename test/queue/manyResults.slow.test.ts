import { deliverMany } from '../kit/n8n/delivery/delivery';
import { useCluster } from './support/cluster';

const cluster = useCluster();

describe('120 results get on once each in queue mode', () => {
	const usual = { count: 120, pauseMs: 800, secondsEach: 6 };

	it('when a worker is killed while they arrive', async () => {
		const { problems, unanswered, interrupted } = await deliverMany(cluster.way, {
			...usual,
			name: 'worker-killed',
			disturb: async () => await cluster.kill('worker1'),
			// A worker that starts reads the executions that it had begun, and stores them again some
			// milliseconds later. A result that arrives in between is lost, so all are sent before. See
			// "After a crash" in docs/running.md.
			whenSent: async () => await cluster.restart('worker1'),
		});

		expect(problems).toEqual([]);
		expect(unanswered).toBe(0);
		expect(interrupted).toBeGreaterThan(0);
	});

	it.each(['main', 'webhook'] as const)('when %s is killed while they arrive', async (killed) => {
		const { problems, unanswered } = await deliverMany(cluster.way, {
			...usual,
			name: `${killed}-killed`,
			disturb: async () => {
				await cluster.kill(killed);
				await cluster.restart(killed);
			},
		});

		expect(problems).toEqual([]);
		if (killed === 'webhook') expect(unanswered).toBeGreaterThan(0);
		else expect(unanswered).toBe(0);
	});

	it('when the webhook processor is killed while they wait', async () => {
		const { problems, unanswered } = await deliverMany(cluster.way, {
			...usual,
			name: 'webhook-killed-before',
			whileWaiting: async () => {
				await cluster.kill('webhook');
				await cluster.restart('webhook');
			},
		});

		expect(problems).toEqual([]);
		expect(unanswered).toBe(0);
	});
});
