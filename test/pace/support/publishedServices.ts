import type { ServiceModel } from './simulatedService';

/** A service, and how fast a run is there. */
export interface Measured {
	name: string;
	/** As new for each run. */
	service: () => ServiceModel;
	documents: number;
	/** How long the documents take, and how many requests. */
	seconds: number;
	requests: number;
}

/** A service that answers after that many milliseconds. */
export function steady(latencyMs: number, service: Partial<ServiceModel> = {}): ServiceModel {
	return { latencyMs: () => latencyMs, ...service };
}

/** Latencies around one, evenly spread. */
export function uneven(ms: number): ServiceModel['latencyMs'] {
	return (_open, accepted) => ms * (0.7 + 0.06 * ((7 * accepted) % 11));
}

/** One document in that many takes a minute, and the others 300 ms. */
export function minuteEach(every: number): ServiceModel['latencyMs'] {
	let sent = 0;
	return () => (++sent % every === 0 ? 60_000 : 300);
}

/** As many requests in a second, always. */
export function perSecond(rate: number): () => number {
	return () => rate;
}

/** A rate that changes at a time. */
function changing(before: number, atMs: number, after: number): (ms: number) => number {
	return (ms) => (ms < atMs ? before : after);
}

/** Slower while others are open: twice as slow with as many as the knee. */
function knee(ms: number, open: number): ServiceModel {
	return { latencyMs: (now) => ms * (1 + (now / open) ** 2) };
}

/** Refuses everything for a minute. */
function paused(hasRetryAfter: boolean): ServiceModel {
	const rate = (ms: number) => (ms > 2_000 && ms < 62_000 ? 0 : 1_000);
	return steady(200, { perSecond: rate, burst: 40, hasRetryAfter });
}

/**
 * One of every kind of service, and the measure for a change of the pace: none may become slower.
 */
export const SERVICES: Measured[] = [
	{
		name: '50 ms',
		service: () => steady(50),
		documents: 3_300,
		seconds: 2.8,
		requests: 3_300,
	},
	{
		name: '200 ms',
		service: () => steady(200),
		documents: 3_300,
		seconds: 11.1,
		requests: 3_300,
	},
	{
		name: '1.5 s',
		service: () => steady(1_500),
		documents: 2_000,
		seconds: 52.8,
		requests: 2_000,
	},
	{
		name: '200 ms, 1 a second',
		service: () => steady(200, { perSecond: perSecond(1) }),
		documents: 28,
		seconds: 32.7,
		requests: 58,
	},
	{
		name: '200 ms, 5 a second',
		service: () => steady(200, { perSecond: perSecond(5) }),
		documents: 500,
		seconds: 99.3,
		requests: 515,
	},
	{
		name: '200 ms, 5 a second with Retry-After',
		service: () => steady(200, { perSecond: perSecond(5), hasRetryAfter: true }),
		documents: 120,
		seconds: 24.3,
		requests: 128,
	},
	{
		name: '200 ms, 20 a second',
		service: () => steady(200, { perSecond: perSecond(20) }),
		documents: 400,
		seconds: 19.3,
		requests: 426,
	},
	{
		name: '300 ms, 60 a second',
		service: () => steady(300, { perSecond: perSecond(60) }),
		documents: 1_800,
		seconds: 29.8,
		requests: 1_831,
	},
	{
		name: '500 ms, 3 a second after a burst of 30',
		service: () => steady(500, { perSecond: perSecond(3), burst: 30 }),
		documents: 200,
		seconds: 57.6,
		requests: 232,
	},
	{
		name: '300 ms, 6 a minute',
		service: () => steady(300, { perSecond: perSecond(0.1), burst: 6 }),
		documents: 30,
		seconds: 244.0,
		requests: 117,
	},
	{
		name: '20 s, 2 a second',
		service: () => steady(20_000, { perSecond: perSecond(2) }),
		documents: 200,
		seconds: 213.6,
		requests: 246,
	},
	{
		name: '200 ms, 20 a second, then 5',
		service: () => steady(200, { perSecond: changing(20, 14_000, 5) }),
		documents: 360,
		seconds: 26.7,
		requests: 385,
	},
	{
		name: '200 ms, 5 a second, then 20',
		service: () => steady(200, { perSecond: changing(5, 20_000, 20) }),
		documents: 600,
		seconds: 50.2,
		requests: 616,
	},
	{
		name: '200 ms, at most 1 at once',
		service: () => ({ latencyMs: uneven(200), mostOpen: 1 }),
		documents: 100,
		seconds: 20.0,
		requests: 104,
	},
	{
		name: '200 ms, at most 2 at once',
		service: () => ({ latencyMs: uneven(200), mostOpen: 2 }),
		documents: 200,
		seconds: 20.1,
		requests: 204,
	},
	{
		name: '200 ms, at most 8 at once',
		service: () => ({ latencyMs: uneven(200), mostOpen: 8 }),
		documents: 700,
		seconds: 17.7,
		requests: 705,
	},
	{
		name: '200 ms, at most 30 at once',
		service: () => ({ latencyMs: uneven(200), mostOpen: 30 }),
		documents: 3_000,
		seconds: 20.6,
		requests: 3_009,
	},
	{
		name: '200 ms, at most 8 at once and 20 a second',
		service: () => ({ latencyMs: uneven(200), mostOpen: 8, perSecond: perSecond(20) }),
		documents: 400,
		seconds: 22.2,
		requests: 409,
	},
	{
		name: '200 ms, twice as slow with 16 open',
		service: () => knee(200, 16),
		documents: 700,
		seconds: 20.0,
		requests: 700,
	},
	{
		name: '100 ms, twice as slow with 10 open',
		service: () => knee(100, 10),
		documents: 1_500,
		seconds: 32.4,
		requests: 1_500,
	},
	{
		name: '100 ms, twice as slow with 10 open, and a tenth of the documents 5 ms',
		service: () => ({
			latencyMs: (open, accepted) => (accepted % 10 === 0 ? 5 : 100 * (1 + (open / 10) ** 2)),
		}),
		documents: 1_500,
		seconds: 31.6,
		requests: 1_500,
	},
	{
		name: '200 ms, then 2 s',
		service: () => ({ latencyMs: (_open, accepted) => (accepted < 500 ? 200 : 2_000) }),
		documents: 3_000,
		seconds: 94.9,
		requests: 3_000,
	},
	{
		name: '50 ms, and a fifth of the documents 5 s',
		service: () => ({ latencyMs: (_open, accepted) => (accepted % 5 === 0 ? 5_000 : 50) }),
		documents: 2_000,
		seconds: 41.3,
		requests: 2_000,
	},
	{
		name: '300 ms, some a minute, 5 a second',
		service: () => ({ latencyMs: minuteEach(50), perSecond: perSecond(5), burst: 1 }),
		documents: 300,
		seconds: 173.6,
		requests: 314,
	},
	{
		name: '200 ms, with a minute of refusals',
		service: () => paused(false),
		documents: 1_000,
		seconds: 66.8,
		requests: 1_070,
	},
	{
		name: '200 ms, with a minute of refusals with Retry-After',
		service: () => paused(true),
		documents: 1_000,
		seconds: 69.0,
		requests: 1_070,
	},
];
