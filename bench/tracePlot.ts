import * as echarts from 'echarts';
import type { EChartsOption } from 'echarts';

const WIDTH = 900;
const PANEL_HEIGHT = 200;
const TITLE_HEIGHT = 40;
const LEGEND_HEIGHT = 32;

/** Told apart by their shapes too. */
const COLOURS = ['#0b5cad', '#c4420b'];

const OPEN = 'open requests';
const REFUSED = 'answered with 429';

/** How many requests were open in the course of a run. */
export interface Trace {
	title: string;
	/** After each answer, in the order of time. */
	points: { seconds: number; open: number; isRefused: boolean }[];
}

/** Draws traces below each other, from 0 to so many seconds. Returns an SVG document. */
export function drawTraces(traces: Trace[], seconds: number): string {
	const height = LEGEND_HEIGHT + PANEL_HEIGHT * traces.length;
	const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
	chart.setOption(optionsOf(traces, seconds));
	const svg = chart.renderToSVGString();
	chart.dispose();
	return svg;
}

function optionsOf(traces: Trace[], seconds: number): EChartsOption {
	const top = (index: number) => LEGEND_HEIGHT + index * PANEL_HEIGHT;
	return {
		animation: false,
		backgroundColor: '#ffffff',
		color: COLOURS,
		legend: { data: [OPEN, REFUSED], top: 8, left: 16 },
		title: traces.map(({ title }, index) => ({
			text: title,
			top: top(index) + 8,
			left: 16,
			textStyle: { fontSize: 14 },
		})),
		grid: traces.map((_, index) => ({
			top: top(index) + TITLE_HEIGHT,
			height: PANEL_HEIGHT - TITLE_HEIGHT - 32,
			left: 48,
			right: 40,
		})),
		xAxis: traces.map((_, gridIndex) => ({
			type: 'value' as const,
			gridIndex,
			max: seconds,
			axisLabel: { formatter: '{value} s' },
		})),
		yAxis: traces.map((_, gridIndex) => ({ type: 'value' as const, gridIndex, minInterval: 1 })),
		series: traces.flatMap(({ points }, index) => [
			{
				type: 'line' as const,
				name: OPEN,
				xAxisIndex: index,
				yAxisIndex: index,
				showSymbol: false,
				step: 'end' as const,
				lineStyle: { width: 1.5 },
				data: changesOf(points).map(({ seconds, open }) => [round(seconds), open]),
			},
			{
				type: 'scatter' as const,
				name: REFUSED,
				xAxisIndex: index,
				yAxisIndex: index,
				symbol: 'diamond',
				symbolSize: 7,
				data: points
					.filter(({ isRefused }) => isRefused)
					.map(({ seconds, open }) => [round(seconds), open]),
			},
		]),
	};
}

/** The line bends at these only: it keeps the image small. */
function changesOf(points: Trace['points']): Trace['points'] {
	return points.filter(({ open }, index) => {
		const isEnd = index === 0 || index === points.length - 1;
		return isEnd || points[index - 1]?.open !== open;
	});
}

function round(seconds: number): number {
	return Math.round(seconds * 100) / 100;
}
