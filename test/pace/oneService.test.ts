import fc from 'fast-check';

import { MAX_OPEN } from '../../nodes/IdentityVerification/transport/pace/concurrency';
import { Limit } from '../../nodes/IdentityVerification/transport/pace/limit';
import { SERVICES, minuteEach, steady, uneven } from './support/publishedServices';
import type { ServiceModel } from './support/simulatedService';
import { simulate, simulateRuns } from './support/simulation';
import type { Result } from './support/simulation';

// The clock is a simulated one: nothing here depends on the speed of the machine.

const latency = fc.integer({ min: 5, max: 3_000 });

const rateLimit = fc.record({
	perSecond: fc.integer({ min: 1, max: 60 }),
	burst: fc.integer({ min: 1, max: 60 }),
	hasRetryAfter: fc.boolean(),
});

/** Of any speed, with any kind of limit. */
const anyService: fc.Arbitrary<ServiceModel> = fc
	.record({
		latency,
		slower: fc.constantFrom(0, 0.02, 0.1),
		limit: fc.option(rateLimit, { nil: undefined }),
		mostOpen: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
	})
	.map(({ latency, slower, limit, mostOpen }) => ({
		latencyMs: (open) => latency * (1 + slower * open),
		...(limit && { ...limit, perSecond: () => limit.perSecond }),
		mostOpen,
	}));

const documents = fc.integer({ min: 1, max: 300 });

const refusedOf = ({ answers }: Result) => answers.filter(({ isRefused }) => isRefused).length;

describe('with one profile, at a service with', () => {
	it.each(SERVICES)('$name', ({ service, documents, seconds, requests }) => {
		const run = simulate(service(), documents);

		expect(run.ms / 1_000).toBeLessThan(1.25 * seconds);
		expect(run.requests).toBeLessThan(1.25 * requests);
	});
});

describe('at any service', () => {
	it('every document is done, and never more requests are open than the bound', () => {
		fc.assert(
			fc.property(
				anyService,
				documents,
				fc.integer({ min: 1, max: 200 }),
				(service, count, parallel) => {
					const run = simulate(service, count, parallel);

					const items = run.done.map(({ index }) => index);
					expect(items.sort((a, b) => a - b)).toEqual([...Array(count).keys()]);
					expect(run.mostOpen).toBeLessThanOrEqual(MAX_OPEN);
				},
			),
		);
	});
});

describe('at a service that limits requests in a second', () => {
	it('takes little more time than the limit asks for, and few requests more than documents', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 30 }),
				fc.boolean(),
				fc.integer({ min: 20, max: 500 }),
				(rate, hasRetryAfter, latencyMs) => {
					const count = 30 * rate;
					const run = simulate(steady(latencyMs, { perSecond: () => rate, hasRetryAfter }), count);

					expect(run.ms).toBeLessThan(1.5 * 30_000);
					expect(run.requests).toBeLessThan((rate < 5 ? 2.6 : 1.25) * count);
				},
			),
		);
	});

	it('is as fast when the process has been running for ten minutes', () => {
		const beginsAt = 600_000;
		const lanes = Array<string>(400).fill('scan');
		const run = simulateRuns(steady(200, { perSecond: () => 20 }), [{ lanes, beginsAt }]);

		expect(run.ms - beginsAt).toBeLessThan(1.25 * 19_600);
	});

	it('goes on beside documents that take a minute each, where two are never accepted at once', () => {
		const service = { latencyMs: minuteEach(50), perSecond: () => 5, burst: 1 };
		const run = simulate(service, 300);

		expect(run.ms).toBeLessThan(200_000);
	});

	it('follows a limit that changes in the middle, down and up', () => {
		const changing = (before: number, after: number) =>
			simulate(steady(200, { perSecond: (ms) => (ms < 20_000 ? before : after) }), 600);
		const down = changing(20, 5);
		const up = changing(5, 20);

		expect(down.ms).toBeLessThan(1.2 * (20_000 + 200_000 / 5));
		expect(down.requests).toBeLessThan(1.1 * 600);
		expect(up.ms).toBeLessThan(1.3 * (20_000 + 500_000 / 20));
	});
});

