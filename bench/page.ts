import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ROOT } from '../dev/stack/paths';

const PAGE = join(ROOT, 'docs', 'performance.md');

/** A part of docs/performance.md that is written by the report, between two marks of its own. */
export type Part = 'figures' | 'pace';

const MARKS: Record<Part, [string, string]> = {
	figures: ['<!-- figures: written by bench/report.ts -->', '<!-- end of figures -->'],
	pace: ['<!-- pace: written by bench/report.ts -->', '<!-- end of pace -->'],
};

/** Replaces a part of the page with this text, and leaves the rest as it is. */
export async function writePart(part: Part, text: string): Promise<void> {
	const [begin, end] = MARKS[part];
	const page = await readFile(PAGE, 'utf8');
	const [before, rest] = page.split(begin);
	const after = rest?.split(end)[1];
	if (before === undefined || after === undefined) throw new Error(`${PAGE} has no ${part} part.`);
	await writeFile(PAGE, `${before}${begin}\n\n${text}\n\n${end}${after}`);
}

export function markdownTable(rows: string[][], headings: string[]): string {
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n');
}
