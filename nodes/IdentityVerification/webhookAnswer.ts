import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

/** What the sender of a webhook is told when it was taken. */
export const RECEIVED = { received: true };

/** Doesn't tell the sender the cause; for the trigger, the editor shows it when the workflow is published. */
export const UNAVAILABLE = {
	error: 'The trigger cannot take webhooks at the moment. Send this one again later.',
};

/** Why a webhook can't be taken now; the message holds nothing secret. */
export class Unavailable extends Error {}

/** Answers a webhook with an error; no workflow starts or goes on. */
export function refuse(
	context: IWebhookFunctions,
	status: number,
	body: object,
): IWebhookResponseData {
	context.getResponseObject().status(status).json(body);
	return { noWebhookResponse: true };
}
