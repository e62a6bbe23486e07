import type { Model } from '../dev/sandbox/model';
import { initialProfiles } from '../dev/sandbox/profiles';
import { credentialFor } from '../dev/stack/stack';
import { LiveWorkflow } from '../test/kit/n8n/liveWorkflow';
import { WEBHOOK_SECRET } from './bed';
import type { Bed, RunningN8n } from './bed';
import { Section, atMost, formatNumber } from './figures';
import { writeImages } from './images';
import { readingTime } from './scanThroughput';
import { AUTOMATIC, PROFILE, scanWorkflow, timeOf } from './workflows';

const IMAGE_BYTES = 200_000;
const WARM_UP_IMAGES = 200;

const LATENCY_MS = 200;
const LATENCY = { ms: LATENCY_MS };

/** The most that are open at once. */
const MOST_OPEN = 64;

const PROFILES = [...initialProfiles().keys()];

/** The profiles of the sandbox, by turns of the items. */
const ALL_PROFILES = `={{ ${JSON.stringify(PROFILES)}[$itemIndex % ${PROFILES.length}] }}`;

/** A service, and what is asked of a batch there. */
interface Row {
	/** What the service is like. */
	name: string;
	model: Model;
	profile: string;
	documents: number;
	/** What the service allows, in seconds. */
	allowedSeconds: number;
	/** The time as a multiple of that. Left out where n8n itself is the limit. */
	mostRatio?: number;
	/** How many requests may be sent for each document. */
	mostRequests: number;
}

const ROWS: Row[] = [
	{
		name: '200 ms, no limit',
		model: { latency: LATENCY },
		profile: PROFILE,
		documents: 1_600,
		allowedSeconds: (1_600 / MOST_OPEN) * (LATENCY_MS / 1_000),
		mostRequests: 1,
	},
	{
		name: '200 ms, 20 a second',
		model: { latency: LATENCY, rate: { perSecond: 20 } },
		profile: PROFILE,
		documents: 320,
		// As many as in a second are accepted at once.
		allowedSeconds: (320 - 20) / 20,
		mostRatio: 1.25,
		mostRequests: 1.5,
	},
	{
		name: '200 ms, at most 8 at once',
		model: { latency: LATENCY, maxOpen: 8 },
		profile: PROFILE,
		documents: 600,
		allowedSeconds: (600 / 8) * (LATENCY_MS / 1_000),
		// The pace alone takes 1.35 of it (test/pace/measured), and n8n's work for each document the rest.
		mostRatio: 1.65,
		mostRequests: 1.25,
	},
	{
		name: '200 ms, 20 a second, shared by the profiles',
		model: { latency: LATENCY, rate: { perSecond: 20 } },
		profile: ALL_PROFILES,
		documents: 320,
		allowedSeconds: (320 - 20) / 20,
		mostRatio: 1.25,
		mostRequests: 1.5,
	},
];

/** How a batch went. */
interface Run {
	/** Without reading the files. */
	seconds: number;
	/** All that the service received, refused ones included. */
	requests: number;
}

/**
 * Time and requests of a batch at services with different limits, against what they allow. Every
 * run has to scan each document exactly once.
 * @throws Error when one doesn't
 */
export async function measurePace(bed: Bed): Promise<Section> {
	const section = new Section('Pace');
	await bed.withN8n({}, async (running) => {
		await scanAll(bed, running, { model: {}, profile: PROFILE, documents: WARM_UP_IMAGES });
		for (const row of ROWS) addRow(section, row, await scanAll(bed, running, row));
	});
	return section;
}

function addRow(section: Section, row: Row, { seconds, requests }: Run): void {
	const { name: setting, documents, allowedSeconds, mostRatio, mostRequests } = row;
	const target = mostRatio === undefined ? undefined : atMost(mostRatio);
	section.add('documents', 'documents', documents, { setting });
	section.add('time', 's', seconds, { setting });
	section.add('what the service allows', 's', allowedSeconds, { setting });
	section.add('ratio', 'x', seconds / allowedSeconds, { setting, target });
	section.add('requests a document', 'x', requests / documents, {
		setting,
		target: atMost(mostRequests),
	});
	console.log(`  ${setting}: ${formatNumber(seconds)} s`);
}

let credentials = 0;

/** The package keeps what it has learned of a service by credential, so each batch has a new one. */
async function scanAll(
	bed: Bed,
	{ api }: RunningN8n,
	{ model, profile, documents }: Pick<Row, 'model' | 'profile' | 'documents'>,
): Promise<Run> {
	const images = await writeImages(bed.files, documents, IMAGE_BYTES);
	const { pattern } = images;
	const credential = credentialFor(bed.sandbox, WEBHOOK_SECRET);
	const name = `${credential.name} ${++credentials}`;
	const id = await api.saveCredential({ ...credential, name });
	const job = { pattern, profile, parallel: AUTOMATIC };
	const workflow = await LiveWorkflow.start(api, scanWorkflow(job, { [credential.type]: id }));
	const reading = await readingTime(api, pattern);
	await bed.sandbox.imitate(model);
	const ms = (await timeOf(workflow)) - reading;
	const requests = await bed.sandbox.requestsFor(images);
	await images.remove();
	return { seconds: ms / 1_000, requests };
}
