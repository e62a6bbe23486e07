import type { Bed, RunningN8n } from './bed';
import { Section, atMost, median, ratios } from './figures';
import { writeImages } from './images';
import type { Images } from './images';
import { cpuMs } from './process';
import { makeReady } from './runs';
import { assertScanned } from './scanMemory';
import { httpRequest, readOnly, scanNode } from './scanWorkflows';

const LATENCY_MS = 200;
const IMAGE_BYTES = 200_000;
const IMAGES = 200;
const PARALLEL = 8;

/** Does a job; gives its milliseconds. */
type Way = () => Promise<number>;

/** What a job took: milliseconds, and milliseconds of n8n's CPU time for each image. */
interface Cost {
	ms: number;
	cpu: number;
}

/**
 * What scanning images costs n8n at a service that takes 200 ms to answer, and how long it takes, against
 * Extract From File + HTTP Request.
 */
export async function measureScanThroughput(bed: Bed, rounds: number): Promise<Section> {
	const section = new Section('Scan throughput');
	await bed.withN8n({}, async (running) => {
		const images = await writeImages(bed.files, IMAGES, IMAGE_BYTES);
		const { pattern } = images;
		const job = { pattern, parallel: PARALLEL };
		const reading = await readingTime(running, pattern);
		const ids = running.credentialIds;
		const scan = await makeReady(running, scanNode(job, ids));
		const request = await makeReady(running, httpRequest(job, ids, bed.sandbox.url));
		const ways: Way[] = [
			async () => (await scan.run()) - reading,
			async () => (await request.run()) - reading,
		];
		for (const way of ways) await costOf(bed, running, images, way);
		const costs = ways.map((): Cost[] => []);
		for (let round = 0; round < rounds; round++) {
			for (const [index, way] of ways.entries()) {
				costs[index]?.push(await costOf(bed, running, images, way));
			}
		}
		await images.remove();
		addCosts(section, costs);
	});
	return section;
}

function addCosts(section: Section, costs: Cost[][]): void {
	const setting = `${IMAGES} images of ${IMAGE_BYTES / 1_000} kB, ${PARALLEL} in parallel`;
	const [ours = [], theirs = []] = costs.map((list) => list.map(({ ms }) => ms));
	const [ourCpu = [], theirCpu = []] = costs.map((list) => list.map(({ cpu }) => cpu));
	section.add('Scan, CPU', 'ms/image', ourCpu, { setting });
	section.add('Extract From File + HTTP Request, CPU', 'ms/image', theirCpu, { setting });
	section.add('CPU, Scan to HTTP Request', 'x', ratios(ourCpu, theirCpu), {
		setting,
		target: atMost(1),
	});
	section.add('Scan', 'ms', ours, { setting });
	section.add('Extract From File + HTTP Request', 'ms', theirs, { setting });
}

async function costOf(bed: Bed, { n8n }: RunningN8n, images: Images, way: Way): Promise<Cost> {
	await bed.sandbox.imitate({ latency: { ms: LATENCY_MS } });
	const before = cpuMs(n8n.pid);
	const ms = await way();
	const cpu = (cpuMs(n8n.pid) - before) / images.files.length;
	await assertScanned(bed, images);
	return { ms, cpu };
}

/** What a workflow takes to start and read the files, which isn't part of scanning them. */
export async function readingTime(running: RunningN8n, pattern: string): Promise<number> {
	const { run } = await makeReady(running, readOnly({ pattern, parallel: 1 }));
	return median([await run(), await run(), await run()]);
}
