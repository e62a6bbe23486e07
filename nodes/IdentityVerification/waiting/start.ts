import { sleep } from 'n8n-workflow';

import { Unavailable } from '../webhookAnswer';
import type { ResumeEndpoint } from './delivery';

/** Where n8n says whether it has started. With another name for this endpoint, it never says that it hasn't. */
const READINESS_PATH = '/healthz/readiness';
const NOT_READY = 503;

/** As long as a result is held that is faster than its flow. */
const PATIENCE_MS = 8_000;
const INTERVAL_MS = 250;
const TIMEOUT_MS = 5_000;

/** The addresses at which n8n has started. */
const started = new Set<string>();

/**
 * Resolves once n8n has started, and rejects when that takes long. It takes webhooks before that, and then stores each
 * execution that waits a second time, as it has read it before: one that goes on in between would wait again, or be
 * listed as crashed and repeated by Retry.
 */
export async function untilStarted({ origin }: Pick<ResumeEndpoint, 'origin'>): Promise<void> {
	const deadline = Date.now() + PATIENCE_MS;
	while (!started.has(origin)) {
		if (await isReady(origin)) started.add(origin);
		else if (Date.now() > deadline) throw new Unavailable('n8n is still starting');
		else await sleep(INTERVAL_MS);
	}
}

async function isReady(origin: string): Promise<boolean> {
	const signal = AbortSignal.timeout(TIMEOUT_MS);
	try {
		const { status, body } = await fetch(origin + READINESS_PATH, { signal, redirect: 'manual' });
		await body?.cancel();
		return status !== NOT_READY;
	} catch {
		// If n8n can't be reached at its own address, the delivery will say so.
		return !signal.aborted;
	}
}
