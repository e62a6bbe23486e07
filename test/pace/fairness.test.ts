import {
	MAX_OPEN,
	MAX_OPEN_IN_ALL,
} from '../../nodes/IdentityVerification/transport/pace/concurrency';
import { Limit } from '../../nodes/IdentityVerification/transport/pace/limit';
import { steady } from './support/publishedServices';
import type { ServiceModel } from './support/simulatedService';
import { simulateRuns } from './support/simulation';
import type { Done, Plan, Result } from './support/simulation';

// One profile never holds up another, by a simulated clock: what is slow, fails or is sent by thousands, and what
// others notice of it.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const GOOD = 'good';
const SLOW = 'slow';

const isGood = ({ lane }: Done) => lane === GOOD;

/** How long they took, in milliseconds, the fastest first. */
function timesOf({ done }: Result, pick: (item: Done) => boolean): number[] {
	const times = done.filter(pick).map(({ beganAt, endedAt }) => endedAt - beganAt);
	return times.sort((a, b) => a - b);
}

const medianOf = (times: number[]) => times[Math.floor(times.length / 2)] ?? NaN;

/** Executions of one item each, in so many lanes, all at once. */
function executions(count: number, laneOf: (index: number) => string): Plan[] {
	return Array.from({ length: count }, (_, index) => ({ lanes: [laneOf(index)] }));
}

/** One execution a second. */
function oneASecond(lane: string, beginsAt: number, count = 200): Plan[] {
	return executions(count, () => lane).map((plan, index) => ({
		...plan,
		beginsAt: beginsAt + index * SECOND,
	}));
}

const latencyOf = (ms: number) => (lane: string) => (lane.startsWith(SLOW) ? ms : undefined);

/** Its slow lanes end at the Timeout. */
const hanging: ServiceModel = {
	...steady(200),
	latencyOf: latencyOf(2 * MINUTE),
	failureOf: (lane) => (lane.startsWith(SLOW) ? { kind: 'failed' } : undefined),
};

const answeringAfterAMinute: ServiceModel = { ...steady(200), latencyOf: latencyOf(MINUTE) };

describe.each([
	['hangs', hanging],
	['answers after a minute', answeringAfterAMinute],
])('a lane that %s', (_name, service) => {
	const slowOf = (lanes: number) => executions(200, (index) => `${SLOW} ${index % lanes}`);
	const batchOf = (lanes: number) => [{ lanes: slowOf(lanes).flatMap((plan) => plan.lanes) }];

	it.each([
		['200 executions at once', slowOf(1)],
		['4 executions at once', slowOf(1).slice(0, 4)],
		['a batch of 200', batchOf(1)],
		['200 executions of two lanes', slowOf(2)],
	])('%s: holds up no other', (_plan, slow) => {
		const run = simulateRuns(service, [...slow, ...oneASecond(GOOD, 500)]);

		expect(medianOf(timesOf(run, isGood))).toBeLessThan(1.5 * 200);
		expect(timesOf(run, isGood).at(-1)).toBeLessThan(2 * SECOND);
		expect(run.mostOpen).toBeLessThanOrEqual(MAX_OPEN_IN_ALL);
	});

	it('holds up nobody who arrives after minutes, when it has opened up', () => {
		const run = simulateRuns(service, [...slowOf(1), ...oneASecond(GOOD, 5 * MINUTE + 500)]);

		expect(timesOf(run, isGood).at(-1)).toBeLessThan(1.5 * 200);
	});

	it('leaves others time to find out how many the service handles', () => {
		const batch = { lanes: Array<string>(3_000).fill(GOOD), beginsAt: 500 };
		const alone = simulateRuns(steady(200), [batch]);

		const run = simulateRuns(service, [...slowOf(1), batch]);

		const last = Math.max(...run.done.filter(isGood).map(({ endedAt }) => endedAt));
		expect(last).toBeLessThan(1.25 * alone.ms);
	});

	it('20 of them: no other waits longer than one of their answers', () => {
		const run = simulateRuns(service, [...slowOf(20), ...oneASecond(GOOD, 500)]);

		expect(medianOf(timesOf(run, isGood))).toBeLessThan(1.5 * 200);
		expect(timesOf(run, isGood).at(-1)).toBeLessThan(MINUTE);
		expect(run.mostOpen).toBeLessThanOrEqual(MAX_OPEN_IN_ALL);
	});
});

