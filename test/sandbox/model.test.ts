import { Traffic } from '../../dev/sandbox/model';
import { useFresh } from '../kit/sandbox';
import { SandboxUnderTest } from '../kit/sandboxUnderTest';

const client = useFresh(new SandboxUnderTest());

/** No request of a test comes so late that this rate lets another one in. */
const HARDLY_EVER = 0.001;

/** Longer than a test may take. */
const FOREVER_MS = 600_000;

describe.each(['scan', 'hosted'] as const)('on %s', (on) => {
	const send = async () => (on === 'scan' ? await client.scan() : await client.requestLink());

	it('takes no more than the rate allows, and bills no refusal', async () => {
		await client.setModel({ rate: { perSecond: HARDLY_EVER } });
		expect((await send()).status).toBe(200);
		const { billed } = await client.state();
		const refused = await send();
		expect(refused.status).toBe(429);
		expect(refused.headers.get('retry-after')).toBeNull();
		expect(await client.billed()).toBe(billed);
		const { requests } = await client.state();
		expect(requests).toMatchObject([{ status: 200 }, { status: 429, billed: 0 }]);
		expect(requests[1]?.bodyBytes).toBeGreaterThan(0);
	});
});

it('takes so many at once and no more', async () => {
	const own = await new SandboxUnderTest().start();
	await own.setModel({ maxOpen: 2, latency: { ms: FOREVER_MS } });
	const answers = Array.from({ length: 3 }, async () => await own.scan());
	const ends = Promise.allSettled(answers);
	expect((await Promise.race(answers)).status).toBe(429);
	await own.close();
	expect((await ends).filter(({ status }) => status === 'rejected')).toHaveLength(2);
});

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
