import { z } from 'zod/v4';

import { environment } from './environment';

const target = z.object({ is: z.enum(['at least', 'at most']), value: z.number() });

const figure = z.object({
	section: z.string(),
	setting: z.string(),
	name: z.string(),
	value: z.number(),
	unit: z.string(),
	rounds: z.array(z.number()).optional(),
	target: target.optional(),
});

/** What `npm run bench -- --json FILE` writes. */
export const measurement = z.object({
	environment,
	minutes: z.number(),
	figures: z.array(figure),
});

/** What a figure has to be. */
export type Target = z.infer<typeof target>;

/** One measured value: the median of its rounds, if there are several. */
export type Figure = z.infer<typeof figure>;

export type Measurement = z.infer<typeof measurement>;

/** Rounds of each comparison. */
export const ROUNDS = 3;

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

/** Of what `cellsOf` gives. */
export const HEADINGS = ['Section', 'Setting', 'Figure', 'Median', 'Unit', 'Rounds', 'Target', ''];

export function cellsOf(figure: Figure): string[] {
	const { section, setting, name, value, unit, rounds = [], target } = figure;
	const reached = isReached(figure);
	return [
		section,
		setting,
		name,
		formatNumber(value),
		unit,
		rounds.map(formatNumber).join(' '),
		target ? `${target.is} ${formatNumber(target.value)}` : '',
		reached === undefined ? '' : reached ? 'reached' : 'MISSED',
	];
}

/** Three digits, as far as they say anything. */
export function formatNumber(value: number): string {
	const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
	return value.toFixed(digits);
}

/** Rows as a table in Markdown, in columns that can be read on a terminal, too. */
export function markdownTable(rows: string[][], headings: string[]): string {
	const widths = headings.map((_, column) =>
		Math.max(...[headings, ...rows].map((cells) => cells[column]?.length ?? 0)),
	);
	const line = (cells: string[]) =>
		`| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
	const rule = widths.map((width) => '-'.repeat(width));
	return [headings, rule, ...rows].map(line).join('\n');
}
