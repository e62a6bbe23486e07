import type { Bed, RunningN8n } from './bed';
import { findBestNumber } from './bestNumber';
import { Section } from './figures';
import { writeImages } from './images';
import { addBurst } from './paceBurst';
import { leastMs } from './paceEstimate';
import { PACE, PACE_TITLE, addAutomatic, addBest, addRequest } from './paceFigures';
import type { BatchedRun } from './paceFigures';
import { PACE_ROWS } from './paceRows';
import type { PaceRow } from './paceRows';
import { measureRun } from './paceRun';
import type { Build, PaceJob, PaceRun } from './paceRun';
import { readingTime } from './scanThroughput';
import { AUTOMATIC, batchedHttpRequest, scanNode } from './scanWorkflows';
import type { Batching } from './scanWorkflows';

export const PACE_IMAGE_BYTES = 200_000;

const WARM_UP_IMAGES = 500;

/**
 * Time and requests of Automatic at services of different speeds, against the best fixed number of
 * requests at once and against HTTP Request with its Batching.
 */
export async function measurePace(bed: Bed): Promise<Section> {
	const section = new Section(PACE_TITLE);
	await bed.withN8n({}, async (running) => {
		await warmUp(bed, running);
		for (const row of PACE_ROWS) await addRow(section, bed, running, row);
		await addBurst(section, bed, running, PACE_IMAGE_BYTES);
	});
	return section;
}

async function warmUp(bed: Bed, running: RunningN8n): Promise<void> {
	const images = await writeImages(bed.files, WARM_UP_IMAGES, PACE_IMAGE_BYTES);
	const ways = await waysOf(bed, running, { name: 'warm-up', model: {}, images });
	await ways.scan(AUTOMATIC);
	await ways.request({ items: 10, intervalMs: 100 });
	await images.remove();
}

/** Automatic comes first and last, so that a machine that gets slower or faster disturbs less. */
async function addRow(
	section: Section,
	bed: Bed,
	running: RunningN8n,
	row: PaceRow,
): Promise<void> {
	const { name, model, documents, batching } = row;
	const images = await writeImages(bed.files, documents, PACE_IMAGE_BYTES);
	const ways = await waysOf(bed, running, { name, model, images });
	const first = await ways.scan(AUTOMATIC);
	const best = await findBestNumber(
		(number) => leastMs(model, documents, number),
		async (number) => (await ways.scan(number)).ms,
	);
	const theirs = await requestUntilDone(batching, ways.request);
	const runs = [first, await ways.scan(AUTOMATIC)];
	await images.remove();
	section.add(PACE.documents, 'documents', documents, { setting: name });
	addAutomatic(section, row, runs);
	addBest(section, row, runs, best);
	addRequest(section, row, runs, theirs);
}

/** The ways to scan the images at the service. Their times are without reading the files. */
async function waysOf(bed: Bed, running: RunningN8n, job: PaceJob) {
	const { pattern } = job.images;
	const before = await readingTime(running, pattern);
	const measure = async (what: string, build: Build): Promise<PaceRun> =>
		await measureRun(bed, running, job, what, build, async (run) => (await run()) - before);
	return {
		async scan(parallel: number): Promise<PaceRun> {
			const what = parallel === AUTOMATIC ? 'Automatic' : `${parallel} at once`;
			return await measure(what, (ids) => scanNode({ pattern, parallel }, ids));
		},
		async request(batching: Batching): Promise<PaceRun> {
			const what = `HTTP Request, ${batching.items} each ${batching.intervalMs} ms`;
			const { url } = bed.sandbox;
			return await measure(what, (ids) => batchedHttpRequest(pattern, batching, ids, url));
		},
	};
}

/** Tries the settings in their order, until one does the whole job. */
async function requestUntilDone(
	settings: Batching[],
	request: (batching: Batching) => Promise<PaceRun>,
): Promise<BatchedRun[]> {
	const runs: BatchedRun[] = [];
	for (const batching of settings) {
		const run = await request(batching);
		runs.push({ batching, run });
		if (Number.isFinite(run.ms)) break;
	}
	return runs;
}
