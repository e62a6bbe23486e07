import { createHmac, timingSafeEqual } from 'node:crypto';

import { sleep } from 'n8n-workflow';
import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { isTextOrNumber } from '../contract/read';
import type { Envelope } from '../contract/result';
import { RECEIVED } from '../webhookAnswer';
import { keyFor, openAddress } from './address';
import type { AddressedValue, WaitingExecution } from './address';

/** Last part of the path where a Wait for Result receives its result; other nodes have others. */
export const RESULT_PATH = 'identity-verification-result';

/** Holds the proof that a result went through the trigger. */
export const SIGNATURE_HEADER = 'x-identity-verification-signature';

/** What a Wait for Result answers to the result of another link. */
export const OTHER_LINK = 'The execution is waiting for the result of another link.';

/** Before each try, in milliseconds: a result can arrive before the workflow starts waiting. */
const PAUSES_MS = [0, 250, 500, 1_000, 2_000, 4_000];

/** n8n answers when it has a slot free for the execution. Giving up earlier could use a result twice. */
const TIMEOUT_MS = 180_000;

/** The service then has to send the result again, as when n8n is down. */
export const STILL_STARTING = 'n8n is still starting';

const TOOK_TOO_LONG =
	'n8n took too long to answer. Check whether the execution has gone on with this result.';

const LOST = 'n8n could not resume the execution.';

const OTHER_NODE = 'Another node of the execution was waiting.';

/** Why a try didn't deliver, in a sentence, and whether a later one may. */
interface Failure {
	reason: string;
	mayChange?: boolean;
}

/** How n8n refuses a result. The first match of status and text counts. */
const ANSWERS: Array<[status: number, text: string, reason: string, mayChange?: true]> = [
	// The execution's token has changed since it began to wait.
	[401, 'Invalid token', LOST],
	[401, '', 'Wait for Result and the trigger have different webhook secrets.'],
	[409, OTHER_LINK, OTHER_LINK],
	// It isn't waiting yet, or resumes with another copy.
	[409, 'running', 'The execution was not waiting for it.', true],
	[409, '', 'The execution has gone on without it, or was stopped.'],
	[404, 'does not exist', 'The execution does not exist any more.'],
	[404, '', OTHER_NODE, true],
	// n8n redirects to the form at which the execution waits.
	[307, '', OTHER_NODE, true],
];

/**
 * Hands a result to the execution that waits for it.
 * @param secret the webhook secret the sender has proved it knows; empty if nothing was proven
 * @returns undefined when the execution resumes with the result, otherwise why it doesn't
 */
export async function handOver(
	context: IWebhookFunctions,
	result: Envelope,
	addressed: AddressedValue,
	secret: string,
): Promise<string | undefined> {
	// Whoever has seen Custom Data could post any decision with it.
	if (secret === '') {
		return 'Only Webhook Secret authentication proves a decision. With None, no result is handed to a waiting execution.';
	}
	const { profileId } = result;
	const execution = isTextOrNumber(profileId) && openAddress(secret, String(profileId), addressed);
	return execution
		? await deliver(resumeEndpoint(context), execution, result, secret)
		: 'Its link was created for another profile, or with another webhook secret.';
}

/** `webhook-waiting`, unless it was changed. Constant while n8n runs, and n8n's expressions are slow. */
let endpointName: string | undefined;

/**
 * Where this n8n process resumes executions. Only its own socket says that, so no sender can choose
 * where a result goes, and the endpoint need not be reachable from outside.
 */
function resumeEndpoint(context: IWebhookFunctions): string {
	const socket: { localAddress?: string; localPort?: number } = context.getRequestObject().socket;
	const { localAddress = '', localPort = 0 } = socket;
	const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress;
	endpointName ??= resumeUrl(context)?.pathname.split('/').at(-2);
	return `http://${host}:${localPort}/${endpointName}`;
}

/** Where n8n resumes this execution; undefined if n8n doesn't say. */
export function resumeUrl(context: IExecuteFunctions | IWebhookFunctions): URL | undefined {
	const url = String(context.evaluateExpression('{{ $execution.resumeUrl }}', 0));
	return URL.canParse(url) ? new URL(url) : undefined;
}

/** The newest delivery to each execution that has one on its way. */
const deliveries = new Map<string, Promise<string | undefined>>();

