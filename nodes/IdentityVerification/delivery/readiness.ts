import { isRecord, parseJson } from '../contract/json';

/**
 * Whether an n8n has started. `silent`: it didn't answer in time. `unknown`: the question wasn't
 * answered, such as because the connection was refused, so the delivery itself has to find out.
 */
export type Readiness = 'started' | 'starting' | 'silent' | 'unknown';

/** The hosts on which n8n has started. */
const started = new Set<string>();

/**
 * Asks n8n whether it has started. n8n accepts webhooks before that, and then stores each waiting
 * execution as it was: one that resumed in between would wait again, or count as crashed and be
 * repeated by Retry.
 * @param url any address of this n8n
 * @param timeoutMs as long as a delivery may take: a busy n8n is silent for longer than a probe
 * usually waits
 */
export async function readinessOf(url: string, timeoutMs: number): Promise<Readiness> {
	// If this endpoint was renamed, n8n never says that it hasn't started.
	const probe = new URL('/healthz/readiness', url);
	if (started.has(probe.host)) return 'started';
	const signal = AbortSignal.timeout(timeoutMs);
	try {
		const answer = await fetch(probe, { signal, redirect: 'manual' });
		const text = await answer.text();
		if (answer.status === 503) return isOfN8n(text) ? 'starting' : 'unknown';
		started.add(probe.host);
		return 'started';
	} catch {
		return signal.aborted ? 'silent' : 'unknown';
	}
}

/** Whether n8n itself answers 503, and not a proxy in between (architecture.md#n8n-readiness). */
function isOfN8n(text: string): boolean {
	const answer = parseJson(text);
	return isRecord(answer) && answer.status === 'error';
}
