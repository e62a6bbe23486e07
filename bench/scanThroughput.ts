import type { N8nApi } from '../dev/stack/api';
import { LiveWorkflow } from '../test/kit/n8n/liveWorkflow';
import type { Bed } from './bed';
import { ROUNDS, Section, atMost, median, ratios } from './figures';
import { writeImages } from './images';
import { cpuMs } from './process';
import { filesWorkflow, httpRequestWorkflow, scanWorkflow, timeOf } from './workflows';

const LATENCY_MS = 200;
const IMAGE_BYTES = 200_000;
const IMAGES = 200;
const PARALLEL = 8;

/** What a job took: milliseconds, and milliseconds of n8n's CPU time for each image. */
interface Cost {
	ms: number;
	cpu: number;
}

/**
 * What scanning images costs n8n at a service that takes 200 ms to answer, and how long it takes,
 * against Extract From File + HTTP Request.
 */
export async function measureScanThroughput(bed: Bed): Promise<Section> {
	const section = new Section('Scan throughput');
	const images = await writeImages(bed.files, IMAGES, IMAGE_BYTES);
	const { pattern } = images;
	const job = { pattern, parallel: PARALLEL };
	await bed.withN8n({}, async ({ n8n, api, credentialIds: ids }) => {
		const reading = await readingTime(api, pattern);
		const workflows = [
			await LiveWorkflow.start(api, scanWorkflow(job, ids)),
			await LiveWorkflow.start(api, httpRequestWorkflow(job, ids, bed.sandbox.url)),
		];
		const costs: [Cost[], Cost[]] = [[], []];
		// The first round isn't counted.
		for (let round = 0; round <= ROUNDS; round++) {
			for (const [index, workflow] of workflows.entries()) {
				await bed.sandbox.imitate({ latency: { ms: LATENCY_MS } });
				const before = cpuMs(n8n.pid);
				const ms = (await timeOf(workflow)) - reading;
				const cpu = (cpuMs(n8n.pid) - before) / IMAGES;
				await bed.sandbox.requestsFor(images);
				if (round > 0) costs[index]?.push({ ms, cpu });
			}
		}
		addCosts(section, costs);
	});
	await images.remove();
	return section;
}

function addCosts(section: Section, [ours, theirs]: [Cost[], Cost[]]): void {
	const setting = `${IMAGES} images of ${IMAGE_BYTES / 1_000} kB, ${PARALLEL} in parallel`;
	const cpuOf = (costs: Cost[]) => costs.map(({ cpu }) => cpu);
	const msOf = (costs: Cost[]) => costs.map(({ ms }) => ms);
	const cpuRatios = ratios(cpuOf(ours), cpuOf(theirs));
	section.add('Scan, CPU', 'ms/image', cpuOf(ours), { setting });
	section.add('Extract From File + HTTP Request, CPU', 'ms/image', cpuOf(theirs), { setting });
	section.add('CPU, Scan to HTTP Request', 'x', cpuRatios, { setting, target: atMost(1) });
	section.add('Scan', 'ms', msOf(ours), { setting });
	section.add('Extract From File + HTTP Request', 'ms', msOf(theirs), { setting });
}

/** What a workflow takes to start and read the files, which isn't part of scanning them. */
export async function readingTime(api: N8nApi, pattern: string): Promise<number> {
	const workflow = await LiveWorkflow.start(api, filesWorkflow(pattern));
	return median([await timeOf(workflow), await timeOf(workflow), await timeOf(workflow)]);
}
