import { getEventListeners } from 'node:events';

import fc from 'fast-check';

import { Gate } from '../../nodes/IdentityVerification/transport/pace/gate';
import type { RequestEnd } from '../../nodes/IdentityVerification/transport/pace/gate';
import { Gates } from '../../nodes/IdentityVerification/transport/pace/gates';
import type { Account } from '../../nodes/IdentityVerification/transport/pace/gates';
import { JumpingClock } from './support/jumpingClock';
import { SimulatedRun } from './support/simulation';

// The gate by itself, with a simulated clock: how runs with one credential get along.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** What becomes of a request, and after which time. */
type Answer = RequestEnd & { ms: number };

const ACCEPTED: Answer = { kind: 'succeeded', ms: 200 };
const REFUSED: Answer = { kind: 'refused', ms: 5 };
const FAILED: Answer = { kind: 'failed', ms: 100 };
const UNSENT: Answer = { kind: 'incomplete', ms: 100 };

let clock: JumpingClock;
let gate: Gate;

beforeEach(() => {
	// As in a process that has run for a day.
	clock = new JumpingClock(24 * HOUR);
	gate = new Gate(clock);
});

/** A run with what has become of its requests. */
class Run extends SimulatedRun {
	readonly done: (RequestEnd['kind'] | 'turned away')[] = [];

	open = 0;

	mostOpen = 0;

	constructor(options: { isAutomatic?: boolean; patienceMs?: number } = {}) {
		super(gate, clock, options);
	}

	/** Sends one request until it isn't refused any more. */
	scan(answer: () => Answer, lane = 'scan'): void {
		this.send(lane, this.service(answer), (kind) => this.done.push(kind));
	}

	/** Sends requests, so many of them at a time. */
	scanAll(count: number, atOnce: number, answer: () => Answer, lanes = ['scan']): void {
		const next = (index: number) => {
			if (index >= count) return;
			this.send(lanes[index % lanes.length] ?? '', this.service(answer), (kind) => {
				this.done.push(kind);
				clock.after(0, () => next(index + atOnce));
			});
		};
		for (let index = 0; index < atOnce; index++) next(index);
	}

	private service(answer: () => Answer) {
		return {
			request: (_lane: string, answered: (outcome: RequestEnd) => void) => {
				const { ms, ...outcome } = answer();
				this.mostOpen = Math.max(this.mostOpen, ++this.open);
				clock.after(ms, () => {
					this.open--;
					answered(outcome);
				});
			},
		};
	}
}

const listeners = ({ stopSignal }: SimulatedRun) => getEventListeners(stopSignal, 'abort').length;

