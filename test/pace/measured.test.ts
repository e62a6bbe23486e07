import { MAX_OPEN } from '../../nodes/IdentityVerification/transport/pace/allowance';
import { SimulatedService, steady, uneven } from './support/simulatedService';
import type { ServiceModel } from './support/simulatedService';
import { simulate } from './support/simulation';
import type { Done, Plan, Result } from './support/simulation';
import { VENDORS, WindowedService } from './support/vendors';

// What the law of the pace achieves at services of many kinds, by a simulated clock: nothing here depends on the
// speed of the machine. Each figure is what was measured, and a tenth more is allowed.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const ROOM = 1.1;

const GOOD = 'good';

const send = (model: ServiceModel, plans: Plan[]) =>
	simulate((clock) => new SimulatedService(clock, model), plans);

/** A batch of documents, whose profiles take turns. */
const batchOf = (documents: number, profiles = 1): Plan => ({
	lanes: Array.from({ length: documents }, (_, index) => `${index % profiles}`),
});

/** Executions of one document each. */
function executions(count: number, laneOf: (index: number) => string, everyMs = 0): Plan[] {
	return Array.from({ length: count }, (_, index) => ({
		lanes: [laneOf(index)],
		beginsAt: index * everyMs,
	}));
}

const msOf = ({ done }: Result) => Math.max(...done.map(({ endedAt }) => endedAt));
const countOf = ({ done }: Result, end: Done['end']) =>
	done.filter((each) => each.end === end).length;

/** How many seconds documents took: half of them at most, and 95 % of them. */
function secondsOf({ done }: Result, plans: Plan[]) {
	const times = done
		.filter(({ plan }) => plans.includes(plan))
		.map(({ beganAt, endedAt }) => (endedAt - beganAt) / SECOND)
		.sort((a, b) => a - b);
	const at = (share: number) => times[Math.floor(share * times.length)] ?? NaN;
	return { median: at(0.5), most: at(0.95) };
}

describe('the limit of a vendor', () => {
	const cases = VENDORS.flatMap(({ figures, ...vendor }) =>
		figures.map((each) => ({ ...each, vendor, name: vendor.name })),
	);

	it.each(cases)('$name, $latencyMs ms', ({ vendor, latencyMs, time, requests }) => {
		const { most, windowMs } = vendor;
		// Several windows full, but not hours.
		const documents = Math.max(60, Math.min(6 * most, 3_000));
		// In the middle of a window.
		const beginsAt = 1_234;

		const result = simulate(
			(clock) => new WindowedService(clock, vendor, latencyMs),
			[{ ...batchOf(documents), beginsAt }],
		);

		const best = Math.max(
			(Math.ceil(documents / most) - 1) * windowMs,
			(documents / MAX_OPEN) * latencyMs,
		);
		expect(countOf(result, 'accepted')).toBe(documents);
		expect(msOf(result)).toBeLessThan(ROOM * time * best);
		expect(result.requests).toBeLessThan(ROOM * requests * documents);
	});
});

describe('a limit', () => {
	const atOnce = (mostOpen: number) => ({ latencyMs: uneven(200), mostOpen });
	const perSecond = (rate: number) => steady(200, { perSecond: rate });
	const ofTenProcesses = (documents: number) =>
		Array.from({ length: 10 }, (_, process) => ({ ...batchOf(documents / 10), process }));

	// The best time, the measured one as a multiple of it, and the requests for each document.
	it.each<[string, ServiceModel, Plan[], number, number, number]>([
		['of 1 at once', atOnce(1), [batchOf(100)], 20, 1.0, 1.53],
		['of 2 at once', atOnce(2), [batchOf(200)], 20, 1.26, 1.21],
		['of 8 at once', atOnce(8), [batchOf(1_200)], 30, 1.35, 1.03],
		['of 30 at once', atOnce(30), [batchOf(3_000)], 20, 1.38, 1.0],
		['of 1 a second', perSecond(1), [batchOf(60)], 59, 1.21, 3.0],
		['of 1 a second, 10 profiles', perSecond(1), [batchOf(60, 10)], 59, 1.44, 3.67],
		['of 1 a second, 20 profiles', perSecond(1), [batchOf(60, 20)], 59, 2.61, 5.78],
		['of 5 a second', perSecond(5), [batchOf(600)], 119, 1.0, 1.5],
		['of 5 a second, 3 profiles', perSecond(5), [batchOf(600, 3)], 119, 1.0, 1.64],
		['of 5 a second, 20 profiles', perSecond(5), [batchOf(600, 20)], 119, 1.07, 1.97],
		['of 1 a second, shared by 10 processes', perSecond(1), ofTenProcesses(100), 99, 1.48, 4.1],
		['of 5 a second, shared by 10 processes', perSecond(5), ofTenProcesses(600), 119, 1.02, 1.9],
		[
			'of 20 a second, shared by 10 processes',
			perSecond(20),
			ofTenProcesses(2_000),
			99,
			1.02,
			1.48,
		],
		[
			'of 8 at once, shared by 10 processes',
			steady(200, { mostOpen: 8 }),
			ofTenProcesses(1_200),
			30,
			1.12,
			1.3,
		],
	])('%s', (_name, model, plans, best, time, requests) => {
		const result = send(model, plans);

		const documents = result.done.length;
		expect(countOf(result, 'accepted')).toBe(documents);
		expect(msOf(result)).toBeLessThan(ROOM * time * best * SECOND);
		expect(result.requests).toBeLessThan(ROOM * requests * documents);
	});

	it('of 1 a second, whose answers take 3 s, gives up few of 400 documents of 20 profiles', () => {
		const model = { latencyMs: uneven(3 * SECOND), perSecond: 1 };
		const batches = Array.from({ length: 20 }, (_, profile) => ({
			lanes: Array.from({ length: 20 }, () => `${profile}`),
		}));

		const result = send(model, batches);

		expect(countOf(result, 'given up')).toBeLessThan(ROOM * 20);
	});

	it.each([1, 20])(
		'of 5 a second gives up none of 2,000 executions at once: %i profiles',
		(profiles) => {
			const result = send(
				perSecond(5),
				executions(2_000, (index) => `${index % profiles}`),
			);

			expect(countOf(result, 'accepted')).toBe(2_000);
			expect(msOf(result)).toBeLessThan(ROOM * 399 * SECOND);
		},
	);
});