/**
 * Delivers one copy at a time: while n8n has no slot free, it would also take a second one, and
 * resume with it if the execution waits again.
 * @param endpoint where n8n takes requests that resume executions, without a slash at the end
 * @returns the same as `handOver`. Never rejects.
 */
export async function deliver(
	endpoint: string,
	execution: WaitingExecution,
	result: object,
	secret: string,
): Promise<string | undefined> {
	const { executionId } = execution;
	const before = deliveries.get(executionId) ?? Promise.resolve(undefined);
	const delivery = before.then(async (problem) => {
		// n8n may still accept the previous copy.
		if (problem === TOOK_TOO_LONG) return problem;
		return await deliverNow(endpoint, execution, result, secret);
	});
	deliveries.set(executionId, delivery);
	const problem = await delivery;
	if (deliveries.get(executionId) === delivery) deliveries.delete(executionId);
	return problem;
}

async function deliverNow(
	endpoint: string,
	{ executionId, resumeToken }: WaitingExecution,
	result: object,
	secret: string,
): Promise<string | undefined> {
	const path = `${encodeURIComponent(executionId)}/${RESULT_PATH}`;
	const url = `${endpoint}/${path}?signature=${encodeURIComponent(resumeToken)}`;
	let body: string;
	try {
		body = JSON.stringify(result);
	} catch {
		// JSON.stringify has a lower nesting limit than JSON.parse.
		return 'It is nested too deeply to be handed on.';
	}
	const signature = signDelivery(secret, Buffer.from(body));
	const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature };
	let failure: Failure | undefined;
	for (const pause of PAUSES_MS) {
		await sleep(pause);
		failure = await post(url, { headers, body });
		if (!failure?.mayChange) break;
	}
	if (failure) return failure.reason;
	// n8n may report success yet fail to resume, such as when a credential was deleted. Only a second request tells:
	// n8n has then discarded all of the execution's data and its token.
	const afterwards = await post(url, {});
	return afterwards?.reason === LOST ? LOST : undefined;
}

/** Without n8n's request helper, which may use a proxy or refuse this machine's address. */
async function post(url: string, request: RequestInit): Promise<Failure | undefined> {
	const signal = AbortSignal.timeout(TIMEOUT_MS);
	try {
		if (await isStarting(url)) return { reason: STILL_STARTING, mayChange: true };
		const answer = await fetch(url, { ...request, method: 'POST', signal, redirect: 'manual' });
		return failureOf(answer.status, await answer.text());
	} catch {
		if (signal.aborted) return { reason: TOOK_TOO_LONG };
		return { reason: 'n8n could not be reached at its own address.', mayChange: true };
	}
}

/** The hosts on which n8n has started. */
const started = new Set<string>();

/**
 * n8n accepts webhooks before it has started, and then stores each waiting execution as it was: one that resumed in
 * between would wait again, or count as crashed and be repeated by Retry.
 */
async function isStarting(url: string): Promise<boolean> {
	// If this endpoint was renamed, n8n never says that it hasn't started.
	const readiness = new URL('/healthz/readiness', url);
	if (started.has(readiness.host)) return false;
	const signal = AbortSignal.timeout(5_000);
	try {
		const { status, body } = await fetch(readiness, { signal, redirect: 'manual' });
		await body?.cancel();
		if (status !== 503) started.add(readiness.host);
		return status === 503;
	} catch {
		// If n8n can't be reached at its own address, the delivery says so.
		return signal.aborted;
	}
}

function failureOf(status: number, text: string): Failure | undefined {
	if (status === 200 && text === JSON.stringify(RECEIVED)) return undefined;
	if (status >= 500) return { reason: `n8n answered with status ${status}.`, mayChange: true };
	const known = ANSWERS.find(([other, part]) => other === status && text.includes(part)) ?? [];
	const [, , reason = `n8n refused it with status ${status}.`, mayChange] = known;
	return { reason, mayChange };
}

/** Whether a delivery's bytes were signed with this secret. An empty one proves nothing. */
export function isDelivery(secret: string, bytes: Uint8Array, signature: unknown): boolean {
	if (secret === '' || typeof signature !== 'string') return false;
	const expected = Buffer.from(signDelivery(secret, bytes));
	const received = Buffer.from(signature);
	return received.length === expected.length && timingSafeEqual(received, expected);
}

function signDelivery(secret: string, bytes: Uint8Array): string {
	const key = keyFor(secret, 'delivery of a result');
	return createHmac('sha256', key).update(bytes).digest('base64url');
}
