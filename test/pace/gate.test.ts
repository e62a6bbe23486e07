import { getEventListeners } from 'node:events';

import fc from 'fast-check';

import { Gate } from '../../nodes/IdentityVerification/transport/pace/gate';
import { Gates } from '../../nodes/IdentityVerification/transport/pace/gates';
import type { Account } from '../../nodes/IdentityVerification/transport/pace/gates';
import type { RequestEnd } from '../../nodes/IdentityVerification/transport/pace/lane';
import { JumpingClock } from './support/jumpingClock';
import { SimulatedRun } from './support/simulation';
import type { End } from './support/simulation';

// The law of the pace, rule by rule, by a simulated clock.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** What becomes of a request, and after which time. */
type Answer = RequestEnd & { ms: number };

const ACCEPTED: Answer = { kind: 'accepted', ms: 200 };
const REFUSED: Answer = { kind: 'refused', ms: 5 };
const FAILED: Answer = { kind: 'failed', ms: 100 };
const INCOMPLETE: Answer = { kind: 'incomplete', ms: 100 };
const HANGING: Answer = { kind: 'failed', ms: HOUR };

let clock: JumpingClock;
let gate: Gate;

beforeEach(() => {
	// As in a process that has run for a day.
	clock = new JumpingClock(24 * HOUR);
	gate = new Gate(clock);
});

interface Scans {
	/** How many at a time. */
	atOnce?: number;
	/** The requests take turns in these. */
	lanes?: string[];
	/** As a run of a node that stops the workflow when a request fails. */
	endsWhenDone?: boolean;
}

/** A run with what has become of its requests. */
class Run extends SimulatedRun {
	readonly done: End[] = [];

	/** When its requests were sent. */
	readonly sentAt: number[] = [];

	open = 0;

	constructor(options: { patienceMs?: number } = {}) {
		super(gate, clock, options);
	}

	/** Sends requests, each until it isn't refused any more. */
	scan(
		count: number,
		answer: () => Answer,
		{ atOnce = count, lanes = ['scan'], endsWhenDone = false }: Scans = {},
	): this {
		const all = Array.from({ length: count }, (_, index) => lanes[index % lanes.length] ?? '');
		this.sendAll(all, atOnce, this.service(answer), (end) => {
			this.done.push(end);
			if (endsWhenDone) this.end();
		});
		return this;
	}

	private service(answer: () => Answer) {
		return {
			request: (_lane: string, answered: (end: RequestEnd) => void) => {
				const { ms, ...end } = answer();
				this.sentAt.push(clock.now());
				this.open++;
				clock.after(ms, () => {
					this.open--;
					answered(end);
				});
			},
		};
	}
}

/** Answers with one after the other, and then accepts. */
function inTurn(...answers: Answer[]): () => Answer {
	return () => answers.shift() ?? ACCEPTED;
}

/** Accepts, but no two requests at the same time. */
function oneByOne(): () => Answer {
	let sent = 0;
	return () => ({ ...ACCEPTED, ms: SECOND + (sent++ % 100) });
}

function passUntil(isSo: () => boolean): void {
	while (!isSo() && clock.next());
	clock.pass(0);
}

/** How many requests may be open while none is, as a new run finds out. */
function placesNow(): number {
	const run = new Run().scan(100, () => HANGING, { lanes: ['of another profile'] });
	clock.pass(0);
	run.end();
	return run.open;
}

const listeners = ({ stopSignal }: SimulatedRun) => getEventListeners(stopSignal, 'abort').length;

