import { steady } from './support/publishedServices';
import type { Limits, ServiceModel } from './support/simulatedService';
import type { RequestEnd } from '../../nodes/IdentityVerification/transport/pace/gate';
import { simulateRuns } from './support/simulation';
import type { Done, Plan, Result } from './support/simulation';

// Whom a 429 holds up, by a simulated clock: first what was refused, an endpoint with a profile; all requests only
// when others are refused as well. The four rows of the benchmark, whole, and what could go wrong with such a law.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const GOOD = 'scan, profile in its quota';
const OVER = 'scan, profile over its quota';
const LINK = 'link';

const never: Limits = { perSecond: () => 0 };

/** Profiles over their quota begin with `OVER`; links are limited to 6 a minute. */
const service = (limits: Limits = {}): ServiceModel =>
	steady(200, {
		limitsOf: (lane) => {
			if (lane.startsWith(OVER)) return never;
			return lane === LINK ? { perSecond: () => 0.1, burst: 6 } : undefined;
		},
		...limits,
	});

/** Executions of one item each. */
function executions(lanes: string[], everyMs: number, plan: Partial<Plan> = {}): Plan[] {
	return lanes.map((lane, index) => ({ ...plan, lanes: [lane], beginsAt: index * everyMs }));
}

/** As many, of which this share is over the quota; the same ones each time. */
function lanesWith(share: number, over: (index: number) => string, count = 1_200): string[] {
	let state = 7;
	return Array.from({ length: count }, (_, index) => {
		state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
		return state / 2 ** 32 < share ? over(index) : GOOD;
	});
}

/** How long they took, in milliseconds, the fastest first. */
function timesOf({ done }: Result, pick: (item: Done) => boolean): number[] {
	const times = done.filter(pick).map(({ beganAt, endedAt }) => endedAt - beganAt);
	return times.sort((a, b) => a - b);
}

const at = (times: number[], share: number) => times[Math.floor(share * times.length)] ?? NaN;
const isGood = ({ lane }: Done) => lane === GOOD;
const isLink = ({ lane }: Done) => lane === LINK;
const isOver = ({ lane }: Done) => lane.startsWith(OVER);

/** The longest wait between two tries of a lane. */
const ONE_MORE_ANSWER = 31 * SECOND;

describe('executions over the quota of their profile, one execution a second', () => {
	it.each([
		['10 % with one profile', 0.1, () => OVER, 1],
		['30 % with one profile', 0.3, () => OVER, 1],
		// Each new profile may be the account's limit, so they share its waits.
		['10 % with a profile each', 0.1, (index: number) => `${OVER} ${index}`, 3],
		['30 % with a profile each', 0.3, (index: number) => `${OVER} ${index}`, 3],
	])('%s: the others hardly wait, and the refused ones end', (_name, share, over, waits) => {
		const patienceMs = MINUTE;
		const plans = executions(lanesWith(share, over), SECOND, { patienceMs });
		const alone = simulateRuns(
			service(),
			executions(
				lanesWith(share, over).filter((lane) => lane === GOOD),
				SECOND,
			),
		);

		const run = simulateRuns(service(), plans);

		const others = timesOf(run, isGood);
		expect(at(others, 0.5)).toBeLessThan(1.5 * at(timesOf(alone, isGood), 0.5));
		expect(at(others, 0.9)).toBeLessThan(1.5 * at(timesOf(alone, isGood), 0.9));
		expect(run.done.filter(isGood).every(({ isAccepted }) => isAccepted)).toBe(true);
		const refused = timesOf(run, isOver);
		expect(refused[0]).toBeGreaterThan(patienceMs);
		expect(refused.at(-1)).toBeLessThan(patienceMs + waits * ONE_MORE_ANSWER);
	});

	it('the same while the whole account is limited as well', () => {
		const plans = executions(
			lanesWith(0.1, () => OVER),
			SECOND,
		);

		const run = simulateRuns(service({ perSecond: () => 2 }), plans);

		expect(at(timesOf(run, isGood), 0.95)).toBeLessThan(1.5 * 200);
	});

	it('one document that is refused each time ends, also when others only come now and then', () => {
		const plans = executions(Array<string>(60).fill(GOOD), 20 * SECOND);
		const batch = { lanes: Array<string>(30).fill(OVER), beginsAt: 5 * SECOND };

		const run = simulateRuns(service(), [...plans, batch]);

		expect(at(timesOf(run, isGood), 0.95)).toBeLessThan(1.5 * 200);
		expect(timesOf(run, isOver).at(-1)).toBeLessThan(5 * MINUTE + ONE_MORE_ANSWER);
	});
});