it('two lanes that are slow share what may be open, and leave something free', () => {
	const lanes = Array.from({ length: 1_000 }, (_, index) => `${SLOW} ${index % 2}`);

	const run = simulateRuns(steady(MINUTE), [{ lanes, atOnce: 500 }]);

	expect(run.mostOpen).toBeGreaterThan(MAX_OPEN);
	expect(run.mostOpen).toBeLessThan(MAX_OPEN_IN_ALL - 2);
});

describe('a service that fails while more than 10 requests are open', () => {
	/** With one profile, when all lanes shared one concurrency. */
	const FAILURES = 46;

	it.each([
		['one profile', 1],
		['two profiles', 2],
		['five profiles', 5],
		['20 profiles', 20],
		['a profile each', 2_000],
	])('fails a few of 2,000 documents, and each may be charged: %s', (_name, profiles) => {
		for (const latencyMs of [200, 3_000]) {
			for (const refusalMs of [2, latencyMs]) {
				const lanes = Array.from({ length: 2_000 }, (_, index) => `${index % profiles}`);
				const run = simulateRuns({ ...steady(latencyMs), failsAbove: 10, refusalMs }, [{ lanes }]);

				const failed = run.done.filter(({ isAccepted }) => !isAccepted);
				expect(failed.length).toBeLessThan(1.5 * FAILURES);
			}
		}
	});
});

it.each([1, 2, 5, 20])(
	'a batch of %i profiles stops opening up when more requests make all of them slower',
	(profiles) => {
		const lanes = Array.from({ length: 1_500 }, (_, index) => `${index % profiles}`);
		const service: ServiceModel = { latencyMs: (open) => 100 * (1 + (open / 10) ** 2) };

		expect(simulateRuns(service, [{ lanes }]).ms).toBeLessThan(1.25 * 32.4 * SECOND);
	},
);

describe('one scan beside a batch of 3,000', () => {
	it.each([
		['of its profile', 'batch'],
		['of another profile', GOOD],
	])('%s: waits for its turn, not for the batch', (_name, lane) => {
		const batch = { lanes: Array<string>(3_000).fill('batch') };
		const scans = oneASecond(lane, 20 * SECOND, 50).map((plan, index) => ({
			...plan,
			beginsAt: 20 * SECOND + 10 * SECOND * index,
		}));

		const run = simulateRuns(steady(200, { perSecond: () => 5 }), [batch, ...scans]);

		const isScan = ({ index, beganAt }: Done) => index === 0 && beganAt > 0;
		expect(timesOf(run, isScan)).toHaveLength(50);
		expect(timesOf(run, isScan).at(-1)).toBeLessThan(3 * SECOND);
	});
});

describe('two profiles over their quota, whose executions begin each second', () => {
	const over = (index: number) => `over ${index % 2}`;

	it.each([
		['refused', undefined],
		['asked to come back in an hour', 60 * MINUTE],
	])('%s: a third one waits for nothing, also where it is seldom', (_name, retryAfterMs) => {
		const service: ServiceModel = {
			...steady(200),
			failureOf: (lane) => (lane === GOOD ? undefined : { kind: 'refused', retryAfterMs }),
		};
		const refused = executions(600, over).map((plan, index) => ({
			...plan,
			beginsAt: index * SECOND,
		}));
		const good = executions(20, () => GOOD).map((plan, index) => ({
			...plan,
			beginsAt: 10_500 + 30 * SECOND * index,
		}));

		const run = simulateRuns(service, [...refused, ...good]);

		expect(timesOf(run, isGood).at(-1)).toBeLessThan(1.5 * 200);
		expect(run.done.filter(isGood).every(({ isAccepted }) => isAccepted)).toBe(true);
	});
});