describe('of an account, there may be open', () => {
	it('four requests at first', () => {
		expect(placesNow()).toBe(4);
	});

	it('one more for each answer, up to 64', () => {
		const run = new Run().scan(1_000, oneByOne());
		passUntil(() => run.done.length === 10);
		expect(run.open).toBe(14);
		passUntil(() => run.done.length === 100);

		expect(run.open).toBe(64);
	});

	it('no more for answers while not all places are taken', () => {
		new Run().scan(60, oneByOne(), { atOnce: 3 });
		clock.pass(MINUTE);

		expect(placesNow()).toBe(4);
	});

	it.each([
		['a failure', FAILED],
		['a 429', { ...REFUSED, ms: 100 }],
		['a 503 with Retry-After', { ...FAILED, retryAfterMs: SECOND }],
	])('half as many after %s, once for those that were open together', (_kind, answer) => {
		new Run().scan(4, inTurn(answer, answer, answer, answer));
		clock.pass(MINUTE);

		expect(placesNow()).toBe(2);
	});

	it('from then on, one more for each round of answers', () => {
		new Run().scan(4, () => FAILED);
		clock.pass(SECOND);
		const run = new Run().scan(1_000, oneByOne());
		passUntil(() => run.done.length === 2 + 3 + 4 + 5 + 6 + 7);

		expect(run.open).toBe(7);
	});

	it('never less than one', () => {
		new Run().scan(12, () => FAILED, { atOnce: 1 });
		clock.pass(MINUTE);

		expect(placesNow()).toBe(1);
	});

	it('as many as before after requests that the node could not send whole', () => {
		new Run().scan(12, () => INCOMPLETE);
		clock.pass(MINUTE);

		expect(placesNow()).toBe(4);
	});

	it('as many as before after those that a canceled run gave up', () => {
		const canceled = new Run().scan(4, () => FAILED);
		clock.pass(0);
		canceled.end();
		clock.pass(SECOND);

		expect(placesNow()).toBe(4);
	});
});

describe('it is shared', () => {
	const slow = () => ({ ...ACCEPTED, ms: 10 * SECOND });

	it('evenly by the operations and profiles that have something to send', () => {
		const hanging = new Run().scan(1_000, () => HANGING, { lanes: ['one'] });
		const other = new Run().scan(1_000, oneByOne(), { lanes: ['another'] });
		clock.pass(0);
		expect([hanging.open, other.open]).toEqual([2, 2]);
		clock.pass(10 * SECOND);

		expect(hanging.open).toBe(32);
	});

	it('not by those that are held', () => {
		new Run().scan(1, () => ({ ...REFUSED, retryAfterMs: MINUTE }), { lanes: ['held'] });
		clock.pass(SECOND);
		const run = new Run().scan(100, slow);
		clock.pass(0);

		expect(run.open).toBe(2);
	});

	it('in turns by operations and profiles', () => {
		const runs = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((lane) =>
			new Run().scan(100, oneByOne(), { lanes: [lane], atOnce: 10 }),
		);
		clock.pass(MINUTE);
		const sent = runs.map(({ sentAt }) => sentAt.length);

		expect(Math.max(...sent) - Math.min(...sent)).toBeLessThan(3);
	});

	it('in turns by runs, however much each has to send', () => {
		const batch = new Run().scan(1_000, slow);
		clock.pass(SECOND);
		const single = new Run().scan(1, () => ACCEPTED);
		clock.pass(11 * SECOND);

		expect(single.done).toEqual(['accepted']);
		expect(batch.done).toHaveLength(4);
	});

	describe('and one place more while others hang', () => {
		const inOtherLane = (count: number, answer: () => Answer, lane = 'another') =>
			new Run().scan(count, answer, { lanes: [lane] });

		beforeEach(() => {
			new Run().scan(100, () => ({ ...HANGING, ms: 10 * MINUTE }));
			clock.pass(SECOND);
		});

		it('goes to one that has nothing open, in turns', () => {
			const broken = () => ({ ...INCOMPLETE, ms: SECOND });
			const others = ['one', 'another'].map((lane) => inOtherLane(2, broken, lane));
			const open: number[][] = [];
			for (let turn = 0; turn < 4; turn++) {
				clock.pass(turn === 0 ? 0 : SECOND);
				open.push(others.map((run) => run.open));
			}

			expect(open).toEqual([
				[1, 0],
				[0, 1],
				[1, 0],
				[0, 1],
			]);
		});

		it.each([FAILED, REFUSED])('goes to none after a request there ended so: %j', (answer) => {
			inOtherLane(1, inTurn(answer));
			clock.pass(MINUTE);
			const other = inOtherLane(1, () => ACCEPTED, 'a third');
			clock.pass(MINUTE);

			expect(other.sentAt).toEqual([]);
		});

		it('is given again once a request has found another one', () => {
			inOtherLane(1, () => FAILED);
			clock.pass(10 * MINUTE);
			const other = inOtherLane(1, () => ACCEPTED, 'a third');
			clock.pass(SECOND);

			expect(other.done).toEqual(['accepted']);
		});
	});
});

