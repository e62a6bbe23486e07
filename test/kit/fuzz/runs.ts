import { randomInt } from 'node:crypto';

import fc from 'fast-check';

/** How many bodies a fuzz test tries: FUZZ_RUNS, or 4,000. */
export const FUZZ_RUNS = Number(process.env.FUZZ_RUNS ?? 4_000);

/** FUZZ_SEED, or another one each time. fast-check names it in the message of a failure. */
export const FUZZ_SEED = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));

/** Checks a property with FUZZ_RUNS and FUZZ_SEED. */
export async function assertFuzzed<Input>(
	arbitrary: fc.Arbitrary<Input>,
	check: (input: Input) => Promise<void> | void,
	runs = FUZZ_RUNS,
): Promise<void> {
	const property = fc.asyncProperty(arbitrary, async (input) => await check(input));
	await fc.assert(property, {
		numRuns: runs,
		seed: FUZZ_SEED,
		includeErrorInReport: true,
		// Once a failure is found, shrinking a long body takes too long: it is cut short.
		interruptAfterTimeLimit: 18 * 60_000,
		markInterruptAsFailure: true,
	});
}
