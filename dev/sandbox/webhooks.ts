import { randomUUID } from 'node:crypto';

import type { Context } from './context';
import { COMPLETED_EVENT } from './interface';
import type { Result } from './interface';
import type { Delivery } from './manners';
import type { Profile } from './profiles';
import type { LinkRecord, WebhookAttempt, WebhookRecord } from './state';

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_CHARACTERS = 2_000;
const MINUTE_MS = 60_000;

/** The documented request (interface.md#webhook). */
const DELIVERY = {
	method: 'POST',
	contentType: 'application/json',
	encode: (json: string) => json,
};

/** Whether the service retries by itself isn't documented (interface.md#what-is-unknown): here not. */
const SCHEDULE = { delayMs: 0, times: 1, atOnce: 1, repeats: 0 };

/**
 * Sends the result of a finished link to the profile's webhook URL, if it has one
 * (interface.md#webhook).
 */
export async function sendWebhook(
	link: LinkRecord,
	{ id: profile, webhookUrl }: Profile,
	result: Result,
	context: Context,
): Promise<void> {
	if (!webhookUrl) return;
	const { reference } = link;
	const customData = context.state.manners.at('customData', link.customData);
	const { decision, transactionId } = result;
	const body = { ...result, customData, hosted: reference, event: COMPLETED_EVENT };
	const webhook: WebhookRecord = {
		id: randomUUID(),
		reference,
		profile,
		decision,
		customData,
		transactionId,
		attempts: [],
		payload: JSON.stringify(body),
	};
	await deliverOnSchedule(webhook, webhookUrl, context);
}

/** Delivers a webhook when and as often as the service does, unless the sandbox is reset before. */
async function deliverOnSchedule(
	webhook: WebhookRecord,
	url: string,
	context: Context,
): Promise<void> {
	const { state } = context;
	const { clock } = state;
	const schedule = () => state.manners.at('schedule', SCHEDULE);
	const { delayMs, times, atOnce } = schedule();
	if (times === 0 || !(await clock.wait(delayMs))) return;
	state.webhooks.push(webhook);
	for (let time = 0; time < times; time += 1) {
		await Promise.all(Array.from({ length: atOnce }, () => deliver(webhook, url, context)));
	}
	const isDue = (repeat: number) => repeat < schedule().repeats && !isReceived(webhook);
	for (let repeat = 0; isDue(repeat); repeat += 1) {
		if (!(await clock.wait(MINUTE_MS)) || !isDue(repeat)) return;
		await deliver(webhook, url, context);
	}
}

function isReceived({ attempts }: WebhookRecord): boolean {
	return attempts.some(({ status }) => status !== null && status >= 200 && status < 300);
}

/** Sends the same result (again) and records what came back. Never throws, never retries. */
export async function deliver(
	webhook: WebhookRecord,
	url: string,
	{ state, closing }: Context,
): Promise<void> {
	const at = new Date().toISOString();
	const delivery = state.manners.at('delivery', DELIVERY);
	webhook.attempts.push({ url, ...(await attempt(webhook, delivery, url, closing)), at });
}

async function attempt(
	{ payload }: WebhookRecord,
	{ method, contentType, encode }: Delivery,
	url: string,
	closing: AbortSignal,
): Promise<Pick<WebhookAttempt, 'status' | 'body'>> {
	try {
		const response = await fetch(url, {
			method,
			// A new connection each time: n8n closes idle ones, and what is sent over one just then is
			// lost.
			headers: { ...(contentType && { 'Content-Type': contentType }), Connection: 'close' },
			// Bytes, as a text would get a content type of its own.
			body: Buffer.from(encode(payload)),
			redirect: 'manual',
			signal: AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)]),
		});
		const body = (await response.text()).slice(0, MAX_ANSWER_CHARACTERS);
		return { status: response.status, body };
	} catch (error) {
		return { status: null, body: reasonOf(error) };
	}
}

/** `fetch failed` alone doesn't help: the reason is its cause. */
function reasonOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	return error.cause instanceof Error ? error.cause.message : error.message;
}