describe('an operation with a profile is held', () => {
	const refusals = (count: number, answer = REFUSED) => Array<Answer>(count).fill(answer);
	const pausesOf = ({ sentAt }: Run) =>
		sentAt.slice(1).map((ms, index) => Math.round((ms - (sentAt[index] ?? 0)) / SECOND));

	it.each([
		['429', { ...REFUSED, retryAfterMs: 20 * SECOND }],
		['503', { ...FAILED, retryAfterMs: 20 * SECOND }],
	])('for as long as a %s asks, and no other is', (_status, answer) => {
		const run = new Run().scan(3, inTurn(answer), { atOnce: 1 });
		clock.pass(SECOND);
		const [same, other] = [new Run(), new Run()];
		same.scan(1, () => ACCEPTED);
		other.scan(1, () => ACCEPTED, { lanes: ['another'] });
		clock.pass(18 * SECOND);
		expect([same.done, other.done]).toEqual([[], ['accepted']]);
		clock.pass(3 * SECOND);

		expect(same.done).toEqual(['accepted']);
		expect(pausesOf(run)[0]).toBe(20);
	});

	it('for 1, 2, 4, 8, 8 s after a 429 without Retry-After, and for 1 s again after an answer', () => {
		const run = new Run().scan(2, inTurn(...refusals(6), ACCEPTED, REFUSED), { atOnce: 1 });
		clock.pass(MINUTE);

		expect(pausesOf(run)).toEqual([1, 2, 4, 8, 8, 8, 0, 1]);
	});

	it('not by a 429 without Retry-After while another of its requests is open', () => {
		const run = new Run().scan(2, inTurn({ ...ACCEPTED, ms: HOUR }, REFUSED));
		clock.pass(SECOND - 1);

		expect(run.done).toEqual(['accepted']);
	});

	it('no shorter because of the answer to an older request', () => {
		const run = new Run().scan(
			3,
			inTurn(
				{ ...REFUSED, retryAfterMs: 20 * SECOND },
				{ ...REFUSED, ms: SECOND, retryAfterMs: SECOND },
				{ ...ACCEPTED, ms: 2 * SECOND },
			),
		);
		clock.pass(19 * SECOND);
		expect(run.done).toEqual(['accepted']);
		clock.pass(2 * SECOND);

		expect(run.done).toEqual(['accepted', 'accepted', 'accepted']);
	});
});

