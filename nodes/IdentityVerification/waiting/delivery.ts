import { createHmac, timingSafeEqual } from 'node:crypto';

import { sleep } from 'n8n-workflow';

import { RECEIVED } from '../webhookAnswer';
import { keyFor } from './address';
import type { WaitingExecution } from './address';

/** Last part of the path at which a Wait for Result takes its result. n8n's own waiting nodes have other ones. */
export const RESULT_PATH = 'identity-verification-result';

/** Holds the proof that a result went through the trigger. */
export const SIGNATURE_HEADER = 'x-identity-verification-signature';

/** What a Wait for Result answers to the result of another link. */
export const OTHER_LINK = 'The execution waits for the result of another link.';

/** Before each further try, in milliseconds: a result can be faster than the flow that is going to wait for it. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000];

/** n8n answers only when it has a slot free for the execution. A short time-out could deliver a result and hand it on here, too. */
const TIMEOUT_MS = 180_000;

/** n8n's answer when the execution has another token than it had when it began to wait. */
const INVALID_TOKEN = 'Invalid token';

const TOOK_TOO_LONG =
	'n8n took too long to answer. Check whether the execution has gone on with this result.';

const LOST = 'n8n could not let the execution go on.';

const OTHER_NODE = 'Another node of the execution was waiting.';

/** Where this n8n itself takes requests that resume executions. */
export interface ResumeEndpoint {
	/** Without a slash at the end. */
	origin: string;
	/** n8n's name for its endpoint, `webhook-waiting` unless changed. */
	name: string;
}

/** Why a try didn't deliver. */
interface Refusal {
	/** A sentence. */
	reason: string;
	/** Whether a later try may deliver. */
	mayChange: boolean;
}

/** The newest delivery to each execution that has one on its way. */
const deliveries = new Map<string, Promise<string | undefined>>();

/**
 * Hands a result to the execution that waits for it, one copy at a time: while n8n has no slot free, it takes a second
 * one too, and lets an execution that waits again by then go on with it.
 * @param body the result as it was received
 * @returns undefined when the execution goes on with it, otherwise why it doesn't, in a sentence. Never rejects.
 */
export async function deliver(
	endpoint: ResumeEndpoint,
	execution: WaitingExecution,
	body: object,
	secret: string,
): Promise<string | undefined> {
	const { executionId } = execution;
	const before = deliveries.get(executionId) ?? Promise.resolve(undefined);
	const delivery = before.then(async (problem) => {
		// n8n may still be about to take the copy before.
		if (problem === TOOK_TOO_LONG) return problem;
		return await deliverNow(endpoint, execution, body, secret);
	});
	deliveries.set(executionId, delivery);
	const problem = await delivery;
	if (deliveries.get(executionId) === delivery) deliveries.delete(executionId);
	return problem;
}

async function deliverNow(
	{ origin, name }: ResumeEndpoint,
	{ executionId, resumeToken }: WaitingExecution,
	body: object,
	secret: string,
): Promise<string | undefined> {
	const path = [name, executionId, RESULT_PATH].map(encodeURIComponent).join('/');
	const url = `${origin}/${path}?signature=${encodeURIComponent(resumeToken)}`;
	const text = asJson(body);
	if (text === undefined) return 'It is nested too deeply to be handed on.';
	const request = {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			[SIGNATURE_HEADER]: signDelivery(secret, Buffer.from(text)),
		},
		body: text,
	};
	let refusal = await post(url, request);
	for (const pause of PAUSES_MS) {
		if (!refusal?.mayChange) break;
		await sleep(pause);
		refusal = await post(url, request);
	}
	return refusal ? refusal.reason : await problemAfterwards(url);
}

/**
 * n8n also says that it has taken a result when it then doesn't start the execution, for example because a credential
 * was deleted meanwhile. It has thrown away what the execution knew by then, its token included.
 */
async function problemAfterwards(url: string): Promise<string | undefined> {
	const refusal = await post(url, { method: 'POST' });
	return refusal?.reason === LOST ? LOST : undefined;
}

/** JSON.stringify doesn't go as deep as JSON.parse. */
function asJson(body: object): string | undefined {
	try {
		return JSON.stringify(body);
	} catch {
		return undefined;
	}
}

/** Whether the bytes of a delivery were signed with this secret. */
export function isDelivery(secret: string, bytes: Uint8Array, signature: unknown): boolean {
	const expected = Buffer.from(signDelivery(secret, bytes));
	const received = Buffer.from(typeof signature === 'string' ? signature : '');
	return received.length === expected.length && timingSafeEqual(received, expected);
}

function signDelivery(secret: string, bytes: Uint8Array): string {
	const key = keyFor(secret, 'delivery of a result');
	return createHmac('sha256', key).update(bytes).digest('base64url');
}

/** Not n8n's request helper: it would go through a proxy, and refuses this machine where n8n guards against SSRF. */
async function post(url: string, request: RequestInit): Promise<Refusal | undefined> {
	const signal = AbortSignal.timeout(TIMEOUT_MS);
	try {
		const response = await fetch(url, { ...request, signal, redirect: 'manual' });
		return refusalOf(response.status, await response.text());
	} catch {
		return signal.aborted
			? final(TOOK_TOO_LONG)
			: passing('n8n could not be reached at its own address.');
	}
}

function refusalOf(status: number, text: string): Refusal | undefined {
	if (status === 200 && text === JSON.stringify(RECEIVED)) return undefined;
	if (status >= 500) return passing(`n8n answered with status ${status}.`);
	switch (status) {
		case 401:
			if (text.includes(INVALID_TOKEN)) return final(LOST);
			return final('Wait for Result has another webhook secret than the trigger.');
		case 409:
			if (text.includes(OTHER_LINK)) return final(OTHER_LINK);
			// Not there yet, or going on with another copy of the result.
			if (text.includes('running')) return passing('The execution was not waiting for it.');
			return final('The execution has gone on without it, or was stopped.');
		case 404:
			if (text.includes('does not exist')) return final('The execution does not exist any more.');
			return passing(OTHER_NODE);
		case 307:
			// n8n sends it on to the form at which the execution waits.
			return passing(OTHER_NODE);
		default:
			return final(`n8n refused it with status ${status}.`);
	}
}

function passing(reason: string): Refusal {
	return { reason, mayChange: true };
}

function final(reason: string): Refusal {
	return { reason, mayChange: false };
}
