import { setTimeout as sleep } from 'node:timers/promises';

import type { Model } from '../dev/sandbox/model';
import type { LiveWorkflow } from '../test/kit/n8n/liveWorkflow';
import type { Bed, RunningN8n } from './bed';
import { atLeast, atMost, formatNumber, isReached, markdownTable, median } from './figures';
import type { Figure, Section } from './figures';
import { startFresh } from './freshPace';
import { writeImages } from './images';
import type { Images } from './images';
import { readingTime } from './scanThroughput';
import { AUTOMATIC, PROFILE, linkWorkflow, scanWorkflow, timeOf } from './workflows';
import type { ScanJob } from './workflows';

// How executions get along that share a service: whom a 429 holds up, and whom it ends.

const IMAGE_BYTES = 200_000;
const LATENCY = { ms: 200 };
const SECOND = 1_000;

/** At most this many times as long as without what they share the service with. */
const HARDLY_LONGER = 1.5;

/** At most this many times the time and the requests of a batch with one profile. */
const RATIO = 1.25;

/** Max Rate Limit Wait, and the longest wait between two tries. */
const PATIENCE_MINUTES = 1;
const ONE_MORE_ANSWER_S = 31;

const OVER_QUOTA = 'sandbox-over-quota';

/** Which of its figures a row of the table shows. */
const COLUMNS = { without: 'without', shared: 'shared', ratio: 'ratio' };

/** What a row needs. */
interface Place {
	section: Section;
	bed: Bed;
	running: RunningN8n;
}

/** Adds the figures of the executions that share a service. They take about 12 minutes. */
export async function addSharedPace(
	section: Section,
	bed: Bed,
	running: RunningN8n,
): Promise<void> {
	const place = { section, bed, running };
	await addOverQuota(place);
	await addLinks(place);
	await addProfiles(place);
	await addManyExecutions(place);
}

/** One execution a second, of which every tenth is over the quota of its profile. */
async function addOverQuota({ section, bed, running }: Place): Promise<void> {
	const setting = 'an execution a second, 10 % over the quota of their profile';
	const images = await writeImages(bed.files, 90, IMAGE_BYTES);
	const model = { latency: LATENCY, quotas: [{ profile: OVER_QUOTA }] };
	const alone = await timesOfScans({ section, bed, running }, model, images);
	const job = scanJob('={{ $json.body.file }}');
	const over = { ...job, profile: OVER_QUOTA, goesOn: true };
	const [scans, refused] = await startFresh(bed, running, model, [
		(ids) => scanWorkflow(job, ids),
		(ids) => scanWorkflow(over, ids),
	]);
	if (!scans || !refused) throw new Error('There are not both workflows.');
	const [first = ''] = images.files;
	const [others, ends] = await Promise.all([
		oneASecond(scans, images.files),
		oneASecond(refused, Array<string>(9).fill(first), 10 * SECOND),
	]);
	await images.remove();
	addRatio(section, setting, ['median', median(alone), median(others)], HARDLY_LONGER);
	const late = (Math.max(...ends) - PATIENCE_MINUTES * 60 * SECOND) / SECOND;
	const target = atMost(ONE_MORE_ANSWER_S);
	section.add('the last of them ends after its wait by', 's', late, { setting, target });
}

/** One scan a second beside 20 links at once, whose endpoint takes 6 a minute. */
async function addLinks({ section, bed, running }: Place): Promise<void> {
	const setting = 'a scan a second beside 20 links at 6 a minute';
	const images = await writeImages(bed.files, 140, IMAGE_BYTES);
	const rate = { perSecond: 0.1, burst: 6 };
	const model: Model = { latency: LATENCY, quotas: [{ endpoint: 'hosted', rate }] };
	const alone = await timesOfScans({ section, bed, running }, model, images);
	const [scans, links] = await startFresh(bed, running, model, [
		(ids) => scanWorkflow(scanJob('={{ $json.body.file }}'), ids),
		(ids) => linkWorkflow(ids),
	]);
	if (!scans || !links) throw new Error('There are not both workflows.');
	// An execution whose link fails would be answered with an error.
	const created = Promise.all(Array.from({ length: 20 }, async () => await timeOf(links)));
	const others = await oneASecond(scans, images.files);
	const times = await created;
	await images.remove();
	addRatio(section, setting, ['p95', p95(alone), p95(others)], HARDLY_LONGER);
	section.add('links created', 'links', times.length, { setting, target: atLeast(20) });
}

/** A batch of 20 profiles, where the whole account is limited, against one of a single profile. */
async function addProfiles({ section, bed, running }: Place): Promise<void> {
	const setting = 'a batch of 20 profiles; 200 ms, 5 a second';
	const count = 120;
	const images = await writeImages(bed.files, count, IMAGE_BYTES);
	const model = { latency: LATENCY, rate: { perSecond: 5 } };
	const reading = await readingTime(running.api, images.pattern);
	const run = async (profile: string) => {
		const job = { ...scanJob(images.pattern), profile };
		const [workflow] = await startFresh(bed, running, model, [(ids) => scanWorkflow(job, ids)]);
		if (!workflow) throw new Error('There is no workflow.');
		for (let each = 0; each < 20; each++) await bed.sandbox.setProfile(`sandbox-${each}`, {});
		const ms = (await timeOf(workflow)) - reading;
		return { ms, requests: await bed.sandbox.requestsFor(images) };
	};
	const one = await run(PROFILE);
	const twenty = await run('=sandbox-{{ $itemIndex % 20 }}');
	await images.remove();
	addRatio(section, setting, ['time', one.ms, twenty.ms], RATIO);
	const requests = twenty.requests / one.requests;
	section.add('requests, to those of one profile', 'x', requests, {
		setting,
		target: atMost(RATIO),
	});
}