describe('whatever the service answers', () => {
	const anyAnswer: fc.Arbitrary<Answer> = fc.oneof(
		{ weight: 6, arbitrary: fc.integer({ min: 1, max: 5_000 }).map((ms) => ({ ...ACCEPTED, ms })) },
		{ weight: 1, arbitrary: fc.constant({ kind: 'otherStatus' as const, ms: 100 }) },
		{ weight: 1, arbitrary: fc.constant(UNSENT) },
		{
			weight: 3,
			arbitrary: fc.record({
				ms: fc.integer({ min: 0, max: 500 }),
				kind: fc.constant('refused' as const),
				retryAfterMs: fc.constantFrom(undefined, 0, 1_000, 2 * HOUR, Number.MAX_SAFE_INTEGER),
			}),
		},
		{
			weight: 1,
			arbitrary: fc.record({
				kind: fc.constant('failed' as const),
				ms: fc.constantFrom(1, 100, 2 * MINUTE),
				retryAfterMs: fc.constantFrom(undefined, 0, 400_000),
			}),
		},
	);

	const anyRun = fc.record({
		beginsAt: fc.integer({ min: 0, max: 10 * MINUTE }),
		count: fc.integer({ min: 1, max: 80 }),
		fixed: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
		lanes: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 4 }),
		patienceMs: fc.constantFrom(1_000, MINUTE, HOUR),
		endsAt: fc.option(fc.integer({ min: 0, max: 15 * MINUTE }), { nil: undefined }),
	});

	it('every request gets its turn or is turned away, and nothing stays behind', () => {
		const plans = fc.array(anyRun, { minLength: 1, maxLength: 6 });
		const answers = fc.array(anyAnswer, { minLength: 1, maxLength: 12 });
		fc.assert(
			fc.property(plans, answers, (plans, list) => {
				clock = new JumpingClock();
				gate = new Gate(clock);
				let next = 0;
				const answer = () => list[next++ % list.length] ?? ACCEPTED;
				const runs: Run[] = [];
				for (const [index, plan] of plans.entries()) {
					const { beginsAt, count, fixed, lanes, patienceMs, endsAt } = plan;
					clock.after(beginsAt, () => {
						const run = new Run({ isAutomatic: fixed === undefined, patienceMs });
						runs[index] = run;
						run.scanAll(count, fixed ?? 64, answer, lanes);
						if (endsAt !== undefined) clock.after(endsAt, () => run.end());
					});
				}
				clock.pass(72 * HOUR);

				expect(runs.map(({ done }) => done.length)).toEqual(plans.map(({ count }) => count));
				expect(runs.map(listeners)).toEqual(plans.map(() => 0));
				expect(clock.pending).toBe(0);
			}),
			{ numRuns: 100 },
		);
	});
});

it('a run that has ended waits for nobody, however many requests are before its own', () => {
	let acceptedAt = -Infinity;
	const onePerSecond = () => {
		if (clock.now() - acceptedAt < 1_000) return REFUSED;
		acceptedAt = clock.now();
		return ACCEPTED;
	};
	new Run().scanAll(1_000, 64, onePerSecond);
	clock.pass(MINUTE);
	const ended = new Run();
	ended.end();

	ended.scanAll(500, 1, () => ACCEPTED);
	clock.pass(0);

	expect(ended.done).toEqual(new Array(500).fill('turned away'));
	expect(listeners(ended)).toBe(0);
});

