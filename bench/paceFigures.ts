import { atMost, median } from './figures';
import type { Section } from './figures';
import type { PaceRow } from './paceRows';
import type { PaceRun } from './paceRun';
import type { Batching } from './scanWorkflows';

/** Title of the section, by which the report finds its figures. */
export const PACE_TITLE = 'Pace';

/** Names of the figures of a service, by which the report puts them into its table. */
export const PACE = {
	documents: 'documents',
	automatic: 'Automatic',
	requests: 'requests a document',
	missing: 'documents not scanned',
	paidTwice: 'documents paid twice',
	best: 'best fixed number',
	number: 'which number that is',
	ratio: 'Automatic against the best fixed number',
	allowed: 'what the limit allows',
	allowedRatio: 'Automatic against what the limit allows',
	fixedRequests: 'requests a document with a fixed number',
	http: 'HTTP Request',
	httpItems: 'HTTP Request, Items per Batch',
	httpInterval: 'HTTP Request, Batch Interval',
	httpMissing: 'documents not scanned by HTTP Request',
	httpRatio: 'Automatic against HTTP Request',
} as const;

/** A run of HTTP Request, and how it was set. */
export interface BatchedRun {
	batching: Batching;
	run: PaceRun;
}

/** A run of Automatic, and one of the best fixed number beside it. */
export interface PacePair {
	ours: PaceRun;
	fixed: PaceRun;
}

type Asked = Pick<PaceRow, 'name' | 'mostRequests' | 'documents'>;

/** Adds what Automatic took and sent. */
export function addAutomatic(section: Section, asked: Asked, runs: PaceRun[]): void {
	const { name: setting, mostRequests, documents } = asked;
	const sent = runs.map(({ requests }) => requests / documents);
	const done = secondsOf(runs);
	if (done.length > 0) section.add(PACE.automatic, 's', done, { setting });
	section.add(PACE.requests, 'x', sent, {
		setting,
		...(mostRequests !== undefined && { target: atMost(mostRequests) }),
	});
	const none = { setting, target: atMost(0) };
	section.add(PACE.missing, 'documents', sumOf(runs, 'missing'), none);
	section.add(PACE.paidTwice, 'documents', sumOf(runs, 'paidTwice'), none);
}

/** Adds the best fixed number, and how much longer Automatic took beside it. */
export function addBest(
	section: Section,
	{ name: setting, mostRatio }: PaceRow,
	number: number,
	pairs: PacePair[],
): void {
	const fixed = secondsOf(pairs.map((pair) => pair.fixed));
	const ratios = pairs.map((pair) => pair.ours.ms / pair.fixed.ms).filter(Number.isFinite);
	section.add(PACE.number, 'at once', number, { setting });
	if (fixed.length > 0) section.add(PACE.best, 's', fixed, { setting });
	if (ratios.length > 0)
		section.add(PACE.ratio, 'x', ratios, { setting, target: atMost(mostRatio) });
}

/** Adds how HTTP Request did with the last of its settings, the first that did the whole job if one did. */
export function addRequest(
	section: Section,
	{ name: setting }: Asked,
	runs: PaceRun[],
	theirs: BatchedRun[],
): void {
	const last = theirs.at(-1);
	if (!last) return;
	const { batching, run } = last;
	section.add(PACE.httpItems, 'items', batching.items, { setting });
	section.add(PACE.httpInterval, 'ms', batching.intervalMs, { setting });
	section.add(PACE.httpMissing, 'documents', run.missing, { setting });
	const done = secondsOf(runs);
	if (!Number.isFinite(run.ms) || done.length === 0) return;
	const seconds = run.ms / 1_000;
	section.add(PACE.http, 's', seconds, { setting });
	section.add(PACE.httpRatio, 'x', median(done) / seconds, { setting, target: atMost(1) });
}

/** The times of the runs that did the whole job. */
export function secondsOf(runs: PaceRun[]): number[] {
	return runs.map(({ ms }) => ms / 1_000).filter(Number.isFinite);
}

function sumOf(runs: PaceRun[], key: 'missing' | 'paidTwice'): number {
	return runs.reduce((sum, run) => sum + run[key], 0);
}
