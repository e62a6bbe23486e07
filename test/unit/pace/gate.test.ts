import fc from 'fast-check';
import type { Logger } from 'n8n-workflow';

import { Progress } from '../../../nodes/IdentityVerification/transport/pace/progress';
import type { PacedRun } from '../../../nodes/IdentityVerification/transport/pace/progress';
import { Gate } from '../../../nodes/IdentityVerification/transport/pace/gate';
import type { Ending } from '../../../nodes/IdentityVerification/transport/pace/pace';

// The gate by itself, with a simulated clock: how runs with one credential get along.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** What becomes of a request, and after which time. */
type Answer = Pick<Ending, 'kind' | 'retryAfterMs'> & { ms: number };

const taken: Answer = { kind: 'taken', ms: 200 };

let gate: Gate;

beforeEach(() => {
	jest.useFakeTimers();
	gate = new Gate();
});
afterEach(() => {
	jest.useRealTimers();
});

const after = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

class Run implements PacedRun {
	readonly since = performance.now();
	readonly progress = new Progress({ info: () => undefined } as unknown as Logger);
	readonly stop = new AbortController();
	readonly ended = this.stop.signal;
	/** What became of its requests. */
	readonly done: string[] = [];

	constructor(
		readonly isAutomatic = true,
		readonly patienceMs = 5 * MINUTE,
	) {}

	/** Sends one request until it isn't refused any more. */
	async send(answer: () => Answer): Promise<void> {
		for (let refusals = 0; ; refusals++) {
			const sentAt = await gate.enter(this, refusals);
			if (sentAt === undefined) return void this.done.push('turned away');
			const { ms, ...outcome } = answer();
			await after(ms);
			gate.leave(this, { ...outcome, sentAt, tookMs: ms });
			if (outcome.kind !== 'refused') return void this.done.push(outcome.kind);
		}
	}

	/** Sends requests, so many of them at a time. */
	async sendAll(count: number, atOnce: number, answer: () => Answer): Promise<void> {
		let begun = 0;
		const work = async () => {
			while (begun++ < count) await this.send(answer);
		};
		await Promise.all(Array.from({ length: Math.min(atOnce, count) }, work));
	}
}

const refusal = { ms: fc.integer({ min: 0, max: 500 }), kind: fc.constant('refused' as const) };

const anyAnswer: fc.Arbitrary<Answer> = fc.oneof(
	{ weight: 6, arbitrary: fc.integer({ min: 1, max: 5_000 }).map((ms) => ({ ...taken, ms })) },
	{ weight: 1, arbitrary: fc.constant({ kind: 'answered' as const, ms: 100 }) },
	{
		weight: 3,
		arbitrary: fc.record({
			...refusal,
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
	patienceMs: fc.constantFrom(1_000, MINUTE, HOUR),
	endsAt: fc.option(fc.integer({ min: 0, max: 15 * MINUTE }), { nil: undefined }),
});

it('every request gets its turn or is turned away, whatever the service answers', async () => {
	const runs = fc.array(anyRun, { minLength: 1, maxLength: 6 });
	const answers = fc.array(anyAnswer, { minLength: 1, maxLength: 12 });
	await fc.assert(
		fc.asyncProperty(runs, answers, async (plans, list) => {
			gate = new Gate();
			let next = 0;
			const answer = () => list[next++ % list.length] ?? taken;
			const started: Run[] = [];
			for (const { beginsAt, count, fixed, patienceMs, endsAt } of plans) {
				setTimeout(() => {
					const run = new Run(fixed === undefined, patienceMs);
					started.push(run);
					void run.sendAll(count, fixed ?? 64, answer);
					if (endsAt !== undefined) setTimeout(() => run.stop.abort(), endsAt);
				}, beginsAt);
			}
			const wanted = plans.reduce((sum, { count }) => sum + count, 0);
			const ended = () => started.reduce((sum, { done }) => sum + done.length, 0);
			for (let minutes = 0; ended() < wanted && minutes < 48 * 60; minutes++) {
				await jest.advanceTimersByTimeAsync(MINUTE);
			}

			expect(ended()).toBe(wanted);
		}),
		{ numRuns: 60 },
	);
});

it('a run that ends in a pause is turned away at once', async () => {
	const [first, stopped] = [new Run(true, 2 * HOUR), new Run(true, 2 * HOUR)];
	void first.send(() => ({ kind: 'refused', ms: 100, retryAfterMs: HOUR }));
	await jest.advanceTimersByTimeAsync(1_000);
	void stopped.send(() => taken);
	await jest.advanceTimersByTimeAsync(1_000);

	stopped.stop.abort();
	await jest.advanceTimersByTimeAsync(1_000);

	expect(stopped.done).toEqual(['turned away']);
});

it('a run whose requests are refused each time does not hold up the others', async () => {
	const others = new Run();
	let refusals = 0;
	void new Run().send(() => {
		refusals++;
		return { kind: 'refused', ms: 20 };
	});
	void others.sendAll(500, 64, () => taken);
	await jest.advanceTimersByTimeAsync(3 * MINUTE);

	expect(others.done).toHaveLength(500);
	expect(refusals).toBeLessThan(30);
});

it('runs take turns', async () => {
	const batch = new Run();
	void batch.sendAll(1_000, 64, () => ({ ...taken, ms: 20_000 }));
	await jest.advanceTimersByTimeAsync(1_000);
	const single = new Run();
	void single.send(() => taken);
	await jest.advanceTimersByTimeAsync(30_000);

	expect(single.done).toEqual(['taken']);
	expect(batch.done.length).toBeLessThan(10);
});

it('a refused document does not wait until a slow one of another run is done', async () => {
	void new Run().send(() => ({ ...taken, ms: 2 * MINUTE }));
	const answers: Answer[] = [{ kind: 'refused', ms: 5 }];
	const single = new Run();
	void single.send(() => answers.shift() ?? taken);
	await jest.advanceTimersByTimeAsync(20_000);

	expect(single.done).toEqual(['taken']);
});

it('one document gets its turn beside a batch with a fixed number of requests', async () => {
	void new Run(false).sendAll(5_000, 100, () => taken);
	await jest.advanceTimersByTimeAsync(1_000);
	const single = new Run();
	void single.send(() => taken);
	await jest.advanceTimersByTimeAsync(1_000);

	expect(single.done).toEqual(['taken']);
});

it('a run that started during a long pause continues after it, although a request is still open', async () => {
	const first = new Run();
	await gate.enter(first, 0);
	void first.send(() => ({ kind: 'refused', ms: 5, retryAfterMs: 400_000 }));
	await jest.advanceTimersByTimeAsync(1_000);
	const second = new Run();
	void second.send(() => taken);
	await jest.advanceTimersByTimeAsync(400_000);

	expect(second.done).toEqual(['taken']);
});