// A document that fails may be charged. What a run does after a failure is another matter: here, it goes on.
describe('documents that fail', () => {
	it.each<[string, Plan[], number]>([
		['one run', [batchOf(2_000)], 38],
		['20 profiles', [batchOf(2_000, 20)], 43],
		['2,000 executions', executions(2_000, () => GOOD), 38],
	])('of 2,000 at a service that fails while 10 are open: %s', (_name, plans, failed) => {
		const result = send(steady(200, { failsAbove: 10 }), plans);

		expect(countOf(result, 'failed')).toBeLessThan(ROOM * failed);
	});

	it.each([
		['at once', 20, 3_055],
		['after 1 s', SECOND, 180],
		['after 10 s', 10 * SECOND, 126],
	])(
		'of 5,000 with an outage of a minute, in which requests fail %s',
		(_name, refusalMs, failed) => {
			const isOut = (ms: number) => ms > 5 * SECOND && ms < 65 * SECOND;
			const model = steady(200, {
				failureOf: (_lane, ms) => (isOut(ms) ? { kind: 'failed' } : undefined),
				refusalMs,
			});

			const result = send(model, [batchOf(5_000)]);

			expect(countOf(result, 'failed')).toBeLessThan(ROOM * failed);
			expect(result.done.at(-1)?.end).toBe('accepted');
		},
	);
});

describe('beside another profile', () => {
	const BAD = 'bad';
	const ofBad =
		<Value>(value: Value) =>
		(lane: string) =>
			lane === BAD ? value : undefined;
	const hanging = { latencyOf: ofBad(MINUTE), failureOf: ofBad({ kind: 'failed' as const }) };
	const refused = { failureOf: ofBad({ kind: 'refused' as const }) };
	const refusedForLong = {
		failureOf: ofBad({ kind: 'refused' as const, retryAfterMs: 30 * MINUTE }),
	};

	it.each([
		['that hangs for a minute', hanging],
		['over its quota', refused],
		['over its quota for half an hour', refusedForLong],
	])('%s, executions do not wait', (_name, model) => {
		const good = executions(200, () => GOOD, SECOND);
		const result = send(steady(200, model), [...executions(200, () => BAD), ...good]);

		expect(secondsOf(result, good).median).toBeLessThan(ROOM * 0.2);
		expect(secondsOf(result, good).most).toBeLessThan(ROOM * 0.2);
	});
});

describe('one document every two seconds beside a batch', () => {
	// As many as are enough for the minute that it takes.
	it.each<[string, ServiceModel, number]>([
		['200 ms', steady(200), 5_000],
		['1.5 s', steady(1_500), 3_000],
		['5 a second', steady(200, { perSecond: 5 }), 400],
		['20 a second', steady(200, { perSecond: 20 }), 1_500],
		['8 at once, 1.5 s', steady(1_500, { mostOpen: 8 }), 400],
	])('waits for its turn, not for the batch: %s', (_name, model, documents) => {
		for (const lane of ['batch', GOOD]) {
			const batch = { lanes: Array<string>(documents).fill('batch'), patienceMs: Infinity };
			const singles = executions(30, () => lane, 2 * SECOND);

			const result = send(model, [batch, ...singles]);

			expect(secondsOf(result, singles).most).toBeLessThan(ROOM * 2.8);
		}
	});
});