/**
 * Executions that take longer together than each of them would wait for a service that refuses all.
 */
async function addManyExecutions({ section, bed, running }: Place): Promise<void> {
	const setting = '500 executions at once, waiting a minute at most; 200 ms, 5 a second';
	const images = await writeImages(bed.files, 500, 20_000);
	const model = { latency: LATENCY, rate: { perSecond: 5 } };
	const job = scanJob('={{ $json.body.file }}');
	const [workflow] = await startFresh(bed, running, model, [(ids) => scanWorkflow(job, ids)]);
	if (!workflow) throw new Error('There is no workflow.');
	const started = performance.now();
	// An execution that fails would be answered with an error.
	const times = await Promise.all(
		images.files.map(async (file) => await timeOf(workflow, { file })),
	);
	const ms = performance.now() - started;
	await bed.sandbox.requestsFor(images);
	await images.remove();
	// Five are taken at once, and the others at the rate.
	addRatio(section, setting, ['time', 99 * SECOND, ms], RATIO);
	section.add('executions that succeeded', '', times.length, { setting, target: atLeast(500) });
}

function scanJob(pattern: string): ScanJob {
	return { pattern, parallel: AUTOMATIC, maxRateLimitWait: PATIENCE_MINUTES };
}

/** How long each scan takes if nothing else is sent, in milliseconds. */
async function timesOfScans(
	{ bed, running }: Place,
	model: Model,
	{ files }: Images,
): Promise<number[]> {
	const job = scanJob('={{ $json.body.file }}');
	const [workflow] = await startFresh(bed, running, model, [(ids) => scanWorkflow(job, ids)]);
	if (!workflow) throw new Error('There is no workflow.');
	return await oneASecond(workflow, files.slice(0, 60));
}

/**
 * Starts an execution a second for each of these files. Resolves with how long each took, in
 * milliseconds.
 */
async function oneASecond(
	workflow: LiveWorkflow,
	files: string[],
	everyMs = SECOND,
): Promise<number[]> {
	return await Promise.all(
		files.map(async (file, index) => {
			await sleep(index * everyMs);
			return await timeOf(workflow, { file });
		}),
	);
}

function p95(times: number[]): number {
	const sorted = [...times].sort((a, b) => a - b);
	return sorted[Math.floor(0.95 * sorted.length)] ?? NaN;
}

function addRatio(
	section: Section,
	setting: string,
	[what, withoutMs, sharedMs]: [string, number, number],
	most: number,
): void {
	section.add(`${COLUMNS.without}, ${what}`, 's', withoutMs / SECOND, { setting });
	section.add(`${COLUMNS.shared}, ${what}`, 's', sharedMs / SECOND, { setting });
	section.add(COLUMNS.ratio, 'x', sharedMs / withoutMs, { setting, target: atMost(most) });
	console.log(`  ${setting}: ${formatNumber(sharedMs / withoutMs)}`);
}

/** Whether a figure is one of executions that share a service: of these rows alone. */
export function isShared({ setting }: Figure, figures: Figure[]): boolean {
	return figures.some((figure) => figure.setting === setting && isTimeOf(figure, COLUMNS.shared));
}

function isTimeOf({ name }: Figure, column: string): boolean {
	return name.startsWith(`${column}, `);
}

/** The figures of the executions that share a service, as a table in Markdown. */
export function sharedPaceTable(figures: Figure[]): string {
	const settings = [...new Set(figures.map(({ setting }) => setting))];
	const rows = settings.map((setting) => {
		const own = figures.filter((figure) => figure.setting === setting);
		const without = own.find((figure) => isTimeOf(figure, COLUMNS.without));
		const shared = own.find((figure) => isTimeOf(figure, COLUMNS.shared));
		const ratio = own.find(({ name }) => name === COLUMNS.ratio);
		const rest = own.filter((figure) => ![without, shared, ratio].includes(figure));
		return [
			setting,
			shared?.name.slice(COLUMNS.shared.length + 2) ?? '',
			`${formatNumber(without?.value ?? NaN)} s`,
			`${formatNumber(shared?.value ?? NaN)} s`,
			judged(ratio),
			rest.map((figure) => `${figure.name}: ${judged(figure)}`).join('; '),
		];
	});
	return markdownTable(rows, ['Executions', 'Time', 'Without', 'With', 'Ratio', 'And']);
}

/** A value with what it has to be. */
export function judged(figure: Figure | undefined): string {
	const value = formatNumber(figure?.value ?? NaN);
	if (!figure?.target) return value;
	const target = `${figure.target.is} ${figure.target.value}`;
	return isReached(figure) ? `${value} (${target})` : `${value} (MISSED: ${target})`;
}
