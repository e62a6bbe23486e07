import { isReached } from './figures';
import type { Figure } from './measurement';
import { PACE } from './paceFigures';
import { markdownTable } from './page';
import { formatNumber } from './table';

const HEADINGS = [
	'Service',
	'Documents',
	'Automatic',
	'Best fixed number',
	'Ratio',
	'Requests a document',
	'HTTP Request with Batching',
	'Ratio',
];

/** The figures of the pace as a table in Markdown: a line for each service. */
export function paceTable(figures: Figure[]): string {
	const services = [...new Set(figures.map(({ setting }) => setting))];
	const rows = services.map((service) => {
		const ofService = figures.filter(({ setting }) => setting === service);
		return cellsOf(service, (name) => ofService.find((figure) => figure.name === name));
	});
	return markdownTable(rows, HEADINGS);
}

type Find = (name: string) => Figure | undefined;

function cellsOf(service: string, find: Find): string[] {
	return [
		service,
		plain(find(PACE.documents)),
		automaticCell(find),
		bestCell(find),
		judged(find(PACE.ratio) ?? find(PACE.allowedRatio)),
		judged(find(PACE.requests)),
		requestCell(find),
		judged(find(PACE.httpRatio)),
	];
}

function automaticCell(find: Find): string {
	const lost = [PACE.missing, PACE.paidTwice]
		.map(find)
		.filter((figure) => figure && isReached(figure) === false)
		.map((figure) => `MISSED: ${plain(figure)} ${figure?.name}`);
	return [seconds(find(PACE.automatic)), ...lost].join(', ');
}

/** A number means nothing to executions of one document: there, it's the time that the limit allows. */
function bestCell(find: Find): string {
	const allowed = find(PACE.allowed);
	if (allowed) return `the limit allows ${seconds(allowed)}`;
	return `${plain(find(PACE.number))}: ${seconds(find(PACE.best))}`;
}

function requestCell(find: Find): string {
	const documents = find(PACE.documents)?.value ?? NaN;
	const missing = find(PACE.httpMissing)?.value ?? NaN;
	const items = find(PACE.httpItems);
	const setting = items ? `${plain(items)} each ${plain(find(PACE.httpInterval))} ms: ` : '';
	if (find(PACE.http)) return `${setting}${seconds(find(PACE.http))}`;
	return `${setting}fails, ${documents - missing} of ${documents} scanned`;
}

function seconds(figure: Figure | undefined): string {
	return figure ? `${formatNumber(figure.value)} s` : 'fails';
}

function plain(figure: Figure | undefined): string {
	return figure ? String(figure.value) : '-';
}

/** A value with what it has to be. */
function judged(figure: Figure | undefined): string {
	if (!figure) return '-';
	const value = formatNumber(figure.value);
	if (!figure.target) return value;
	const target = `${figure.target.is} ${figure.target.value}`;
	return isReached(figure) ? `${value} (${target})` : `${value} (MISSED: ${target})`;
}