describe('at a service that limits how many requests are open', () => {
	it.each([1, 2, 8, 30])('leaves no capacity unused: %i', (mostOpen) => {
		const count = 100 * mostOpen;
		const run = simulate({ latencyMs: uneven(200), mostOpen }, count);

		expect(run.ms).toBeLessThan(1.15 * 100 * 200);
		expect(refusedOf(run)).toBeLessThan(0.06 * count);
	});

	it('and how many come in a second, keeps to both', () => {
		const service = { latencyMs: uneven(200), mostOpen: 8, perSecond: () => 20 };
		const run = simulate(service, 400);

		expect(run.ms).toBeLessThan(1.25 * 20_000);
		expect(refusedOf(run)).toBeLessThan(0.06 * 400);
	});
});

it('recovers after a pause in which the service refuses everything', () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 1, max: 240 }),
			fc.boolean(),
			fc.constantFrom(2, 40),
			(seconds, hasRetryAfter, refusalMs) => {
				const pauseMs = seconds * 1_000;
				const isPaused = (ms: number) => ms > 2_000 && ms < 2_000 + pauseMs;
				const service = steady(200, {
					perSecond: (ms) => (isPaused(ms) ? 0 : 1_000),
					burst: 40,
					hasRetryAfter,
					refusalMs,
				});
				const run = simulate(service, 1_000);

				// The longest wait, and the time to open up again.
				expect(run.ms - pauseMs).toBeLessThan(90_000);
				expect(refusedOf(run)).toBeLessThan(120);
			},
		),
	);
});

it('opens up to the bound while nothing speaks against it', () => {
	const run = simulate(steady(1_500), 2_000);

	expect(run.mostOpen).toBe(MAX_OPEN);
	expect(run.ms).toBeLessThan(1.2 * (2_000 / MAX_OPEN) * 1_500);
});

it('stops opening up when more requests make all of them slower', () => {
	const run = simulate({ latencyMs: (open) => 100 * (1 + (open / 10) ** 2) }, 1_500);

	const later = run.answers.slice(500).map(({ open }) => open);
	expect(Math.max(...later)).toBeLessThan(25);
	expect(Math.min(...later.slice(0, -100))).toBeGreaterThan(5);
});

it('opens up also when some documents take a hundred times as long as others', () => {
	const run = simulate(
		{ latencyMs: (_open, accepted) => (accepted % 5 === 0 ? 5_000 : 50) },
		2_000,
	);

	expect(run.ms).toBeLessThan(1.5 * (2_000 / MAX_OPEN) * (5_000 / 5 + 50));
});

it('keeps to a limit a second although the answers take long', () => {
	const run = simulate(steady(20_000, { perSecond: () => 2 }), 200);

	expect(run.ms).toBeLessThan(4 * (20_000 + 200_000 / 2));
});

describe('the limit that a refusal shows', () => {
	/** As after a refusal while that many others were open. */
	function limitAt(open: number): Limit {
		const limit = new Limit();
		limit.open = open;
		limit.refused(0, -1);
		return limit;
	}

	it('is as many as were open, and grows slowly at first, then faster', () => {
		const limit = limitAt(4);
		limit.open = 3;
		expect(limit.roomAt(0)).toBe(0);
		limit.open = 7;
		expect(limit.roomAt(0)).toBeCloseTo(12_000, 2);
		expect(limit.roomAt(11_000)).toBeGreaterThan(11_000);
		expect(limit.roomAt(12_001)).toBe(12_001);
		limit.open = 63;
		expect(limit.roomAt(0)).toBeCloseTo(24_000, 2);
	});

	it('falls with each of those refused that were open together, and grows from the first', () => {
		const limit = limitAt(4);
		limit.open = 2;
		limit.refused(1_000, -1);

		expect(limit.roomAt(1_000)).toBeGreaterThan(1_000);
		limit.open = 3;
		expect(limit.roomAt(1_000)).toBeCloseTo(12_000, 2);
	});

	it('does not grow while the wait after a refusal lasts, unless a request is accepted', () => {
		const limit = limitAt(0);
		limit.open = 1;
		limit.refused(0, -1);
		expect(limit.roomAt(0)).toBeCloseTo(1_000 + 12_000, 2);

		limit.accepted(-1);

		expect(limit.heldUntil).toBe(1_000);
		expect(limit.roomAt(0)).toBeCloseTo(12_000, 2);
		limit.accepted(1);
		expect(limit.heldUntil).toBe(-Infinity);
	});
});