describe('a run is given up, unpaid', () => {
	it('after five refusals in a row', () => {
		const refusals = Array<Answer>(9).fill({ ...REFUSED, retryAfterMs: MINUTE });
		const run = new Run({ patienceMs: MINUTE }).scan(1, inTurn(...refusals));
		clock.pass(HOUR);

		expect(run.done).toEqual(['given up']);
		expect(run.sentAt).toHaveLength(5);
	});

	it('when they took longer than Max Rate Limit Wait, with all that it still has to send', () => {
		const run = new Run({ patienceMs: 5 * MINUTE }).scan(100, () => REFUSED, { atOnce: 2 });
		clock.pass(5 * MINUTE);
		expect(run.done).toEqual([]);
		clock.pass(10 * SECOND);

		expect(run.done).toEqual(Array(100).fill('given up'));
	});

	it('not if they took less, however long ago', () => {
		const run = new Run({ patienceMs: MINUTE });
		clock.pass(2 * MINUTE);
		const other = new Run().scan(1, () => REFUSED);
		clock.pass(30 * SECOND);
		other.end();
		clock.pass(2 * MINUTE);
		run.scan(1, () => ACCEPTED);
		clock.pass(SECOND);

		expect(run.done).toEqual(['accepted']);
	});

	it('not for refusals before it began', () => {
		new Run({ patienceMs: MINUTE }).scan(1, () => REFUSED);
		clock.pass(2 * MINUTE);
		const run = new Run({ patienceMs: MINUTE }).scan(1, inTurn(REFUSED));
		clock.pass(MINUTE);

		expect(run.done).toEqual(['accepted']);
	});

	it('not while some of its requests are accepted', () => {
		let sent = 0;
		const run = new Run({ patienceMs: 5 * MINUTE });
		run.scan(20, () => (++sent % 5 === 0 ? ACCEPTED : { ...REFUSED, retryAfterMs: MINUTE }));
		clock.pass(2 * HOUR);

		expect(run.done).toEqual(Array(20).fill('accepted'));
	});

	it.each([REFUSED, FAILED])(
		'at once for a Retry-After beyond Max Rate Limit Wait: %j',
		(answer) => {
			const run = new Run({ patienceMs: MINUTE });
			run.scan(100, inTurn({ ...answer, retryAfterMs: 2 * MINUTE }), { atOnce: 1 });
			clock.pass(SECOND);

			expect(run.sentAt).toHaveLength(1);
			expect(run.done).toHaveLength(100);
			expect(run.done.slice(1)).toEqual(Array(99).fill('given up'));
		},
	);

	it('not because of a Retry-After that is too long for another one', () => {
		const patient = new Run({ patienceMs: HOUR });
		new Run({ patienceMs: MINUTE }).scan(1, () => ({ ...REFUSED, retryAfterMs: 2 * MINUTE }));
		patient.scan(1, () => ACCEPTED, { atOnce: 1 });
		clock.pass(3 * MINUTE);

		expect(patient.done).toEqual(['accepted']);
	});
});

describe('a run that begins while a longer Retry-After holds', () => {
	const hours: Answer = { ...REFUSED, retryAfterMs: 2 * HOUR };

	beforeEach(() => {
		new Run().scan(1, () => hours);
		clock.pass(SECOND);
	});

	it.each([
		['a 429', REFUSED],
		['a 429 with Retry-After', hours],
		['a 503', FAILED],
		['a 503 with Retry-After', { ...FAILED, retryAfterMs: SECOND }],
	])('sends one request, also if the answer is %s', (_name, answer) => {
		const run = new Run().scan(100, inTurn(answer));
		clock.pass(5 * MINUTE);

		expect(run.sentAt).toHaveLength(1);
		expect(run.done).toHaveLength(100);
		expect(run.done.filter((end) => end !== 'given up').length).toBeLessThan(2);
	});

	it('sends all others once it is accepted', () => {
		const run = new Run().scan(100, () => ({ ...ACCEPTED, ms: SECOND }));
		clock.pass(SECOND - 1);
		expect(run.open).toBe(1);
		clock.pass(MINUTE);

		expect(run.done).toEqual(Array(100).fill('accepted'));
	});

	it('sends it also after an older request has failed', () => {
		gate = new Gate(clock);
		new Run().scan(2, inTurn({ ...FAILED, ms: 10 * SECOND }, hours));
		clock.pass(SECOND);
		const run = new Run().scan(1, () => ACCEPTED);
		clock.pass(10 * SECOND);

		expect(run.done).toEqual(['accepted']);
	});

	it('sends one request, as each run before it', () => {
		for (let runs = 0; runs < 3; runs++) {
			const run = new Run().scan(10, () => hours);
			clock.pass(SECOND);

			expect(run.sentAt).toHaveLength(1);
			expect(run.done).toEqual(Array(10).fill('given up'));
		}
	});
});

it('a run that ends waits for nobody, and its turn goes to others', () => {
	const [canceled, other] = [new Run(), new Run()];
	canceled.scan(200, () => ({ ...ACCEPTED, ms: SECOND }));
	other.scan(1, () => ACCEPTED);
	clock.pass(0);
	canceled.end();
	expect(canceled.done).toEqual(Array(197).fill('given up'));
	clock.pass(2 * SECOND);

	expect(other.done).toEqual(['accepted']);
});

