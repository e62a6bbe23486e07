import type { Figure, Target } from './measurement';

export interface FigureOptions {
	/** Which of several settings it was measured with. */
	setting?: string;
	target?: Target;
}

/** Collects the figures of one section of the benchmark. */
export class Section {
	readonly figures: Figure[] = [];

	constructor(readonly title: string) {}

	/** Adds a figure; of several rounds, their median. */
	add(name: string, unit: string, rounds: number | number[], options: FigureOptions = {}): void {
		const { setting = '', target } = options;
		const list = Array.isArray(rounds) ? rounds : [rounds];
		this.figures.push({
			section: this.title,
			setting,
			name,
			value: median(list),
			unit,
			...(list.length > 1 && { rounds: list }),
			...(target && { target }),
		});
	}
}

export function atLeast(value: number): Target {
	return { is: 'at least', value };
}

export function atMost(value: number): Target {
	return { is: 'at most', value };
}

/** Whether a figure is what it has to be; undefined when nothing is asked of it. */
export function isReached({ value, target }: Figure): boolean | undefined {
	if (!target) return undefined;
	return target.is === 'at least' ? value >= target.value : value <= target.value;
}

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
	const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN;
	return (lower + upper) / 2;
}

/** Each round's own ratio: what disturbed a round disturbed both ways. */
export function ratios(of: readonly number[], to: readonly number[]): number[] {
	return of.map((value, round) => value / (to[round] ?? NaN));
}
