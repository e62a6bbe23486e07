import type { Model } from '../dev/sandbox/model';
import type { LiveWorkflow } from '../test/kit/n8n/liveWorkflow';
import type { Bed, RunningN8n } from './bed';
import { Section, atMost, formatNumber, isReached, markdownTable } from './figures';
import type { Figure } from './figures';
import { startFresh } from './freshPace';
import type { Build } from './freshPace';
import { writeImages } from './images';
import type { Images } from './images';
import { readingTime } from './scanThroughput';
import { AUTOMATIC, scanWorkflow, timeOf } from './workflows';
import type { CredentialIds } from './workflows';

/** Title of the section, by which the report finds its figures. */
export const PACE_TITLE = 'Pace';

const IMAGE_BYTES = 200_000;
const WARM_UP_IMAGES = 500;

const RATIO = 1.25;
const REQUESTS = 1.1;
/** Where it has to find out with few documents. */
const REQUESTS_TO_FIND_OUT = 1.5;
/** Where one request at a time is too many, each may be refused once. */
const REQUESTS_ONE_BY_ONE = 2.5;

/** A service, and what is asked of Automatic there. */
interface Row {
	/** What the service is like. */
	name: string;
	model: Model;
	/** As many as take the best fixed number 15 to 30 seconds. */
	documents: number;
	/** The fixed number that takes the least time, as found among the powers of two up to 64. */
	best: number;
	mostRatio?: number;
	/**
	 * How many requests Automatic may send for each document; left out where the service limits no
	 * rate.
	 */
	mostRequests?: number;
	/**
	 * How often Automatic is measured beside the best number, if not once: chance and n8n itself
	 * vary.
	 */
	pairs?: number;
}

const LATENCY = { ms: 200 };

const ROWS: Row[] = [
	{
		name: '50 ms, no limit',
		model: { latency: { ms: 50 } },
		documents: 3_300,
		best: 64,
		pairs: 3,
	},
	{
		name: '200 ms, no limit',
		model: { latency: LATENCY },
		documents: 3_300,
		best: 64,
		pairs: 3,
	},
	{
		name: '1.5 s with a tail up to 5 s, no limit',
		model: { latency: { ms: 1_500, p99Ms: 5_000 } },
		documents: 750,
		best: 64,
		pairs: 3,
	},
	{
		name: '200 ms, 1 a second',
		model: { latency: LATENCY, rate: { perSecond: 1 } },
		documents: 28,
		best: 2,
		mostRequests: REQUESTS_ONE_BY_ONE,
	},
	{
		name: '200 ms, 5 a second with Retry-After',
		model: { latency: LATENCY, rate: { perSecond: 5, retryAfter: true } },
		documents: 120,
		best: 2,
		mostRequests: REQUESTS,
	},
	{
		name: '200 ms, 20 a second',
		model: { latency: LATENCY, rate: { perSecond: 20 } },
		documents: 400,
		best: 8,
		mostRequests: REQUESTS,
	},
	{
		name: '200 ms, at most 8 at once',
		model: { latency: LATENCY, maxOpen: 8 },
		documents: 700,
		best: 16,
	},
	{
		name: '200 ms, twice as slow with 16 open',
		model: { latency: { ...LATENCY, knee: 16 } },
		documents: 700,
		best: 16,
		mostRatio: 1.5,
	},
	{
		name: '200 ms, 20 a second, then 5',
		model: { latency: LATENCY, rate: { perSecond: 20, change: { after: 300, perSecond: 5 } } },
		documents: 360,
		best: 8,
		mostRequests: REQUESTS,
	},
];

/** Executions of one document each, started at once. A fixed number would mean nothing to them. */
const BURST = {
	name: '100 executions at once; 200 ms, 5 a second',
	model: { latency: LATENCY, rate: { perSecond: 5 } },
	documents: 100,
	/** Five are taken at once, and the others at the rate. */
	allowedSeconds: 19.2,
};

/** How one run over all documents went. */
interface Run {
	/** Without reading the files. */
	seconds: number;
	/** All that the service received, refused ones included. */
	requests: number;
}

/**
 * Time and requests of Automatic at services of different speeds, against the best fixed number of
 * requests at once. Every run has to scan each document exactly once.
 * @throws Error when one doesn't
 */
export async function measurePace(bed: Bed): Promise<Section> {
	const section = new Section(PACE_TITLE);
	await bed.withN8n({}, async (running) => {
		const warmUp = await writeImages(bed.files, WARM_UP_IMAGES, IMAGE_BYTES);
		await scanAll(bed, running, {}, warmUp, AUTOMATIC);
		await warmUp.remove();
		for (const row of ROWS) await addRow(section, bed, running, row);
		await addBurst(section, bed, running);
	});
	return section;
}

