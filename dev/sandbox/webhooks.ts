import { randomUUID } from 'node:crypto';

import type { Context } from './context';
import { COMPLETED_EVENT } from './interface';
import type { Result } from './interface';
import type { Profile } from './profiles';
import type { LinkRecord, WebhookAttempt, WebhookRecord } from './state';

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_CHARACTERS = 2_000;

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
	const { customData, reference } = link;
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
	context.state.webhooks.push(webhook);
	await deliver(webhook, webhookUrl, context);
}

/** Sends the same body (again) and records what came back. Never throws, never retries. */
export async function deliver(
	webhook: WebhookRecord,
	url: string,
	{ closing }: Context,
): Promise<void> {
	const at = new Date().toISOString();
	webhook.attempts.push({ url, ...(await attempt(webhook, url, closing)), at });
}

async function attempt(
	{ payload }: WebhookRecord,
	url: string,
	closing: AbortSignal,
): Promise<Pick<WebhookAttempt, 'status' | 'body'>> {
	try {
		const response = await fetch(url, {
			method: 'POST',
			// A new connection each time: n8n closes idle ones, and what is sent over one just then is
			// lost.
			headers: { 'Content-Type': 'application/json', Connection: 'close' },
			body: payload,
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
