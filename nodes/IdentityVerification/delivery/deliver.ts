import { sleep } from 'n8n-workflow';

import type { ParsedBody } from '../contract/read';
import { parseUrl } from '../nodejs';
import type { WaitingExecution } from './address';
import { failed, readAnswer } from './n8nAnswers';
import type { Attempt } from './n8nAnswers';
import { notDelivered } from './notDelivered';
import type { Delivery, Why } from './notDelivered';
import { RESULT_PATH, SIGNATURE_HEADER } from './protocol';
import { readinessOf } from './readiness';
import { signDelivery } from './signature';

/**
 * The pauses before further attempts, which are needed because a result can arrive before the
 * workflow starts waiting.
 */
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000];

/**
 * n8n answers only once it has a free slot. If we gave up earlier, it could still use this copy,
 * and a resent one too.
 */
const TIMEOUT_MS = 180_000;

/**
 * If a delivery fails for one of these reasons, the copies that wait for it aren't tried: n8n may
 * still accept the first one, or is silent, and each copy would wait for minutes.
 */
const AS_BEFORE: Why[] = ['tooSlow', 'unreachable'];

/** The newest delivery to each execution, while it is on its way. */
const deliveries = new Map<string, Promise<Delivery>>();

/**
 * Delivers a result to an execution. The service can send the same webhook several times, and the
 * copies are delivered one at a time. Otherwise, an n8n without a free slot would accept a second
 * one, and resume with it if the execution waits again (architecture.md#n8n-copies). Never rejects.
 * @param endpoint where n8n accepts requests that resume executions, without a slash at the end
 * @param secret the webhook secret, with which the result is signed
 */
export async function deliver(
	endpoint: string,
	execution: WaitingExecution,
	result: ParsedBody,
	secret: string,
): Promise<Delivery> {
	const { executionId } = execution;
	const before = deliveries.get(executionId);
	const delivery = (async () => {
		const previous = await before;
		if (previous?.kind === 'notDelivered' && AS_BEFORE.includes(previous.why)) return previous;
		return await deliverOne(endpoint, execution, result, secret);
	})();
	deliveries.set(executionId, delivery);
	try {
		return await delivery;
	} finally {
		if (deliveries.get(executionId) === delivery) deliveries.delete(executionId);
	}
}

/**
 * n8n will call `resume` in actions/waitForResult/resume.ts. Its own token is called `signature`.
 */
async function deliverOne(
	endpoint: string,
	{ executionId, resumeToken }: WaitingExecution,
	result: ParsedBody,
	secret: string,
): Promise<Delivery> {
	const request = signedRequest(result, secret);
	const path = `${encodeURIComponent(executionId)}/${RESULT_PATH}`;
	const url = `${endpoint}/${path}?signature=${encodeURIComponent(resumeToken)}`;
	const attempt = await postUntilSettled(url, request);
	if (attempt.kind === 'failed') return attempt.delivery;
	// n8n may report success yet fail to resume, for example because a credential was deleted. Only a
	// second request shows it, because n8n has then discarded the execution's data and its token
	// (architecture.md#n8n-lost-execution).
	const probe = await post(url, {});
	const isLost = probe.kind === 'failed' && probe.delivery.why === 'lost';
	return isLost ? probe.delivery : { kind: 'delivered' };
}

function signedRequest(result: ParsedBody, secret: string): RequestInit {
	const body = JSON.stringify(result);
	const signature = signDelivery(secret, Buffer.from(body));
	const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature };
	return { headers, body };
}

/** Repeats the request while its answer may still change. */
async function postUntilSettled(url: string, request: RequestInit): Promise<Attempt> {
	let attempt = await post(url, request);
	for (const pause of PAUSES_MS) {
		if (attempt.kind === 'taken' || !attempt.mayChange) break;
		await sleep(pause);
		attempt = await post(url, request);
	}
	return attempt;
}

/**
 * Doesn't use n8n's request helper, which may go through a proxy or refuse this machine's address.
 */
async function post(url: string, request: RequestInit): Promise<Attempt> {
	// The address of a socket can have a zone, as `fe80::1%eth0`, which no URL can.
	if (!parseUrl(url)) return failed(notDelivered('unreachable'));
	const readiness = await readinessOf(url, TIMEOUT_MS);
	if (readiness === 'starting') return failed(notDelivered('starting'), true);
	if (readiness === 'silent') return failed(notDelivered('unreachable'));
	const signal = AbortSignal.timeout(TIMEOUT_MS);
	try {
		const answer = await fetch(url, { ...request, method: 'POST', signal, redirect: 'manual' });
		return readAnswer(answer.status, await answer.text());
	} catch {
		if (signal.aborted) return failed(notDelivered('tooSlow'));
		return failed(notDelivered('unreachable'), true);
	}
}
