import { Traffic } from '../../dev/sandbox/model';
import type { Purpose } from '../../dev/sandbox/model';

const SCAN_PURPOSE: Purpose = { endpoint: 'scan', profile: 'one' };

describe('the time that a request takes', () => {
	const latencies = (traffic: Traffic, count: number, isLeft: boolean): number[] =>
		Array.from({ length: count }, () => {
			const admission = traffic.enter(0, SCAN_PURPOSE);
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

describe('what is refused', () => {
	const isTaken = (traffic: Traffic, now: number, purpose: Purpose) =>
		'latencyMs' in traffic.enter(now, purpose);

	it('is that of one profile, without a rate always', () => {
		const traffic = new Traffic({ quotas: [{ profile: 'one' }] });

		expect(isTaken(traffic, 0, SCAN_PURPOSE)).toBe(false);
		expect(isTaken(traffic, 9_000, { ...SCAN_PURPOSE, endpoint: 'hosted' })).toBe(false);
		expect(isTaken(traffic, 9_000, { ...SCAN_PURPOSE, profile: 'two' })).toBe(true);
	});

	it('is that of one endpoint beyond its rate, and all beyond that of the account', () => {
		const rate = { perSecond: 0.1, burst: 1, retryAfter: true };
		const quotas = [{ endpoint: 'hosted' as const, rate }];
		const traffic = new Traffic({ rate: { perSecond: 3, retryAfter: false }, quotas });
		const link: Purpose = { ...SCAN_PURPOSE, endpoint: 'hosted' };

		expect(isTaken(traffic, 0, link)).toBe(true);
		expect(traffic.enter(0, link)).toEqual({ retryAfterS: 10 });
		expect([1, 2, 3].map(() => isTaken(traffic, 0, SCAN_PURPOSE))).toEqual([true, true, false]);
	});
});
