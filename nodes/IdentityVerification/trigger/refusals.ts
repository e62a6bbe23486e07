import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { UNAVAILABLE, Unavailable, refuse } from '../webhookAnswer';

/** A rotated secret refuses every webhook: one line in this time says enough, in milliseconds. */
const LOGGED_EVERY_MS = 60_000;

/** What a trigger has refused since its last line in the log, by status and cause. */
interface Refusals {
	loggedAt: number;
	counts: Map<string, number>;
}

/** The refusals of each trigger in this n8n process, by its workflow and node. */
const refusals = new Map<string, Refusals>();

/**
 * Refuses a webhook. n8n shows nothing of it, so its log says that paid results are turned away: how many, and why.
 * @param cause a sentence that holds nothing of the webhook and no secret
 */
export function refuseWebhook(
	context: IWebhookFunctions,
	status: number,
	answer: object,
	cause: string,
): IWebhookResponseData {
	const key = keyOf(context);
	const known = refusals.get(key) ?? { loggedAt: -Infinity, counts: new Map<string, number>() };
	refusals.set(key, known);
	const reason = `${status} (${cause})`;
	known.counts.set(reason, (known.counts.get(reason) ?? 0) + 1);
	logRefusals(context);
	return refuse(context, status, answer);
}

/** Refuses a webhook that could not be handled; the service can send it again. */
export function refuseUnavailable(
	context: IWebhookFunctions,
	failure: unknown,
): IWebhookResponseData {
	// The message of any other error could hold anything.
	const cause =
		failure instanceof Unavailable
			? failure.message
			: 'The credential could not be read, or n8n failed in another way';
	return refuseWebhook(context, 503, UNAVAILABLE, cause);
}

/** Logs the refusals that no line says yet, unless the last line is recent. */
export function logRefusals(context: IWebhookFunctions): void {
	const known = refusals.get(keyOf(context));
	if (!known || known.counts.size === 0) return;
	if (performance.now() - known.loggedAt < LOGGED_EVERY_MS) return;
	const list = [...known.counts].map(([reason, count]) => `${count} with status ${reason}`);
	const { id } = context.getWorkflow();
	context.logger.warn(
		`"${context.getNode().name}" of workflow ${id} refused webhooks: ${list.join(', ')}`,
	);
	known.loggedAt = performance.now();
	known.counts.clear();
}

function keyOf(context: IWebhookFunctions): string {
	return `${context.getWorkflow().id} ${context.getNode().id}`;
}