describe('scans beside links whose endpoint is down', () => {
	const scans = Array<string>(3_000).fill(GOOD);
	const links = (everyMs: number) => executions(Array<string>(600).fill(LINK), everyMs);
	const timeOf = (run: Result) =>
		Math.max(...run.done.filter(isGood).map(({ endedAt }) => endedAt));
	const down = (failure: RequestEnd): ServiceModel => ({
		...service(),
		failureOf: (lane) => (lane === LINK ? failure : undefined),
	});

	it.each([1, 10])('a batch takes hardly longer if a link fails every %d s', (seconds) => {
		const batch = { lanes: scans, beginsAt: 0 };
		const alone = timeOf(simulateRuns(service(), [batch]));

		const run = simulateRuns(down({ kind: 'failed' }), [batch, ...links(seconds * SECOND)]);

		// The first failure counts: it could have been the service.
		expect(timeOf(run)).toBeLessThan(1.6 * alone);
		expect(run.done.filter(isGood).every(({ isAccepted }) => isAccepted)).toBe(true);
	});

	it('a pause that it asks for holds up no scan', () => {
		const plans = executions(Array<string>(600).fill(GOOD), SECOND);
		const failure: RequestEnd = { kind: 'failed', retryAfterMs: 30 * SECOND };

		const run = simulateRuns(down(failure), [...plans, ...links(10 * SECOND)]);

		expect(at(timesOf(run, isGood), 0.95)).toBeLessThan(1.5 * 200);
		expect(run.done.filter(isGood).every(({ isAccepted }) => isAccepted)).toBe(true);
	});
});

describe('scans beside links whose endpoint accepts 6 a minute', () => {
	const scans = () => executions(Array<string>(300).fill(GOOD), SECOND);
	const links = Array<string>(20).fill(LINK);

	it.each([
		['20 executions', 0, executions(links, 0)],
		['a batch', 30 * SECOND, [{ lanes: links, beginsAt: 30 * SECOND }]],
		['a batch that was there first', 0, [{ lanes: links }]],
	])('%s: the scans hardly wait, and all links are created', (_name, beginsAt, plans) => {
		const delayed = scans().map((plan) => ({
			...plan,
			beginsAt: (plan.beginsAt ?? 0) + (beginsAt === 0 ? 20 * SECOND : 0),
		}));
		const alone = simulateRuns(service(), delayed);

		const run = simulateRuns(service(), [...plans, ...delayed]);

		for (const share of [0.5, 0.95]) {
			expect(at(timesOf(run, isGood), share)).toBeLessThan(1.5 * at(timesOf(alone, isGood), share));
		}
		expect(run.done.filter(isLink).every(({ isAccepted }) => isAccepted)).toBe(true);
		// At best, 14 of them take 140 s.
		expect(timesOf(run, isLink).at(-1)).toBeLessThan(1.1 * 140 * SECOND);
	});

	it('beside a batch of scans, too', () => {
		const batch = { lanes: Array<string>(2_000).fill(GOOD) };
		const alone = simulateRuns(service(), [batch]);

		const run = simulateRuns(service(), [batch, ...executions(links, 0)]);

		const lastScan = Math.max(...run.done.filter(isGood).map(({ endedAt }) => endedAt));
		expect(lastScan).toBeLessThan(1.25 * alone.ms);
	});
});

describe('a batch of 20 profiles where the whole account is limited', () => {
	const mixed = (count: number) => Array.from({ length: count }, (_, index) => `${index % 20}`);
	const sorted = (count: number) =>
		Array.from({ length: count }, (_, index) => `${Math.floor((20 * index) / count)}`);
	const each = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);

	// What it takes with one profile. With several, requests that are refused can be more, but cost nothing.
	const limits: [string, Limits, number, number, number][] = [
		['5 a second', { perSecond: () => 5 }, 600, 119.4, 633],
		['5 a second with Retry-After', { perSecond: () => 5, hasRetryAfter: true }, 600, 122.9, 623],
		['1 a second', { perSecond: () => 1 }, 60, 80.5, 231],
		['60 a second', { perSecond: () => 60 }, 3_000, 49.5, 3_051],
		['8 at once', { mostOpen: 8 }, 1_200, 30.3, 1_211],
		['8 at once and 20 a second', { mostOpen: 8, perSecond: () => 20 }, 800, 39.2, 819],
	];

	describe.each(limits)('to %s', (_name, limit, count, seconds, requests) => {
		it.each([
			['mixed', mixed(count)],
			['one after the other', sorted(count)],
			['of two profiles', each(count).map((index) => `${Number(index) % 2}`)],
			['each its own', each(count)],
		])('profiles %s: as fast as with one profile', (_order, lanes) => {
			const run = simulateRuns(steady(200, limit), [{ lanes }]);

			expect(run.done.every(({ isAccepted }) => isAccepted)).toBe(true);
			expect(run.ms).toBeLessThan(1.25 * seconds * SECOND);
			expect(run.requests).toBeLessThan(1.25 * requests);
		});
	});
});

it('20 profiles of which each is over its quota for a minute find back to the pace of the service', () => {
	const limitsOf = (lane: string): Limits => ({
		perSecond: (ms) => (Math.floor(ms / MINUTE) % 20 === Number(lane) ? 0 : 1_000),
		burst: 5,
	});
	const lanes = Array.from({ length: 10_000 }, (_, index) => `${index % 20}`);

	const run = simulateRuns(steady(200, { perSecond: () => 5, limitsOf }), [{ lanes }]);

	expect(run.done.filter(({ isAccepted }) => !isAccepted)).toEqual([]);
	expect(run.requests).toBeLessThan(1.25 * 11_000);
});

