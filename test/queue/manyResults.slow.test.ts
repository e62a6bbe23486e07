import { deliverMany } from '../kit/n8n/delivery/delivery';
import { useCluster } from './support/cluster';

const cluster = useCluster();

describe('120 results get on once each in queue mode', () => {
	const usual = { count: 120, pauseMs: 800, secondsEach: 6 };

	it('when a worker is killed while they arrive', async () => {
		const { problems, unanswered, interrupted } = await cluster.deliverWhileWorkerIsKilled(120);

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
