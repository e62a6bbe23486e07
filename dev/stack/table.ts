import { isRight } from './mainJob';
import type { Row } from './mainJob';

const HEADINGS = ['Job', 'Expected', 'Went to', 'Execution', 'Status', ''];

/** The rows as a text table, the wrong ones marked. */
export function formatTable(rows: Row[]): string {
	const cells = rows.map((row) => [
		row.job,
		row.expected,
		row.got || '-',
		row.executionId || '-',
		row.status,
		isRight(row) ? 'right' : 'WRONG',
	]);
	const lines = [HEADINGS, ...cells];
	const widths = HEADINGS.map((_, column) =>
		Math.max(...lines.map((line) => line[column]?.length ?? 0)),
	);
	const format = (line: string[]) =>
		line
			.map((cell, column) => cell.padEnd(widths[column] ?? 0))
			.join('  ')
			.trimEnd();
	const rule = widths.map((width) => '-'.repeat(width)).join('  ');
	return [format(HEADINGS), rule.trimEnd(), ...cells.map(format)].join('\n');
}
