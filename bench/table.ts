/** Rows as a text table, with a rule below its headings. */
export function formatTable(headings: string[], rows: string[][]): string {
	const lines = [headings, ...rows];
	const widths = headings.map((_, column) =>
		Math.max(...lines.map((line) => line[column]?.length ?? 0)),
	);
	const format = (line: string[]) =>
		line
			.map((cell, column) => cell.padEnd(widths[column] ?? 0))
			.join('  ')
			.trimEnd();
	const rule = widths.map((width) => '-'.repeat(width)).join('  ');
	return [format(headings), rule.trimEnd(), ...rows.map(format)].join('\n');
}