describe('runs that share a gate', () => {
	it('one whose requests are refused each time does not hold up the others', () => {
		const others = new Run();
		let refusals = 0;
		new Run().scan(() => {
			refusals++;
			return { ...REFUSED, ms: 20 };
		});
		others.scanAll(500, 64, () => ACCEPTED);
		clock.pass(3 * MINUTE);

		expect(others.done).toHaveLength(500);
		expect(refusals).toBeLessThan(30);
	});

	it('take turns', () => {
		const batch = new Run();
		batch.scanAll(1_000, 64, () => ({ ...ACCEPTED, ms: 20_000 }));
		clock.pass(1_000);
		const single = new Run();
		single.scan(() => ACCEPTED);
		clock.pass(30_000);

		expect(single.done).toEqual(['succeeded']);
		expect(batch.done.length).toBeLessThan(10);
	});

	it('a refused document does not wait until a slow one of another run is done', () => {
		new Run().scan(() => ({ ...ACCEPTED, ms: 2 * MINUTE }));
		const answers = [REFUSED];
		const single = new Run();
		single.scan(() => answers.shift() ?? ACCEPTED);
		clock.pass(20_000);

		expect(single.done).toEqual(['succeeded']);
	});

	it('one that is refused does not end while the service still works on a request of another', () => {
		const begin = clock.now();
		new Run().scan(() => ({ ...ACCEPTED, ms: 2 * MINUTE }));
		const refused = new Run({ patienceMs: 1_000 });
		let refusals = 0;
		refused.scan(() => {
			if (clock.now() >= begin + 2 * MINUTE) return ACCEPTED;
			refusals++;
			return { ...REFUSED, retryAfterMs: 1_000 };
		});
		clock.pass(3 * MINUTE);

		// After five, it would end if no other request were open.
		expect(refusals).toBeGreaterThan(5);
		expect(refused.done).toEqual(['succeeded']);
	});

	it('one that is refused does not end while a request with another profile may still be accepted', () => {
		const begin = clock.now();
		const answer = (): Answer =>
			clock.now() < begin + 2 * MINUTE ? { ...REFUSED, retryAfterMs: 39_000 } : ACCEPTED;
		new Run().scan(() => ({ ...ACCEPTED, ms: 2 * MINUTE }), 'slow');
		const others = new Run({ patienceMs: HOUR });
		for (const profile of ['one', 'another', 'a third']) others.scan(answer, profile);
		const refused = new Run({ patienceMs: 40_000 });
		refused.scan(answer, 'refused');
		clock.pass(5 * MINUTE);

		expect(refused.done).toEqual(['succeeded']);
	});

	it('with answers that do not come leave room for another profile, and take no more', () => {
		const [hanging, second, other] = [new Run(), new Run(), new Run()];
		hanging.scanAll(3, 3, () => ({ ...ACCEPTED, ms: HOUR }), ['one']);
		second.scanAll(3, 3, () => ({ ...ACCEPTED, ms: HOUR }), ['another']);
		clock.pass(500);
		other.scanAll(3, 3, () => ({ ...ACCEPTED, ms: HOUR }), ['a third']);
		clock.pass(MINUTE);

		expect(hanging.open + second.open).toBe(4);
		expect(other.open).toBe(1);
	});

	it('one document gets its turn beside a batch with a fixed number of requests', () => {
		new Run({ isAutomatic: false }).scanAll(5_000, 100, () => ACCEPTED);
		clock.pass(1_000);
		const single = new Run();
		single.scan(() => ACCEPTED);
		clock.pass(1_000);

		expect(single.done).toEqual(['succeeded']);
	});

	it('one with a fixed number of requests is held by that number alone, also where others hang', () => {
		new Run().scanAll(64, 64, () => ({ ...ACCEPTED, ms: HOUR }));
		const fixed = new Run({ isAutomatic: false });
		fixed.scanAll(200, 100, () => ACCEPTED);
		expect(fixed.open).toBe(100);
		clock.pass(1_000);

		expect(fixed.done).toHaveLength(200);
	});

	it('one that ends leaves its turn to the others', () => {
		const [canceled, other] = [new Run(), new Run()];
		canceled.scanAll(200, 64, () => ({ ...ACCEPTED, ms: 1_000 }));
		other.scan(() => ACCEPTED);
		canceled.end();
		clock.pass(2_000);

		expect(other.done).toEqual(['succeeded']);
		expect(canceled.done.filter((kind) => kind === 'turned away')).toHaveLength(196);
	});
});

