import { isReached } from './figures';
import type { Figure } from './measurement';

const HEADINGS = ['Section', 'Setting', 'Figure', 'Median', 'Unit', 'Rounds', 'Target', ''];

/** The figures as a text table. */
export function formatFigures(figures: Figure[]): string {
	const lines = [HEADINGS, ...figures.map(cellsOf)];
	const widths = HEADINGS.map((_, column) =>
		Math.max(...lines.map((line) => line[column]?.length ?? 0)),
	);
	return lines
		.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
		.map((line) => line.trimEnd())
		.join('\n');
}

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
