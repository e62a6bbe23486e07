import { credentialFor } from '../dev/stack/stack';
import type { WorkflowFile } from '../dev/stack/api';
import type { Model } from '../dev/sandbox/model';
import { WEBHOOK_SECRET } from './bed';
import type { Bed, RunningN8n } from './bed';
import type { Images } from './images';
import { makeReady } from './runs';

/** How one run over documents went. */
export interface PaceRun {
	/** Infinity when a document wasn't scanned, or n8n said that the workflow failed. */
	ms: number;
	/** All that the service received, refused ones included. */
	requests: number;
	/** Documents that weren't scanned. */
	missing: number;
	/** Documents that were scanned once too often. */
	paidTwice: number;
	/** What n8n said when the workflow failed. */
	problem?: string;
}

/** What is done with the service of one row of the benchmark. */
export interface PaceJob {
	/** Of the row, for the lines that show the progress. */
	name: string;
	model: Model;
	images: Images;
}

/** Builds the workflow that is measured, with these credentials. */
export type Build = (credentialIds: Record<string, string>) => WorkflowFile;

/** Runs a workflow once, or several times at once, and resolves with its milliseconds. */
type Start = (run: (body?: object) => Promise<number>) => Promise<number>;

let credentials = 0;

/**
 * Runs a workflow against a service as fast as its model says, and checks at the service what came.
 * The package keeps what it has learned of a service by credential, so each run has a new one.
 * @param what is printed with the result
 */
export async function measureRun(
	bed: Bed,
	running: RunningN8n,
	{ name, model, images }: PaceJob,
	what: string,
	build: Build,
	start: Start = async (run) => await run(),
): Promise<PaceRun> {
	const credential = credentialFor(bed.sandbox, WEBHOOK_SECRET);
	const id = await running.api.saveCredential({
		...credential,
		name: `${credential.name} ${++credentials}`,
	});
	const { run } = await makeReady(running, build({ [credential.type]: id }));
	await bed.sandbox.imitate(model);
	const { ms, problem } = await start(run).then(
		(ms) => ({ ms, problem: undefined }),
		(error: unknown) => ({ ms: Infinity, problem: String(error) }),
	);
	const { requests, scanned } = await bed.sandbox.received();
	const whole = scanned.filter(({ bytes }) => bytes === images.bytes);
	const different = new Set(whole.map(({ sha256 }) => sha256)).size;
	const missing = images.files.length - different;
	const paidTwice = scanned.length - different;
	const result = { ms: missing > 0 ? Infinity : ms, requests, missing, paidTwice, problem };
	console.log(`  ${name}: ${what}: ${describe(result)}`);
	return result;
}

function describe({ ms, requests, missing, paidTwice, problem }: PaceRun): string {
	const notes = [
		Number.isFinite(ms) ? `${(ms / 1_000).toFixed(1)} s with reading` : 'failed',
		`${requests} requests`,
		...(missing > 0 ? [`${missing} documents not scanned`] : []),
		...(paidTwice > 0 ? [`${paidTwice} documents paid twice`] : []),
		...(problem === undefined ? [] : [problem]),
	];
	return notes.join(', ');
}