async function addRow(section: Section, bed: Bed, running: RunningN8n, row: Row): Promise<void> {
	const { name, model, documents, best, mostRatio = RATIO, mostRequests, pairs = 1 } = row;
	const images = await writeImages(bed.files, documents, IMAGE_BYTES);
	const ours: Run[] = [];
	const fixed: Run[] = [];
	for (let pair = 0; pair < pairs; pair++) {
		ours.push(await scanAll(bed, running, model, images, AUTOMATIC));
		fixed.push(await scanAll(bed, running, model, images, best));
	}
	await images.remove();
	const ratio = ours.map(({ seconds }, pair) => seconds / (fixed[pair]?.seconds ?? NaN));
	addRuns(section, row, ours, mostRequests);
	section.add('best fixed number', 'at once', best, { setting: name });
	section.add('its time', 's', secondsOf(fixed), { setting: name });
	section.add('ratio', 'x', ratio, { setting: name, target: atMost(mostRatio) });
}

async function addBurst(section: Section, bed: Bed, running: RunningN8n): Promise<void> {
	const { name: setting, model, documents, allowedSeconds } = BURST;
	const images = await writeImages(bed.files, documents, IMAGE_BYTES);
	const build = (ids: CredentialIds) =>
		scanWorkflow({ pattern: '={{ $json.body.file }}', parallel: AUTOMATIC }, ids);
	const run = await measure({ bed, running, model, images, build }, async (workflow) => {
		const started = performance.now();
		await Promise.all(images.files.map(async (file) => await timeOf(workflow, { file })));
		return performance.now() - started;
	});
	await images.remove();
	addRuns(section, BURST, [run], REQUESTS_TO_FIND_OUT);
	section.add('what the limit allows', 's', allowedSeconds, { setting });
	const ratio = run.seconds / allowedSeconds;
	section.add('ratio', 'x', ratio, { setting, target: atMost(RATIO) });
}

function addRuns(
	section: Section,
	{ name: setting, documents }: Pick<Row, 'name' | 'documents'>,
	runs: Run[],
	mostRequests?: number,
): void {
	const requests = runs.map((run) => run.requests / documents);
	const target = mostRequests === undefined ? {} : { target: atMost(mostRequests) };
	section.add('documents', 'documents', documents, { setting });
	section.add('Automatic', 's', secondsOf(runs), { setting });
	section.add('requests a document', 'x', requests, { setting, ...target });
	console.log(`  ${setting}: ${formatNumber(runs.at(-1)?.seconds ?? NaN)} s`);
}

function secondsOf(runs: Run[]): number[] {
	return runs.map(({ seconds }) => seconds);
}

async function scanAll(
	bed: Bed,
	running: RunningN8n,
	model: Model,
	images: Images,
	parallel: number,
): Promise<Run> {
	const { pattern } = images;
	const reading = await readingTime(running.api, pattern);
	const build = (ids: CredentialIds) => scanWorkflow({ pattern, parallel }, ids);
	const job = async (workflow: LiveWorkflow) => (await timeOf(workflow)) - reading;
	return await measure({ bed, running, model, images, build }, job);
}

/** What is run against which service. */
interface Setup {
	bed: Bed;
	running: RunningN8n;
	model: Model;
	images: Images;
	build: Build;
}

async function measure(
	{ bed, running, model, images, build }: Setup,
	job: (workflow: LiveWorkflow) => Promise<number>,
): Promise<Run> {
	const workflow = await startFresh(bed, running, model, build);
	const ms = await job(workflow);
	return { seconds: ms / 1_000, requests: await bed.sandbox.requestsFor(images) };
}

/** The figures of the pace as a table in Markdown, with a line for each service. */
export function paceTable(figures: Figure[]): string {
	const services = [...new Set(figures.map(({ setting }) => setting))];
	const headings = [
		'Service',
		'Documents',
		'Automatic',
		'Best fixed number',
		'Ratio',
		'Requests a document',
	];
	const rows = services.map((service) => {
		const find = (name: string) =>
			figures.find((figure) => figure.setting === service && figure.name === name);
		const seconds = (name: string) => `${formatNumber(find(name)?.value ?? NaN)} s`;
		const best = find('best fixed number');
		return [
			service,
			String(find('documents')?.value),
			seconds('Automatic'),
			best
				? `${best.value}: ${seconds('its time')}`
				: `the limit allows ${seconds('what the limit allows')}`,
			judged(find('ratio')),
			judged(find('requests a document')),
		];
	});
	return markdownTable(rows, headings);
}

/** A value with what it has to be. */
function judged(figure: Figure | undefined): string {
	const value = formatNumber(figure?.value ?? NaN);
	if (!figure?.target) return value;
	const target = `${figure.target.is} ${figure.target.value}`;
	return isReached(figure) ? `${value} (${target})` : `${value} (MISSED: ${target})`;
}
