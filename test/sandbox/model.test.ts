import { Traffic } from '../../dev/sandbox/model';
import { useFresh } from '../kit/sandbox';
import { SandboxUnderTest, eventually } from '../kit/sandboxUnderTest';

const client = useFresh(new SandboxUnderTest());

/** No request of a test comes so late that this rate lets another one in. */
const HARDLY_EVER = 0.001;

/** Longer than a test may take. */
const FOREVER_MS = 600_000;

async function statuses(answers: Promise<Response>[]): Promise<number[]> {
	return (await Promise.all(answers)).map(({ status }) => status).sort();
}

function scans(count: number): Promise<Response>[] {
	return Array.from({ length: count }, async () => await client.scan());
}

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

	it('answers no sooner than its latency', async () => {
		await client.setModel({ latency: { ms: 300 } });
		const start = performance.now();
		expect((await send()).status).toBe(200);
		expect(performance.now() - start).toBeGreaterThanOrEqual(290);
	});
});

it('takes a burst, and then says in whole seconds when to come back', async () => {
	await client.setModel({ rate: { perSecond: HARDLY_EVER, burst: 3, retryAfter: true } });
	expect(await statuses(scans(5))).toEqual([200, 200, 200, 429, 429]);
	const seconds = (await client.scan()).headers.get('retry-after');
	expect(seconds).toMatch(/^\d+$/);
	expect(Number(seconds)).toBeGreaterThan(900);
	expect(Number(seconds)).toBeLessThanOrEqual(1_000);
});

it('takes as many requests as one second allows when it has rested', async () => {
	await client.setModel({ rate: { perSecond: 3 } });
	expect(await statuses(scans(3))).toEqual([200, 200, 200]);
});

it('has room again as time goes on', async () => {
	await client.setModel({ rate: { perSecond: 20 } });
	await Promise.all(scans(30));
	await eventually(async () => ((await client.scan()).status === 200 ? true : undefined));
});

it('changes its rate in the middle', async () => {
	const change = { after: 2, perSecond: HARDLY_EVER };
	await client.setModel({ rate: { perSecond: 1_000, change } });
	expect(await statuses(scans(6))).toEqual([200, 200, 200, 429, 429, 429]);
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

it('counts a request as open until its answer, whatever that is', async () => {
	await client.setModel({ maxOpen: 1 });
	await client.fault({ on: 'scan', kind: 'serverError', times: 2 });
	for (let time = 0; time < 2; time++) expect((await client.scan()).status).toBe(500);
	expect((await client.scan({ profile: 'unknown' })).status).toBe(404);
	expect((await client.scan()).status).toBe(200);
});

it('is as before after a reset', async () => {
	await client.setModel({ rate: { perSecond: HARDLY_EVER }, maxOpen: 1 });
	await client.reset();
	expect(await statuses(scans(5))).toEqual([200, 200, 200, 200, 200]);
});

it.each([
	{ latency: { ms: -1 } },
	{ latency: { ms: 1, p99: 3 } },
	{ rate: { perSecond: 0 } },
	{ rate: { burst: 3 } },
	{ maxOpen: 0.5 },
	{ speed: 3 },
])('refuses %j', async (model) => {
	expect((await client.control('PUT', 'model', model)).status).toBe(400);
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