describe('a profile whose requests fail', () => {
	const BAD = 'bad';
	const batchOf = (lane: string, count: number) => ({ lanes: Array<string>(count).fill(lane) });
	const lastGood = ({ done }: Result) =>
		Math.max(...done.filter(isGood).map(({ endedAt }) => endedAt));

	it.each([
		['all of a batch', 1, batchOf(BAD, 3_000)],
		['every second one', 2, batchOf(BAD, 3_000)],
		['every tenth one', 10, batchOf(BAD, 3_000)],
		['every fiftieth one', 50, batchOf(BAD, 3_000)],
	])('%s: holds up a batch of another no longer than if all succeeded', (_name, nth, bad) => {
		let sent = 0;
		const failing: ServiceModel = {
			...steady(200),
			failureOf: (lane) => (lane === BAD && ++sent % nth === 0 ? { kind: 'failed' } : undefined),
		};
		const good = batchOf(GOOD, 3_000);

		const run = simulateRuns(failing, [good, bad]);

		expect(lastGood(run)).toBeLessThan(1.25 * lastGood(simulateRuns(steady(200), [good, bad])));
	});

	it('one of ten executions a second: holds up a batch of another hardly', () => {
		const failing: ServiceModel = {
			...steady(200),
			failureOf: (lane) => (lane === BAD ? { kind: 'failed' } : undefined),
		};
		const bad = executions(600, () => BAD).map((plan, index) => ({
			...plan,
			beginsAt: 100 * index,
		}));
		const good = batchOf(GOOD, 3_000);

		const run = simulateRuns(failing, [good, ...bad]);

		expect(lastGood(run)).toBeLessThan(2 * simulateRuns(steady(200), [good]).ms);
	});
});

it('a profile over its quota holds up no other, also if its scans and its links are refused at once', () => {
	const service: ServiceModel = {
		...steady(200),
		failureOf: (lane) => (lane === GOOD ? undefined : { kind: 'refused' }),
	};
	const over = executions(24, (index) => (index % 2 === 0 ? 'scans/over' : 'links/over')).map(
		(plan, index) => ({ ...plan, beginsAt: 5 * SECOND * Math.floor(index / 2) }),
	);
	const batch = { lanes: Array<string>(3_000).fill(GOOD) };

	const run = simulateRuns(service, [batch, ...over]);

	const last = Math.max(...run.done.filter(isGood).map(({ endedAt }) => endedAt));
	expect(last).toBeLessThan(1.25 * simulateRuns(service, [batch]).ms);
});

it('a batch is hardly slower beside 20 profiles over their quota', () => {
	const service: ServiceModel = {
		...steady(200),
		failureOf: (lane) => (lane === GOOD ? undefined : { kind: 'refused' }),
	};
	const refused = executions(200, (index) => `over ${index % 20}`).map((plan, index) => ({
		...plan,
		beginsAt: index * SECOND,
	}));
	const batch = { lanes: Array<string>(3_000).fill(GOOD) };

	const run = simulateRuns(service, [batch, ...refused]);

	const last = Math.max(...run.done.filter(isGood).map(({ endedAt }) => endedAt));
	expect(last).toBeLessThan(1.5 * simulateRuns(service, [batch]).ms);
});

describe('executions that wait at once are looked at by their number, not by its square', () => {
	const services: [string, ServiceModel][] = [
		['at 5 a second', steady(200, { perSecond: () => 5 })],
		['without a limit', steady(200)],
	];
	afterEach(() => jest.restoreAllMocks());

	describe.each(services)('%s', (_service, service) => {
		it.each([
			['one profile', () => GOOD],
			['a profile each', (index: number) => `${index}`],
		])('%s', (_name, laneOf) => {
			// Asked of each request that may be next.
			const asked = jest.spyOn(Limit.prototype, 'roomAt');
			const looksAt = (count: number) => {
				asked.mockClear();
				const run = simulateRuns(service, executions(count, laneOf));
				expect(run.done.every(({ isAccepted }) => isAccepted)).toBe(true);
				return asked.mock.calls.length;
			};

			// Four times as many: by the square, it would be 16 times as much.
			expect(looksAt(2_000)).toBeLessThan(6 * looksAt(500));
		});
	});
});
