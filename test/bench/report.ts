import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ROOT } from '../../dev/stack/paths';
import { measurement } from './measurement';
import type { Figure, Measurement } from './measurement';
import { drawPanels, panelsOf } from './plot';
import { cellsOf, formatNumber } from './table';
import { TRIGGER_SETTINGS, triggerLabel } from './trigger';
import { SECRET } from './triggerWays';

const PAGE = join(ROOT, 'docs', 'performance.md');
const PLOT = join(ROOT, 'docs', 'performance.svg');
const BEGIN = '<!-- figures: written by test/bench/report.ts -->';
const END = '<!-- end of figures -->';
const HEADINGS = ['Setting', 'Figure', 'Median', 'Unit', 'Rounds', 'Target', ''];

/** Puts the figures of `npm run bench -- --json FILE` into docs/performance.md, draws the plot, and prints the README's table. */
async function main(file: string | undefined): Promise<void> {
	if (!file) throw new Error('Name the file that `npm run bench -- --json FILE` has written.');
	const measured = measurement.parse(JSON.parse(await readFile(file, 'utf8')));
	const page = await readFile(PAGE, 'utf8');
	const [before, rest] = page.split(BEGIN);
	const after = rest?.split(END)[1];
	if (before === undefined || after === undefined) throw new Error(`${PAGE} has no figures part.`);
	await writeFile(PAGE, `${before}${BEGIN}\n\n${formatPart(measured)}\n\n${END}${after}`);
	await writeFile(PLOT, drawPanels(panelsOf(measured.figures)));
	console.log(throughputTable(measured.figures));
}

function formatPart({ environment: at, minutes, figures }: Measurement): string {
	const intro =
		`Measured on ${at.date} in ${formatNumber(minutes)} minutes with version ${at.package} of the ` +
		`package in n8n ${at.n8n} (Node.js ${at.n8nNode}), on ${at.machine}, ${at.system}; the benchmark ` +
		`itself ran with Node.js ${at.benchmarkNode}. Where there are several rounds, the value is their median.`;
	const sections = [...new Set(figures.map(({ section }) => section))];
	const tables = sections.map((title) => {
		const rows = figures.filter(({ section }) => section === title).map(cellsOf);
		return `### ${title}\n\n${markdownTable(
			rows.map(([, ...cells]) => cells),
			HEADINGS,
		)}`;
	});
	return [intro, ...tables].join('\n\n');
}

/** Events a second by setting of n8n. */
function throughputTable(figures: Figure[]): string {
	const rows = TRIGGER_SETTINGS.map(({ setting, env }) => {
		const found = figures.filter((figure) => figure.setting === triggerLabel(setting, SECRET));
		const cells = ['trigger', 'Webhook + Switch', 'ratio'].map((name) => {
			const value = found.find((figure) => figure.name === name)?.value;
			return value === undefined ? '-' : formatNumber(value);
		});
		const variable = Object.entries(env).map(([key, value]) => `\`${key}=${value}\``);
		return [variable.join(' ') || 'default', ...cells];
	});
	return markdownTable(rows, ['n8n setting', 'This trigger', 'Webhook + Switch', 'Ratio']);
}

function markdownTable(rows: string[][], headings: string[]): string {
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n');
}

main(process.argv[2]).catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exit(1);
});