describe('5,000 executions at once, at 5 a second', () => {
	it.each([
		['one profile', () => GOOD],
		['20 profiles', (index: number) => `${index % 20}`],
	])('with %s: none fails, although they take 1,000 s', (_name, laneOf) => {
		const lanes = Array.from({ length: 5_000 }, (_, index) => laneOf(index));

		const run = simulateRuns(
			steady(200, { perSecond: () => 5 }),
			executions(lanes, 0, { patienceMs: MINUTE }),
		);

		expect(run.done.filter(({ isAccepted }) => !isAccepted)).toEqual([]);
		expect(run.ms).toBeLessThan(1.05 * 1_000 * SECOND);
		expect(run.requests).toBeLessThan(1.1 * 5_000);
	});
});

describe('a service that refuses everything', () => {
	it.each([
		['one profile', () => OVER],
		['20 profiles', (index: number) => `${OVER} ${index % 20}`],
	])('is asked seldom, and all end: %s', (_name, laneOf) => {
		const lanes = Array.from({ length: 200 }, (_, index) => laneOf(index));

		const run = simulateRuns(service(), executions(lanes, SECOND, { patienceMs: MINUTE }));

		// Each profile is asked for once.
		expect(run.requests).toBeLessThan(20 + new Set(lanes).size);
		expect(timesOf(run, isOver).at(-1)).toBeLessThan(MINUTE + ONE_MORE_ANSWER);
	});
});

describe('two profiles over their quota', () => {
	const OTHER = `${OVER}, another`;
	const HOUR = 60 * MINUTE;

	const over = (retryAfterMs?: number): ServiceModel => ({
		...service(),
		failureOf: (lane) => (lane.startsWith(OVER) ? { kind: 'refused', retryAfterMs } : undefined),
	});

	const of = (count: number, lane: string) => Array<string>(count).fill(lane);

	const refusedGood = ({ done }: Result) =>
		done.filter((item) => isGood(item) && !item.isAccepted).length;

	it.each([
		['are refused', undefined],
		['ask to come back in an hour', HOUR],
	])('%s: the items of a third one, later in the batch, are accepted', (_name, retryAfterMs) => {
		const lanes = [...of(100, OVER), ...of(100, OTHER), ...of(100, GOOD)];

		const run = simulateRuns(over(retryAfterMs), [{ lanes }]);

		expect(refusedGood(run)).toBe(0);
		expect(run.requests).toBeLessThan(100 + 40);
	});

	it('ask to come back in an hour: a batch that has begun before goes on', () => {
		const late = { lanes: [OVER], beginsAt: 3 * SECOND };

		const run = simulateRuns(over(HOUR), [
			{ lanes: of(3_000, GOOD) },
			late,
			{ ...late, lanes: [OTHER] },
		]);

		expect(refusedGood(run)).toBe(0);
		expect(run.done.filter(isOver).every(({ isAccepted }) => !isAccepted)).toBe(true);
	});
});

describe('a request ends', () => {
	const refusedOnly = (patienceMs: number, limits: Limits) =>
		simulateRuns(steady(200, limits), [{ lanes: [OVER], patienceMs }]).done[0];

	it('when it was refused five times, however short the time', () => {
		expect(refusedOnly(SECOND, never)).toMatchObject({ isAccepted: false, refusals: 5 });
	});

	it('after waits of which each is twice as long as the one before', () => {
		const { answers } = simulateRuns(steady(200, never), [{ lanes: [OVER], patienceMs: SECOND }]);

		const waits = answers.slice(1).map(({ ms }, index) => ms - (answers[index]?.ms ?? 0));
		expect(waits.map((ms) => Math.round(ms / 100) / 10)).toEqual([1, 2, 4, 8]);
	});

	it('when it was refused for longer than Max Rate Limit Wait', () => {
		const done = refusedOnly(5 * MINUTE, never);

		expect(done?.isAccepted).toBe(false);
		expect(done?.endedAt).toBeGreaterThan(5 * MINUTE);
		expect(done?.endedAt).toBeLessThan(5 * MINUTE + ONE_MORE_ANSWER);
	});

	it('not while others of its endpoint and profile are accepted', () => {
		const rate = { perSecond: () => 1 };
		const lanes = Array<string>(300).fill(GOOD);

		const run = simulateRuns(steady(200, rate), executions(lanes, 0, { patienceMs: SECOND }));

		expect(timesOf(run, isGood).at(-1)).toBeGreaterThan(300 * SECOND * 0.9);
		expect(run.done.filter(({ isAccepted }) => !isAccepted)).toEqual([]);
	});

	it('also when it waits behind others that were refused, unsent', () => {
		const batch = { lanes: Array<string>(500).fill(OVER), patienceMs: MINUTE };

		const run = simulateRuns(service(), [batch]);

		expect(run.requests).toBeLessThan(20);
		expect(run.ms).toBeLessThan(MINUTE + ONE_MORE_ANSWER);
	});
});
