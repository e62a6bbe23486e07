import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { ROOT } from '../dev/stack/paths';
import { HEADINGS, cellsOf, formatNumber, markdownTable, measurement } from './figures';
import type { Figure, Measurement } from './figures';
import { drawPanels, panelsOf } from './plot';
import { TRIGGER_SETTINGS } from './trigger';

const PAGE = join(ROOT, 'build', 'benchmark.md');
const PLOT = join(ROOT, 'docs', 'performance.svg');

/**
 * Writes all figures of `npm run bench -- --json FILE` to build/benchmark.md. Draws the plot and
 * prints the table of docs/running.md.
 */
async function main(file: string | undefined): Promise<void> {
	if (!file) throw new Error('Name the file that `npm run bench -- --json FILE` has written.');
	const measured = measurement.parse(JSON.parse(await readFile(file, 'utf8')));
	const { figures } = measured;
	const page = ['# Figures of the benchmark', introOf(measured), ...tablesOf(figures)];
	await mkdir(dirname(PAGE), { recursive: true });
	await writeFile(PAGE, page.join('\n\n') + '\n');
	await writeFile(PLOT, drawPanels(panelsOf(figures)));
	console.log(throughputTable(figures));
}

function introOf({ environment: at, minutes }: Measurement): string {
	return (
		`Measured on ${at.date} in ${formatNumber(minutes)} minutes with version ${at.package} of the ` +
		`package in n8n ${at.n8n} (Node.js ${at.n8nNode}), on ${at.machine}, ${at.system}; the benchmark ` +
		`itself ran with Node.js ${at.benchmarkNode}. Where there are several rounds, the value is their median.`
	);
}

/** A table with its heading for each section. */
function tablesOf(figures: Figure[]): string[] {
	const sections = [...new Set(figures.map(({ section }) => section))];
	return sections.map((title) => {
		const own = figures.filter(({ section }) => section === title);
		const rows = own.map((figure) => cellsOf(figure).slice(1));
		return `## ${title}\n\n${markdownTable(rows, HEADINGS.slice(1))}`;
	});
}

/** Events a second by setting of n8n. */
function throughputTable(figures: Figure[]): string {
	const rows = TRIGGER_SETTINGS.map(({ setting, env }) => {
		const found = figures.filter((figure) => figure.setting === setting);
		const cells = ['trigger', 'Webhook + Switch', 'ratio'].map((name) => {
			const value = found.find((figure) => figure.name === name)?.value;
			return value === undefined ? '-' : formatNumber(value);
		});
		const variable = Object.entries(env).map(([key, value]) => `\`${key}=${value}\``);
		return [variable.join(' ') || 'default', ...cells];
	});
	return markdownTable(rows, ['n8n setting', 'This trigger', 'Webhook + Switch', 'Ratio']);
}

main(process.argv[2]).catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exit(1);
});