describe('a pause that the service asks for', () => {
	const hours: Answer = { ...REFUSED, retryAfterMs: 2 * HOUR };

	it('is over for a run that ends in it', () => {
		const [first, stopped] = [new Run({ patienceMs: 3 * HOUR }), new Run({ patienceMs: 3 * HOUR })];
		first.scan(() => hours);
		clock.pass(1_000);
		stopped.scan(() => ACCEPTED);
		clock.pass(1_000);
		stopped.end();

		expect(stopped.done).toEqual(['turned away']);
	});

	it('and is too long ends a run at once', () => {
		const run = new Run();
		run.scanAll(10, 1, () => hours);
		clock.pass(1_000);

		expect(run.done).toEqual(Array(10).fill('turned away'));
	});

	it('and is too long ends a run also behind one that waits longer', () => {
		const patient = new Run({ patienceMs: 3 * HOUR });
		patient.scanAll(5, 5, () => ({ ...FAILED, retryAfterMs: 2 * HOUR }));
		clock.pass(50);
		const run = new Run();
		run.scan(() => ACCEPTED);
		clock.pass(1_000);

		expect(patient.done).toEqual(Array(4).fill('failed'));
		expect(run.done).toEqual(['turned away']);
	});

	it('is probed by a run that began in it: with one request, and its answer counts for all', () => {
		new Run().scan(() => hours);
		clock.pass(1_000);
		const probing = new Run();
		probing.scanAll(64, 64, () => ({ ...ACCEPTED, ms: 1_000 }));
		clock.pass(900);
		expect(probing.mostOpen).toBe(1);

		clock.pass(MINUTE);

		expect(probing.mostOpen).toBeGreaterThan(3);
		expect(probing.done).toEqual(Array(64).fill('succeeded'));
	});

	it('is probed once by each run as long as it holds', () => {
		for (let run = 0; run < 3; run++) {
			const refused = new Run();
			let requests = 0;
			refused.scanAll(64, 64, () => {
				requests++;
				return hours;
			});
			clock.pass(MINUTE);

			// The first run didn't know.
			expect(requests).toBe(run === 0 ? 4 : 1);
			expect(refused.done).toEqual(Array(64).fill('turned away'));
		}
	});

	it('is shortened by what a probe is told', () => {
		new Run().scan(() => hours);
		clock.pass(1_000);
		const probing = new Run();
		const answers = [{ ...REFUSED, retryAfterMs: 10_000 }];
		probing.scan(() => answers.pop() ?? ACCEPTED);
		clock.pass(9_000);
		expect(probing.done).toEqual([]);

		clock.pass(2_000);

		expect(probing.done).toEqual(['succeeded']);
	});

	it('is not shortened by the answer to a request that was sent before it', () => {
		const run = new Run();
		const answers = [20_000, 2_000].map(
			(retryAfterMs, index): Answer => ({ ...REFUSED, retryAfterMs, ms: 5 + 100 * index }),
		);
		run.scanAll(2, 2, () => answers.shift() ?? ACCEPTED);
		clock.pass(19_000);
		expect(run.done).toEqual([]);

		clock.pass(20_000);

		expect(run.done).toEqual(['succeeded', 'succeeded']);
	});

	it('does not hold for another profile', () => {
		new Run().scan(() => hours, 'one');
		clock.pass(1_000);
		const other = new Run();
		other.scan(() => ACCEPTED, 'another');
		clock.pass(300);

		expect(other.done).toEqual(['succeeded']);
	});

	it('with 503 holds for its endpoint and profile alone', () => {
		new Run().scan(() => ({ ...FAILED, retryAfterMs: 10_000 }), 'one');
		clock.pass(1_000);
		const [same, other] = [new Run(), new Run()];
		same.scan(() => ACCEPTED, 'one');
		other.scan(() => ACCEPTED, 'another');
		clock.pass(5_000);
		expect([same.done, other.done]).toEqual([[], ['succeeded']]);
		clock.pass(5_000);

		expect(same.done).toEqual(['succeeded']);
	});

	it('is waited for by a run that started during it, although a request is still open', () => {
		new Run().scan(() => ({ ...ACCEPTED, ms: 2 * HOUR }));
		new Run().scan(() => ({ ...REFUSED, retryAfterMs: 400_000 }));
		clock.pass(1_000);
		const second = new Run();
		second.scan(() => ACCEPTED);
		clock.pass(399_000);
		expect(second.done).toEqual([]);

		// Beside the one that is open, one more may be sent after another 12 seconds.
		clock.pass(15_000);

		expect(second.done).toEqual(['succeeded']);
	});
});

/** How many requests a new run may open at once. */
function placesNow(): number {
	const run = new Run();
	run.scanAll(20, 20, () => ({ ...ACCEPTED, ms: HOUR }));
	return run.open;
}

it('requests one after the other say nothing of how many may be open', () => {
	new Run().scanAll(60, 1, () => ACCEPTED);
	clock.pass(MINUTE);

	expect(placesNow()).toBe(4);
});

