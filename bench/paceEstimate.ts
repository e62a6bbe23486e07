import type { Model } from '../dev/sandbox/model';

/** How many standard deviations above the median of a normal distribution its 99th percentile lies. */
const P99_DEVIATIONS = 2.326;

/**
 * The least time for documents at a service when a fixed number of requests is open.
 * @returns milliseconds, as if n8n itself took no time
 */
export function leastMs(model: Model, documents: number, open: number): number {
	const atOnce = Math.min(open, documents, model.maxOpen ?? Infinity);
	return Math.max(
		(documents * latencyMs(model, atOnce)) / atOnce,
		limitedMs(model, documents) + latencyMs(model, 1),
	);
}

/** The least time in which a service takes documents by its limit a second, in milliseconds. */
export function limitedMs({ rate }: Model, documents: number): number {
	if (!rate) return 0;
	const { perSecond, burst = Math.max(1, perSecond), change } = rate;
	const before = Math.min(documents, change?.after ?? Infinity);
	const seconds = Math.max(0, before - burst) / perSecond;
	return 1_000 * (seconds + (change ? (documents - before) / change.perSecond : 0));
}

/** The mean time of a request while so many are open; that of a log-normal tail is above its median. */
function latencyMs({ latency }: Model, open: number): number {
	if (!latency) return 0;
	const { ms, p99Ms = ms, knee = Infinity } = latency;
	const deviation = Math.log(p99Ms / ms) / P99_DEVIATIONS;
	return ms * Math.exp(deviation ** 2 / 2) * (1 + (open / knee) ** 2);
}
