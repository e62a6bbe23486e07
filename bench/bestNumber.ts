const NUMBERS = [1, 2, 4, 8, 16, 32, 64];

/** A number that has to take this many times the best time so far isn't tried. */
const HOPELESS = 1.3;

/** The search starts with the smallest number whose least time is within this factor of the best one. */
const ABOUT_AS_GOOD = 1.05;

/** A number of requests at once, and the time that it took. */
interface Measured {
	number: number;
	ms: number;
}

/**
 * Searches for the fixed number that takes the least time: from the most promising one up as long as
 * it gets faster, otherwise down.
 * @param leastMs what a number takes at least
 * @param measure what a number takes; Infinity when it doesn't do the whole job
 */
export async function findBestNumber(
	leastMs: (number: number) => number,
	measure: (number: number) => Promise<number>,
): Promise<number> {
	const promising = ABOUT_AS_GOOD * Math.min(...NUMBERS.map(leastMs));
	const start = NUMBERS.findIndex((number) => leastMs(number) <= promising);
	const at = async (index: number): Promise<Measured> => {
		const number = NUMBERS[index] ?? NaN;
		return { number, ms: await measure(number) };
	};
	let best = await at(start);
	for (const step of [1, -1]) {
		const first = best;
		for (let index = start + step; index in NUMBERS; index += step) {
			if (leastMs(NUMBERS[index] ?? NaN) > HOPELESS * best.ms) break;
			const next = await at(index);
			if (next.ms >= best.ms) break;
			best = next;
		}
		if (best !== first) break;
	}
	return best.number;
}