describe('requests that fail', () => {
	it('halve how many may be open', () => {
		new Run().scanAll(4, 4, () => FAILED);
		clock.pass(1_000);

		expect(placesNow()).toBe(2);
	});

	it('leave one, however many fail in a row', () => {
		const run = new Run();
		run.scanAll(12, 1, () => FAILED);
		clock.pass(MINUTE);
		expect(run.done).toEqual(Array(12).fill('failed'));

		expect(placesNow()).toBe(1);
	});

	it('say nothing of the service when the node could not send them', () => {
		new Run().scanAll(12, 4, () => UNSENT);
		clock.pass(1_000);

		expect(placesNow()).toBe(4);
	});

	it('say nothing of the service when their run has given them up', () => {
		const canceled = new Run();
		canceled.scanAll(4, 4, () => FAILED);
		canceled.end();
		clock.pass(1_000);

		expect(placesNow()).toBe(4);
	});
});

describe('what stays in memory', () => {
	it('a run is listened to while it waits, not longer', () => {
		const run = new Run();
		run.scanAll(10, 10, () => ACCEPTED);
		expect(listeners(run)).toBe(1);
		clock.pass(1_000);

		expect(run.done).toHaveLength(10);
		expect(listeners(run)).toBe(0);
	});

	it('a run that waits is logged, and no timer outlives it', () => {
		const [holding, waiting] = [new Run(), new Run()];
		holding.scanAll(4, 4, () => ({ ...ACCEPTED, ms: HOUR }));
		waiting.scan(() => ACCEPTED);
		const log = jest.spyOn(waiting.progress, 'log');
		clock.pass(95_000);
		expect(log).toHaveBeenCalledTimes(3);

		waiting.end();

		// The four answers that are on their way.
		expect(clock.pending).toBe(4);
	});

	it('thousands of profiles are forgotten a minute after their last request', () => {
		const run = new Run({ isAutomatic: false });
		for (let profile = 0; profile < 10_000; profile++) run.scan(() => ACCEPTED, `${profile}`);
		clock.pass(2 * MINUTE);

		expect(run.done).toHaveLength(10_000);
		expect(gate.isForgettable(clock.now())).toBe(true);
	});

	it('a profile that was refused is remembered for a minute, or as long as its pause', () => {
		new Run().scan(() => ({ ...REFUSED, retryAfterMs: HOUR }));
		clock.pass(50 * MINUTE);
		expect(gate.isForgettable(clock.now())).toBe(false);
		clock.pass(15 * MINUTE);

		expect(gate.isForgettable(clock.now())).toBe(true);
	});
});

describe('gates', () => {
	const account: Account = {
		host: 'api.example.com',
		credentialId: 'a',
		apiKey: 'key-1',
	};
	const others: Account[] = [
		{ ...account, host: 'other.example.com' },
		{ ...account, credentialId: 'b' },
		// With an expression, a credential can lead to several accounts.
		{ ...account, apiKey: 'key-2' },
	];

	it('are the same for the same account, and others for others', () => {
		const gates = new Gates(clock);

		expect(gates.gateTo({ ...account })).toBe(gates.gateTo({ ...account }));
		const all = [account, ...others].map((each) => gates.gateTo(each));
		expect(new Set(all).size).toBe(4);
	});

	it('are forgotten a minute after their last request', () => {
		const gates = new Gates(clock);
		for (let index = 0; index < 10_000; index++) {
			gates.gateTo({ ...account, credentialId: `${index}` });
		}
		clock.pass(MINUTE + 1);

		gates.gateTo(account);

		expect(gates.size).toBe(1);
	});

	it('are kept while a request is open, waits, or is paused', () => {
		const gates = new Gates(clock);
		gate = gates.gateTo(account);
		const run = new Run({ patienceMs: 3 * HOUR });
		run.scanAll(10, 10, () => ({ ...ACCEPTED, ms: HOUR }));
		clock.pass(30 * MINUTE);
		gates.gateTo({ ...account, credentialId: 'another' });

		expect(gates.gateTo(account)).toBe(gate);
	});
});