it('a run that ends because a request failed sends nothing more', () => {
	const run = new Run().scan(10, () => FAILED, { endsWhenDone: true });
	clock.pass(MINUTE);

	expect(run.sentAt).toHaveLength(4);
});

describe('what stays in memory', () => {
	it('a run is listened to while it waits, not longer', () => {
		const run = new Run().scan(10, () => ACCEPTED, { lanes: ['one', 'another'] });
		clock.pass(0);
		expect(listeners(run)).toBe(1);
		clock.pass(SECOND);

		expect(run.done).toHaveLength(10);
		expect(listeners(run)).toBe(0);
	});

	it('a run that waits is logged every 30 s, and nothing is left of it afterwards', () => {
		new Run().scan(4, () => HANGING);
		clock.pass(0);
		const waiting = new Run().scan(1, () => ACCEPTED);
		const log = jest.spyOn(waiting.progress, 'log');
		clock.pass(95 * SECOND);
		expect(log).toHaveBeenCalledTimes(3);

		waiting.end();
		clock.pass(MINUTE);

		// The four answers that are on their way.
		expect(clock.pending).toBe(4);
	});

	it('thousands of profiles are forgotten a minute after their last request', () => {
		const run = new Run();
		const lanes = Array.from({ length: 10_000 }, (_, profile) => `${profile}`);
		run.scan(10_000, () => ACCEPTED, { lanes });
		clock.pass(2 * MINUTE);

		expect(run.done).toHaveLength(10_000);
		expect(gate.isForgettable()).toBe(true);
	});

	it('a profile that is held is remembered as long', () => {
		new Run().scan(1, () => ({ ...REFUSED, retryAfterMs: HOUR }));
		clock.pass(50 * MINUTE);
		expect(gate.isForgettable()).toBe(false);
		clock.pass(15 * MINUTE);

		expect(gate.isForgettable()).toBe(true);
	});
});

describe('gates', () => {
	const account: Account = {
		baseUrl: 'https://api.example.com/v1',
		apiKey: 'key-1',
		credential: { id: 'a' },
	};

	it('are the same for the same account, and others for others', () => {
		const gates = new Gates(clock);
		const others: Account[] = [
			{ ...account, baseUrl: 'https://other.example.com/v1' },
			{ ...account, credential: { id: 'b' } },
			// With an expression, a credential can lead to several accounts.
			{ ...account, apiKey: 'key-2' },
		];

		const sameHost = { ...account, baseUrl: 'https://api.example.com/v2' };
		expect(gates.gateTo(sameHost)).toBe(gates.gateTo(account));
		const all = [account, ...others].map((each) => gates.gateTo(each));
		expect(new Set(all).size).toBe(4);
	});

	it('are forgotten a minute after their last request', () => {
		const gates = new Gates(clock);
		const first = gates.gateTo(account);
		clock.pass(MINUTE + 1);

		expect(gates.gateTo(account)).not.toBe(first);
	});

	it('are kept while a request is open or waits', () => {
		const gates = new Gates(clock);
		gate = gates.gateTo(account);
		new Run().scan(10, () => HANGING);
		clock.pass(30 * MINUTE);

		expect(gates.gateTo(account)).toBe(gate);
	});
});

describe('whatever the service answers', () => {
	const anyAnswer: fc.Arbitrary<Answer> = fc.oneof(
		{ weight: 6, arbitrary: fc.integer({ min: 1, max: 5_000 }).map((ms) => ({ ...ACCEPTED, ms })) },
		{ weight: 1, arbitrary: fc.constant(INCOMPLETE) },
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
		atOnce: fc.integer({ min: 1, max: 100 }),
		lanes: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 4 }),
		patienceMs: fc.constantFrom(1_000, MINUTE, HOUR),
		endsAt: fc.option(fc.integer({ min: 0, max: 15 * MINUTE }), { nil: undefined }),
	});

	it('every request gets its turn or is given up, and nothing stays behind', () => {
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
					const { beginsAt, count, atOnce, lanes, patienceMs, endsAt } = plan;
					clock.after(beginsAt, () => {
						const run = new Run({ patienceMs });
						runs[index] = run;
						run.scan(count, answer, { atOnce, lanes });
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
