import type { WorkflowFile } from '../dev/stack/api';
import { LiveWorkflow } from '../test/kit/n8n/liveWorkflow';
import type { Bed } from './bed';
import { Section, atMost, ratios } from './figures';
import { writeImages } from './images';
import type { Images } from './images';
import { calmMemory, peakAbove, peakOfSandbox } from './process';
import { AUTOMATIC, httpRequestWorkflow, scanWorkflow, timeOf } from './workflows';
import type { CredentialIds } from './workflows';

const MB = 1_000_000;
const PARALLEL = 4;
/** Each starts two n8n. */
const ROUNDS = 2;
const IMAGES = 16;
const AUTOMATIC_IMAGES = 32;
const IMAGE_MB = 20;
const SETTINGS = { N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' };

type Build = (pattern: string, ids: CredentialIds) => WorkflowFile;

/** Peak memory of n8n while it scans large images, against Extract From File + HTTP Request. */
export async function measureScanMemory(bed: Bed): Promise<Section> {
	const section = new Section('Scan memory');
	const parallel = PARALLEL;
	const ours: Build = (pattern, ids) => scanWorkflow({ pattern, parallel }, ids);
	const theirs: Build = (pattern, ids) =>
		httpRequestWorkflow({ pattern, parallel }, ids, bed.sandbox.url);
	const images = await writeImages(bed.files, IMAGES, IMAGE_MB * MB);
	const peaks: [number[], number[]] = [[], []];
	const sandbox = await peakOfSandbox(bed, async () => {
		for (let round = 0; round < ROUNDS; round++) {
			peaks[0].push(await peakOf(bed, ours, images));
			peaks[1].push(await peakOf(bed, theirs, images));
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
	const build: Build = (pattern, ids) => scanWorkflow({ pattern, parallel: AUTOMATIC }, ids);
	const peak = await peakOf(bed, build, images);
	await images.remove();
	const setting = `${AUTOMATIC_IMAGES} images of ${IMAGE_MB} MB, automatic`;
	section.add('Scan', 'MB above idle', peak, { setting, target: atMost(150) });
}

/** The peak in a newly started n8n, which has scanned small images before. */
async function peakOf(bed: Bed, build: Build, images: Images): Promise<number> {
	const small = await writeImages(bed.files, PARALLEL, 100_000);
	const peak = await bed.withN8n(SETTINGS, async ({ n8n: { pid }, api, credentialIds }) => {
		const install = async ({ pattern }: Images) =>
			await LiveWorkflow.start(api, build(pattern, credentialIds));
		await timeOf(await install(small));
		const workflow = await install(images);
		await bed.sandbox.imitate();
		const idleKb = await calmMemory(pid);
		return await peakAbove(pid, idleKb, async () => await timeOf(workflow));
	});
	await bed.sandbox.requestsFor(images);
	await small.remove();
	return peak;
}
