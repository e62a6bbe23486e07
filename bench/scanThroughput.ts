import type { Bed, RunningN8n } from './bed';
import { scanBare } from './bareClient';
import { Section, atLeast, atMost, median, ratios } from './figures';
import { writeImages } from './images';
import type { Images } from './images';
import { makeReady } from './runs';
import { assertScanned } from './scanMemory';
import { httpRequest, readOnly, scanNode } from './scanWorkflows';

const LATENCY_MS = 200;
const IMAGE_BYTES = 200_000;
const IMAGES = 200;
const PARALLEL = 8;
const SCALE = [1, 2, 4, 8, 16, 32];
/** Waves of requests at each step of the scale, as far as there are images. */
const WAVES = 20;

/** How fast images are scanned at a service that takes 200 ms to answer. */
export async function measureScanThroughput(bed: Bed, rounds: number): Promise<Section> {
	const section = new Section('Scan throughput');
	await bed.withN8n({}, async (running) => {
		await addComparison(section, bed, running, rounds);
		await addScale(section, bed, running);
	});
	return section;
}

async function addComparison(
	section: Section,
	bed: Bed,
	running: RunningN8n,
	rounds: number,
): Promise<void> {
	const images = await writeImages(bed.files, IMAGES, IMAGE_BYTES);
	const ways = [bareWay(bed, images), await nodeWay(running, images, PARALLEL)];
	ways.push(await httpRequestWay(bed, running, images));
	const times = ways.map((): number[] => []);
	for (const way of ways) await timed(bed, images, way);
	for (let round = 0; round < rounds; round++) {
		for (const [index, way] of ways.entries()) times[index]?.push(await timed(bed, images, way));
	}
	const [bare = [], ours = [], theirs = []] = times;
	const setting = `${IMAGES} images of ${IMAGE_BYTES / 1_000} kB, ${PARALLEL} in parallel`;
	section.add('bare HTTP client', 'ms', bare, { setting });
	section.add('Scan', 'ms', ours, { setting });
	section.add('Extract From File + HTTP Request', 'ms', theirs, { setting });
	section.add('Scan against bare HTTP client', 'x', ratios(ours, bare), {
		setting,
		target: atMost(1.15),
	});
	section.add('speed of Scan against HTTP Request', 'x', ratios(theirs, ours), {
		setting,
		target: atLeast(1),
	});
	await images.remove();
}

/** The share of the speed that the latency allows, from one request at a time to 32. */
async function addScale(section: Section, bed: Bed, running: RunningN8n): Promise<void> {
	for (const parallel of SCALE) {
		const count = Math.min(IMAGES, WAVES * parallel);
		const images = await writeImages(bed.files, count, IMAGE_BYTES);
		const elapsed = await timed(bed, images, await nodeWay(running, images, parallel));
		const ideal = Math.ceil(count / parallel) * LATENCY_MS;
		const setting = `${parallel} in parallel`;
		section.add('Scan', 'images/s', (count / elapsed) * 1_000, { setting });
		section.add('share of what the latency allows', '%', (ideal / elapsed) * 100, { setting });
		await images.remove();
	}
}

/** Does a job; gives its milliseconds. */
type Way = () => Promise<number>;

async function timed(bed: Bed, images: Images, way: Way): Promise<number> {
	await bed.sandbox.imitate({ latency: { ms: LATENCY_MS } });
	const elapsed = await way();
	await assertScanned(bed, images);
	return elapsed;
}

function bareWay({ sandbox }: Bed, { files }: Images): Way {
	return async () => await scanBare(sandbox, files, PARALLEL);
}

async function nodeWay(running: RunningN8n, { pattern }: Images, parallel: number): Promise<Way> {
	const job = { pattern, parallel };
	const before = await readingTime(running, pattern);
	const { run } = await makeReady(running, scanNode(job, running.credentialIds));
	return async () => (await run()) - before;
}

async function httpRequestWay(
	{ sandbox }: Bed,
	running: RunningN8n,
	{ pattern }: Images,
): Promise<Way> {
	const job = { pattern, parallel: PARALLEL };
	const before = await readingTime(running, pattern);
	const { run } = await makeReady(running, httpRequest(job, running.credentialIds, sandbox.url));
	return async () => (await run()) - before;
}

/** What a workflow takes to start and read the files, which isn't part of scanning them. */
export async function readingTime(running: RunningN8n, pattern: string): Promise<number> {
	const job = { pattern, parallel: 1 };
	const { run } = await makeReady(running, readOnly(job));
	return median([await run(), await run(), await run()]);
}
