import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { placesOf } from './errors/nodeErrors';

/**
 * The answer to a webhook that was accepted. Frozen after 0.1.0 like delivery/protocol.ts, because
 * the trigger recognizes it as the answer of Wait for Result.
 */
export const RECEIVED = { received: true };

/** The answer to a refused webhook. It contains nothing that was received. */
export interface Refusal {
	status: 400 | 401 | 409 | 413 | 503;
	error: string;
	/** For the package's own trigger, if that is the sender. */
	code?: string;
	problems?: object[];
}

/** Doesn't tell the sender the cause, which is in n8n's log. */
export const UNAVAILABLE: Refusal = {
	status: 503,
	error: 'This webhook cannot be accepted at the moment. Send it again later.',
};

/**
 * For n8n's log, in place of what was thrown, because n8n's own message could contain secrets or
 * personal data.
 */
const FAILED = 'The credential could not be read, or n8n failed in another way';

/** Answers a webhook with an error; no workflow starts or resumes. */
export function refuse(
	context: IWebhookFunctions,
	{ status, ...answer }: Refusal,
): IWebhookResponseData {
	context.getResponseObject().status(status).json(answer);
	return { noWebhookResponse: true };
}

/** After a change of the secret, every webhook is refused, so one line a minute is enough. */
const LOGGED_EVERY_MS = 60_000;

/**
 * When each node last logged each subject. A subject has a minute of its own, so a stranger's
 * refusals hide no other.
 */
const loggedAt = new Map<string, number>();

/**
 * Refuses a webhook and logs it, because n8n itself doesn't show that paid results are being
 * refused.
 * @param cause for the log; it must contain no secret and nothing of the webhook
 */
export function refuseAndLog(
	context: IWebhookFunctions,
	refusal: Refusal,
	cause = refusal.error,
): IWebhookResponseData {
	const reason = `${refusal.status} (${cause})`;
	warnOnceAMinute(context, reason, `refused a webhook with status ${reason}`);
	return refuse(context, refusal);
}

/**
 * Logs what a node did with a webhook, once a minute for each subject, however many there are.
 * @param did the rest of a sentence that begins with the node; it must contain no secret and no
 * personal data
 */
export function warnOnceAMinute(context: IWebhookFunctions, subject: string, did: string): void {
	const { id } = context.getWorkflow();
	const node = context.getNode();
	const key = JSON.stringify([id, node.id, subject]);
	const now = performance.now();
	if (now < (loggedAt.get(key) ?? -Infinity) + LOGGED_EVERY_MS) return;
	loggedAt.set(key, now);
	context.logger.warn(`"${node.name}" of workflow ${id} ${did}`);
}

/** Answers a webhook for which something was thrown, and logs where. */
export function refuseFailed(context: IWebhookFunctions, failed: unknown): IWebhookResponseData {
	const [place = ''] = placesOf(failed);
	return refuseAndLog(context, UNAVAILABLE, `${FAILED} ${place.trim()}`.trimEnd());
}
