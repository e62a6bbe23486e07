import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

/** The answer to a webhook that was accepted. */
export const RECEIVED = { received: true };

/** The answer to a refused webhook. It repeats nothing that was received. */
export interface Refusal {
	status: 400 | 401 | 409 | 413 | 503;
	error: string;
	problems?: object[];
}

/** Hides the cause from the sender; publishing a trigger shows it in the editor. */
export const UNAVAILABLE: Refusal = {
	status: 503,
	error: 'The trigger cannot take webhooks at the moment. Send this one again later.',
};

/** Answers a webhook with an error; no workflow starts or resumes. */
export function refuse(
	context: IWebhookFunctions,
	{ status, ...answer }: Refusal,
): IWebhookResponseData {
	context.getResponseObject().status(status).json(answer);
	return { noWebhookResponse: true };
}

/** After a change of the secret, every webhook is refused: one line a minute is enough. */
const LOGGED_EVERY_MS = 60_000;

/** When each trigger was last logged, and how much it has refused since, by cause. */
const logs = new Map<string, { loggedAt: number; counts: Map<string, number> }>();

/**
 * Refuses a webhook and logs it, because n8n itself doesn't show that paid results are turned away.
 * @param cause for the log; it holds nothing of the webhook and no secret
 */
export function refuseAndLog(
	context: IWebhookFunctions,
	refusal: Refusal,
	cause = refusal.error,
): IWebhookResponseData {
	logRefusals(context, `${refusal.status} (${cause})`);
	return refuse(context, refusal);
}

/** Logs what a trigger has refused since its last line in the log, unless that line is recent. */
export function logRefusals(context: IWebhookFunctions, newRefusal?: string): void {
	const { id: workflowId } = context.getWorkflow();
	const { id, name } = context.getNode();
	const key = `${workflowId} ${id}`;
	const log = logs.get(key) ?? { loggedAt: -Infinity, counts: new Map<string, number>() };
	logs.set(key, log);
	const { counts } = log;
	if (newRefusal !== undefined) counts.set(newRefusal, (counts.get(newRefusal) ?? 0) + 1);
	if (counts.size === 0 || performance.now() - log.loggedAt < LOGGED_EVERY_MS) return;
	const list = [...counts].map(([refusal, count]) => `${count} with status ${refusal}`);
	context.logger.warn(`"${name}" of workflow ${workflowId} refused webhooks: ${list.join(', ')}`);
	log.loggedAt = performance.now();
	counts.clear();
}
