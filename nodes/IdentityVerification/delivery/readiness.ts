import { isRecord, parseJson } from '../contract/json';

/**
 * Whether n8n has started. `silent` means that it didn't answer in time. `unknown` means that there
 * was no usable answer, for example because the connection was refused, so the delivery itself must
 * find out.
 */
export type Readiness = 'started' | 'starting' | 'silent' | 'unknown';

/** The hosts on which n8n has started. */
const started = new Set<string>();

/**
 * Asks n8n whether it has started. n8n accepts webhooks before that, but then stores each waiting
 * execution again in its earlier state. One that resumed in the meantime would wait again, or count
 * as crashed and be repeated by Retry.
 * @param url any address of this n8n
 * @param timeoutMs as long as a delivery may take, because a busy n8n can be silent for longer than
 * a probe would normally wait
 */
export async function readinessOf(url: string, timeoutMs: number): Promise<Readiness> {
	// If the user has renamed this endpoint, n8n never says that it hasn't started.
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

/**
 * Whether the 503 came from n8n itself and not from a proxy in between
 * (architecture.md#n8n-readiness).
 */
function isOfN8n(text: string): boolean {
	const answer = parseJson(text);
	return isRecord(answer) && answer.status === 'error';
}
