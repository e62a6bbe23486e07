import type { Model } from '../dev/sandbox/model';
import type { Batching } from './scanWorkflows';

/** A service, and what is asked of Automatic there. */
export interface PaceRow {
	/** What the service is like. */
	name: string;
	model: Model;
	/** As many as take the best fixed number 15 to 30 seconds. */
	documents: number;
	/** Whether n8n itself, and not the service, is what limits it. */
	isAtN8nLimit?: true;
	/** How much longer than the best fixed number it may take. */
	mostRatio: number;
	/** How many requests it may send for each document; left out where the service limits no rate. */
	mostRequests?: number;
	/**
	 * How somebody who knows the service would set HTTP Request: the fastest setting first, and more
	 * careful ones for the case that a request is refused, which makes the node fail.
	 */
	batching: Batching[];
}

const RATIO = 1.25;
const REQUESTS = 1.1;
/** Where it has to find out with few documents. */
const REQUESTS_TO_FIND_OUT = 1.5;

const LATENCY = { ms: 200 };

/** For a service without a limit. */
const FAST: Batching[] = [
	{ items: 100, intervalMs: 100 },
	{ items: 50, intervalMs: 250 },
];

export const PACE_ROWS: PaceRow[] = [
	{
		name: '50 ms, no limit',
		model: { latency: { ms: 50 } },
		documents: 3_300,
		isAtN8nLimit: true,
		mostRatio: RATIO,
		batching: FAST,
	},
	{
		name: '200 ms, no limit',
		model: { latency: LATENCY },
		documents: 3_300,
		isAtN8nLimit: true,
		mostRatio: RATIO,
		batching: FAST,
	},
	{
		name: '1.5 s with a tail up to 5 s, no limit',
		model: { latency: { ms: 1_500, p99Ms: 5_000 } },
		documents: 750,
		mostRatio: RATIO,
		batching: FAST,
	},
	{
		name: '200 ms, 1 a second',
		model: { latency: LATENCY, rate: { perSecond: 1 } },
		documents: 28,
		mostRatio: RATIO,
		mostRequests: REQUESTS_TO_FIND_OUT,
		// The bucket holds one request: one that comes a little early is refused.
		batching: [
			{ items: 1, intervalMs: 1_050 },
			{ items: 1, intervalMs: 1_200 },
		],
	},
	{
		name: '200 ms, 5 a second with Retry-After',
		model: { latency: LATENCY, rate: { perSecond: 5, retryAfter: true } },
		documents: 120,
		mostRatio: RATIO,
		mostRequests: REQUESTS,
		batching: [
			{ items: 1, intervalMs: 200 },
			{ items: 1, intervalMs: 220 },
		],
	},
	{
		name: '200 ms, 20 a second',
		model: { latency: LATENCY, rate: { perSecond: 20 } },
		documents: 400,
		mostRatio: RATIO,
		mostRequests: REQUESTS,
		batching: [
			{ items: 10, intervalMs: 500 },
			{ items: 10, intervalMs: 550 },
		],
	},
	{
		name: '200 ms, at most 8 at once',
		model: { latency: LATENCY, maxOpen: 8 },
		documents: 700,
		mostRatio: RATIO,
		batching: [
			{ items: 8, intervalMs: 250 },
			{ items: 8, intervalMs: 400 },
			{ items: 8, intervalMs: 600 },
		],
	},
	{
		name: '200 ms, twice as slow with 16 open',
		model: { latency: { ...LATENCY, knee: 16 } },
		documents: 700,
		mostRatio: 1.5,
		batching: [{ items: 7, intervalMs: 200 }],
	},
	{
		name: '200 ms, 20 a second, then 5',
		model: { latency: LATENCY, rate: { perSecond: 20, change: { after: 300, perSecond: 5 } } },
		documents: 360,
		mostRatio: RATIO,
		mostRequests: REQUESTS,
		// It has one interval for all requests, so it's the slower rate that sets it.
		batching: [
			{ items: 1, intervalMs: 200 },
			{ items: 1, intervalMs: 220 },
		],
	},
];

/** Executions of one document each, all at once. */
export const BURST_ROW = {
	name: '100 executions at once; 200 ms, 5 a second',
	model: { latency: LATENCY, rate: { perSecond: 5 } },
	executions: 100,
	mostRatio: RATIO,
	mostRequests: REQUESTS_TO_FIND_OUT,
} as const;
