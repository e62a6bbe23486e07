import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { UNAVAILABLE, Unavailable, refuse } from '../webhookAnswer';
import type { Refusal } from './receive';

/** A rotated secret refuses every webhook: one line in this time says enough, in milliseconds. */
const LOGGED_EVERY_MS = 60_000;

/** What a trigger has refused since its last line in the log, by status and cause. */
interface Refusals {
	loggedAt: number;
	counts: Map<string, number>;
}

/** The refusals of each trigger in this n8n process, by its workflow and node. */
const refusals = new Map<string, Refusals>();

/** Refuses a webhook that can't be taken as it is. */
export function refuseWebhook(
	context: IWebhookFunctions,
	{ status, ...answer }: Refusal,
): IWebhookResponseData {
	count(context, status, answer.error);
	return refuse(context, status, answer);
}

/**
 * Refuses a webhook that can't be taken at the moment; the service can send it again.
 * @param cause a sentence that holds nothing of the webhook and no secret; the sender isn't told
 */
export function refuseUnavailable(context: IWebhookFunctions, cause: string): IWebhookResponseData {
	count(context, 503, cause);
	return refuse(context, 503, UNAVAILABLE);
}

/** Why a webhook could not be handled. The message of an error that isn't our own could hold anything. */
export function causeOf(failure: unknown): string {
	return failure instanceof Unavailable
		? failure.message
		: 'The credential could not be read, or n8n failed in another way';
}

/** n8n shows nothing of a refusal, so its log says that paid results are turned away: how many, and why. */
function count(context: IWebhookFunctions, status: number, cause: string): void {
	const key = keyOf(context);
	const known = refusals.get(key) ?? { loggedAt: -Infinity, counts: new Map<string, number>() };
	refusals.set(key, known);
	const reason = `${status} (${cause})`;
	known.counts.set(reason, (known.counts.get(reason) ?? 0) + 1);
	logRefusals(context);
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
