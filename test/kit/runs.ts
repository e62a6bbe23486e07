import { env } from 'node:process';

/**
 * How often a random test runs: in `*.random.test.ts`, the higher number is that of `npm run
 * test:slow`.
 */
export function runs(usual: number, slow: number): number {
	return env.TEST_SLOW ? slow : usual;
}

/** The values of a list in random order. */
export function shuffled<Value>(values: readonly Value[]): Value[] {
	const keyed = values.map((value) => ({ value, key: Math.random() }));
	return keyed.sort((one, other) => one.key - other.key).map(({ value }) => value);
}
