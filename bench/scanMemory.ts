import type { WorkflowFile } from '../dev/stack/api';
import type { Bed, RunningN8n } from './bed';
import { Section, atMost, ratios } from './figures';
import { writeImages } from './images';
import type { Images } from './images';
import { calmMemory, peakAbove, peakOfSandbox } from './process';
import { makeReady } from './runs';
import { AUTOMATIC, httpRequest, scanNode } from './scanWorkflows';
import type { ScanJob } from './scanWorkflows';

const MB = 1_000_000;
const PARALLEL = 4;
const IMAGES = 16;
const AUTOMATIC_IMAGES = 32;
const IMAGE_MB = 20;
const SETTINGS = { N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' };

type Build = (job: ScanJob, running: RunningN8n) => WorkflowFile;

/** Peak memory of n8n while it scans large images, against Extract From File + HTTP Request. */
export async function measureScanMemory(bed: Bed, rounds: number): Promise<Section> {
	const section = new Section('Scan memory');
	const ours: Build = (job, { credentialIds }) => scanNode(job, credentialIds);
	const theirs: Build = (job, { credentialIds }) =>
		httpRequest(job, credentialIds, bed.sandbox.url);
	const images = await writeImages(bed.files, IMAGES, IMAGE_MB * MB);
	const peaks: [number[], number[]] = [[], []];
	const sandbox = await peakOfSandbox(bed, async () => {
		for (let round = 0; round < rounds; round++) {
			peaks[0].push(...(await peaksOf(bed, ours, [images])));
			peaks[1].push(...(await peaksOf(bed, theirs, [images])));
		}
	});
	await images.remove();
	const setting = `${IMAGES} images of ${IMAGE_MB} MB, ${PARALLEL} in parallel`;
	section.add('Scan', 'MB above idle', peaks[0], { setting, target: atMost(150) });
	section.add('Extract From File + HTTP Request', 'MB above idle', peaks[1], { setting });
	section.add('ratio', 'x', ratios(peaks[0], peaks[1]), { setting, target: atMost(0.25) });
	section.add('the sandbox itself', 'MB above idle', sandbox, { setting, target: atMost(150) });
	await addAutomatic(section, bed);
	return section;
}

/** As many large images as Automatic wants to send at once. */
async function addAutomatic(section: Section, bed: Bed): Promise<void> {
	const images = await writeImages(bed.files, AUTOMATIC_IMAGES, IMAGE_MB * MB);
	const build: Build = ({ pattern }, { credentialIds }) =>
		scanNode({ pattern, parallel: AUTOMATIC }, credentialIds);
	const [peak = NaN] = await peaksOf(bed, build, [images]);
	await images.remove();
	const setting = `${AUTOMATIC_IMAGES} images of ${IMAGE_MB} MB, automatic`;
	section.add('Scan', 'MB above idle', peak, { setting, target: atMost(150) });
}

/** Peaks for several sets of images in one newly started n8n, which has scanned small ones before. */
async function peaksOf(bed: Bed, build: Build, sets: Images[]): Promise<number[]> {
	const small = await writeImages(bed.files, PARALLEL, 100_000);
	const peaks = await bed.withN8n(SETTINGS, async (running) => {
		const { pid } = running.n8n;
		const prepare = async ({ pattern }: Images) =>
			await makeReady(running, build({ pattern, parallel: PARALLEL }, running));
		await (await prepare(small)).run();
		const peaks: number[] = [];
		let idleKb: number | undefined;
		for (const images of sets) {
			const workflow = await prepare(images);
			await bed.sandbox.imitate();
			idleKb ??= await calmMemory(pid);
			peaks.push(await peakAbove(pid, idleKb, workflow.run));
			await assertScanned(bed, images);
		}
		return peaks;
	});
	await small.remove();
	return peaks;
}

/** Both ways have to do the whole job. */
export async function assertScanned({ sandbox }: Bed, { files, bytes }: Images): Promise<void> {
	const scanned = await sandbox.scanned();
	if (scanned.documents === files.length && scanned.bytes === files.length * bytes) return;
	throw new Error(
		`The sandbox received ${scanned.documents} images of together ${scanned.bytes} bytes ` +
			`instead of ${files.length} of ${bytes} bytes each.`,
	);
}
