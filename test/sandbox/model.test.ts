import { Traffic } from '../../dev/sandbox/model';

describe('the time that a request takes', () => {
	const latencies = (traffic: Traffic, count: number, isLeft: boolean): number[] =>
		Array.from({ length: count }, () => {
			const admission = traffic.enter(0);
			if (isLeft) traffic.leave();
			return 'latencyMs' in admission ? admission.latencyMs : NaN;
		});

	it('has the tail that is asked for, the same for the same seed', () => {
		const run = (seed: number) =>
			latencies(new Traffic({ latency: { ms: 1_500, p99Ms: 4_000, seed } }), 10_000, true);
		const times = run(1).sort((a, b) => a - b);
		expect((times[5_000] ?? NaN) / 1_500).toBeCloseTo(1, 1);
		expect((times[9_900] ?? NaN) / 4_000).toBeCloseTo(1, 1);
		expect(run(2)).toEqual(run(2));
		expect(run(2)).not.toEqual(run(3));
	});

	it('grows with what is open', () => {
		const model = { latency: { ms: 100, seed: 1, knee: 10 } };
		const open = latencies(new Traffic(model), 20, false);
		expect(open[0]).toBeCloseTo(101);
		expect(open[9]).toBeCloseTo(200);
		expect(open[19]).toBeCloseTo(500);
		expect(latencies(new Traffic(model), 20, true)).toEqual(Array(20).fill(open[0]));
	});
});

it('refuses what is beyond the rate, and says when there is room again', () => {
	const traffic = new Traffic({ rate: { perSecond: 0.1, retryAfter: true } });

	expect(traffic.enter(0)).toEqual({ latencyMs: 0 });
	expect(traffic.enter(0)).toEqual({ retryAfterS: 10 });
	expect(traffic.enter(10_000)).toEqual({ latencyMs: 0 });
});
