import type { Bed, RunningN8n } from './bed';
import { atMost } from './figures';
import type { Section } from './figures';
import { writeImages } from './images';
import { limitedMs } from './paceEstimate';
import { PACE, addAutomatic, secondsOf } from './paceFigures';
import { BURST_ROW } from './paceRows';
import { measureRun } from './paceRun';
import type { PaceRun } from './paceRun';
import { AUTOMATIC, batchedHttpRequest, scanNode } from './scanWorkflows';

/** The file that the caller of the workflow names. */
const NAMED_FILE = '={{ $json.body.file }}';

/**
 * Many executions of one document each, started at once. A fixed number means nothing here: each
 * execution has one request only. So Automatic is compared with the time that the limit allows, and
 * starting the executions and reading the files count.
 */
export async function addBurst(
	section: Section,
	bed: Bed,
	running: RunningN8n,
	imageBytes: number,
): Promise<void> {
	const { name, model, executions: documents, mostRatio } = BURST_ROW;
	const images = await writeImages(bed.files, documents, imageBytes);
	const job = { name, model, images };
	const asked = { ...BURST_ROW, documents };
	const startAll = async (run: (body?: object) => Promise<number>): Promise<number> => {
		const started = performance.now();
		const ends = await Promise.allSettled(images.files.map(async (file) => await run({ file })));
		const failed = ends.filter(({ status }) => status === 'rejected').length;
		if (failed > 0) throw new Error(`${failed} executions failed.`);
		return performance.now() - started;
	};
	const scan = async (parallel: number): Promise<PaceRun> => {
		const what = parallel === AUTOMATIC ? 'Automatic' : `${parallel} at once`;
		const build = (ids: Record<string, string>) => scanNode({ pattern: NAMED_FILE, parallel }, ids);
		return await measureRun(bed, running, job, what, build, startAll);
	};
	const runs = [await scan(AUTOMATIC)];
	const fixed = await scan(1);
	const batching = { items: 1, intervalMs: 200 };
	const build = (ids: Record<string, string>) =>
		batchedHttpRequest(NAMED_FILE, batching, ids, bed.sandbox.url);
	const theirs = await measureRun(bed, running, job, 'HTTP Request', build, startAll);
	await images.remove();
	const setting = name;
	section.add(PACE.documents, 'documents', documents, { setting });
	addAutomatic(section, asked, runs);
	const allowed = (limitedMs(model, documents) + model.latency.ms) / 1_000;
	section.add(PACE.allowed, 's', allowed, { setting });
	const ratios = secondsOf(runs).map((seconds) => seconds / allowed);
	const target = atMost(mostRatio);
	if (ratios.length > 0) section.add(PACE.allowedRatio, 'x', ratios, { setting, target });
	for (const seconds of secondsOf([fixed])) section.add(PACE.best, 's', seconds, { setting });
	section.add(PACE.fixedRequests, 'x', fixed.requests / documents, { setting });
	section.add(PACE.httpMissing, 'documents', theirs.missing, { setting });
}
