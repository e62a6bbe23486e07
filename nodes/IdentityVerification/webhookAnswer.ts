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
const REFUSALS_LOGGED_EVERY_MS = 60_000;

/** What a node has refused since its last line in the log. */
interface RefusalLog {
	loggedAt: number;
	count: number;
	/** Status and cause of the last one. */
	last: string;
}

/** Keyed by workflow and node. */
const logs = new Map<string, RefusalLog>();

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
	const log = logOf(context);
	log.count++;
	log.last = `${refusal.status} (${cause})`;
	logRefusalsIfDue(context);
	return refuse(context, refusal);
}

/** Answers a webhook for which something was thrown, and logs where. */
export function refuseFailed(context: IWebhookFunctions, failed: unknown): IWebhookResponseData {
	const [place = ''] = placesOf(failed);
	return refuseAndLog(context, UNAVAILABLE, `${FAILED} ${place.trim()}`.trimEnd());
}

/** Logs what a node has refused since its last line in the log, unless that line is recent. */
export function logRefusalsIfDue(context: IWebhookFunctions): void {
	const log = logOf(context);
	const { loggedAt, count, last } = log;
	if (count === 0 || performance.now() - loggedAt < REFUSALS_LOGGED_EVERY_MS) return;
	const webhooks = count === 1 ? '1 webhook' : `${count} webhooks, the last one`;
	const { name } = context.getNode();
	const { id } = context.getWorkflow();
	context.logger.warn(`"${name}" of workflow ${id} refused ${webhooks} with status ${last}`);
	log.loggedAt = performance.now();
	log.count = 0;
}

function logOf(context: IWebhookFunctions): RefusalLog {
	const key = `${context.getWorkflow().id} ${context.getNode().id}`;
	const log = logs.get(key) ?? { loggedAt: -Infinity, count: 0, last: '' };
	logs.set(key, log);
	return log;
}
