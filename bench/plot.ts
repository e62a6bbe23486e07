import * as echarts from 'echarts';
import type { EChartsOption, GridComponentOption } from 'echarts';

import type { Figure } from './figures';

const WIDTH = 900;
const PANEL_HEIGHT = 300;
const HEAD = 56;
const BAR_WIDTH = 24;

/** The package and what it is compared with: told apart by light and dark too. */
const COLORS = ['#0b5cad', '#e8a33d'];

/** A chart of bars: for each group, the package's value and that of the other way. */
export interface Panel {
	title: string;
	unit: string;
	names: [string, string];
	groups: { label: string; values: [number, number] }[];
}

/** The charts of a measurement, as far as its sections were measured. */
export function panelsOf(figures: Figure[]): Panel[] {
	const trigger = pair(figures, 'Trigger', 'events/s', ['trigger', 'Webhook + Switch']);
	const scan: [string, string] = ['Scan', 'Extract From File + HTTP Request'];
	const memory = pair(figures, 'Scan memory', 'MB above idle', scan);
	const time = pair(figures, 'Scan throughput', 'ms', scan);
	return [
		{ ...trigger, title: 'Results received a second (more is better)' },
		{ ...memory, title: 'Peak memory above idle, MB (less is better)' },
		{ ...time, title: 'Time to scan, ms (less is better)' },
	].filter(({ groups }) => groups.length > 0);
}

/** Draws panels below each other. Returns an SVG document. */
export function drawPanels(panels: Panel[]): string {
	const chart = echarts.init(null, null, {
		renderer: 'svg',
		ssr: true,
		width: WIDTH,
		height: PANEL_HEIGHT * panels.length,
	});
	chart.setOption(optionsOf(panels));
	const svg = chart.renderToSVGString();
	chart.dispose();
	return svg;
}

/** The values of both names in each setting that has both. */
function pair(figures: Figure[], section: string, unit: string, names: [string, string]) {
	const found = figures.filter((figure) => figure.section === section && figure.unit === unit);
	const settings = [...new Set(found.map(({ setting }) => setting))];
	const groups = settings.flatMap((label) => {
		const of = (wanted: string) =>
			found.find(({ setting, name }) => setting === label && name === wanted)?.value;
		const [ours, theirs] = names.map(of);
		if (ours === undefined || theirs === undefined) return [];
		return [{ label, values: [ours, theirs] satisfies [number, number] }];
	});
	return { unit, names, groups };
}

function optionsOf(panels: Panel[]): EChartsOption {
	const top = (index: number) => index * PANEL_HEIGHT;
	return {
		animation: false,
		backgroundColor: '#ffffff',
		color: COLORS,
		title: panels.map(({ title }, index) => ({
			text: title,
			top: top(index) + 8,
			left: 16,
			textStyle: { fontSize: 15 },
		})),
		legend: panels.map(({ names }, index) => ({
			data: names.map((name) => seriesName(index, name)),
			formatter: (name: string) => name.slice(name.indexOf(' ') + 1),
			top: top(index) + 32,
			left: 16,
		})),
		grid: panels.map(
			(_, index): GridComponentOption => ({
				top: top(index) + HEAD + 12,
				height: PANEL_HEIGHT - HEAD - 52,
				left: 290,
				right: 64,
			}),
		),
		xAxis: panels.map((_, gridIndex) => ({ type: 'value', gridIndex })),
		yAxis: panels.map(({ groups }, gridIndex) => ({
			type: 'category',
			gridIndex,
			inverse: true,
			data: groups.map(({ label }) => label),
		})),
		series: panels.flatMap(({ names, groups }, index) =>
			names.map((name, side) => ({
				type: 'bar' as const,
				name: seriesName(index, name),
				xAxisIndex: index,
				yAxisIndex: index,
				data: groups.map(({ values }) => Math.round((values[side] ?? 0) * 10) / 10),
				barMaxWidth: BAR_WIDTH,
				itemStyle: { color: COLORS[side] },
				label: { show: true, position: 'right' as const },
			})),
		),
	};
}

/** A name may occur in several panels; a legend needs one of its own. */
function seriesName(panel: number, name: string): string {
	return `${panel} ${name}`;
}
