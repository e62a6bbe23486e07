import type { Bed, RunningN8n } from './bed';
import { findBestNumber } from './bestNumber';
import { Section } from './figures';
import { writeImages } from './images';
import { addBurst } from './paceBurst';
import { leastMs } from './paceEstimate';
import { PACE, PACE_TITLE, addAutomatic, addBest, addRequest } from './paceFigures';
import type { BatchedRun, PacePair } from './paceFigures';
import { PACE_ROWS } from './paceRows';
import type { PaceRow } from './paceRows';
import { measureRun } from './paceRun';
import type { Build, PaceJob, PaceRun } from './paceRun';
import { readingTime } from './scanThroughput';
import { AUTOMATIC, batchedHttpRequest, scanNode } from './scanWorkflows';
import type { Batching } from './scanWorkflows';

export const PACE_IMAGE_BYTES = 200_000;

const WARM_UP_IMAGES = 500;

/** How often Automatic is measured beside the best fixed number. */
const PAIRS = 2;
/** The same where n8n is the limit: its speed changes from minute to minute with that of the machine. */
const PAIRS_AT_N8N_LIMIT = 3;

/** The best fixed number shows with a part of the documents. */
const SEARCH_SHARE = 1 / 3;

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

async function addRow(
	section: Section,
	bed: Bed,
	running: RunningN8n,
	row: PaceRow,
): Promise<void> {
	const { name, model, documents, batching } = row;
	const number = await searchNumber(bed, running, row);
	const images = await writeImages(bed.files, documents, PACE_IMAGE_BYTES);
	const ways = await waysOf(bed, running, { name, model, images });
	const pairs = await measurePairs(
		row.isAtN8nLimit ? PAIRS_AT_N8N_LIMIT : PAIRS,
		async () => await ways.scan(AUTOMATIC),
		async () => await ways.scan(number),
	);
	const theirs = await requestUntilDone(batching, ways.request);
	await images.remove();
	const runs = pairs.map(({ ours }) => ours);
	section.add(PACE.documents, 'documents', documents, { setting: name });
	addAutomatic(section, row, runs);
	addBest(section, row, number, pairs);
	addRequest(section, row, runs, theirs);
}

/** The best fixed number of requests at once, found by trying. */
async function searchNumber(bed: Bed, running: RunningN8n, row: PaceRow): Promise<number> {
	const { name, model, documents } = row;
	// A rate that changes on the way needs them all, and so does a tail: few slow answers decide by chance.
	const needsAll = model.rate?.change !== undefined || model.latency?.p99Ms !== undefined;
	const count = needsAll ? documents : Math.ceil(documents * SEARCH_SHARE);
	const images = await writeImages(bed.files, count, PACE_IMAGE_BYTES);
	const ways = await waysOf(bed, running, { name: `${name}, search`, model, images });
	const best = await findBestNumber(
		(number) => leastMs(model, count, number),
		async (number) => (await ways.scan(number)).ms,
	);
	await images.remove();
	return best;
}

/** The two take turns in coming first, so that a machine that gets slower or faster disturbs both alike. */
async function measurePairs(
	count: number,
	ours: () => Promise<PaceRun>,
	fixed: () => Promise<PaceRun>,
): Promise<PacePair[]> {
	const pairs: PacePair[] = [];
	for (let pair = 0; pair < count; pair++) {
		if (pair % 2 === 0) {
			pairs.push({ ours: await ours(), fixed: await fixed() });
		} else {
			const first = await fixed();
			pairs.push({ ours: await ours(), fixed: first });
		}
	}
	return pairs;
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
