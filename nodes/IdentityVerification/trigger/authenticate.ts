import { createHash, timingSafeEqual } from 'node:crypto';

import type { IWebhookFunctions } from 'n8n-workflow';

import { SECRET_RULE, readWebhookSecret } from '../credential';
import type { Refusal } from '../webhookAnswer';

// Frozen after 0.1.0: the first is in webhook URLs in the service's portal, and the second is added
// by proxies.
export const SECRET_QUERY_PARAMETER = 'secret';
export const SECRET_HEADER = 'X-Webhook-Secret';

/**
 * How a webhook must prove where it comes from. The service itself signs nothing
 * (interface.md#webhook).
 */
export const AUTHENTICATIONS = ['none', 'webhookSecret'] as const;

/** What messages call this node. */
export const TRIGGER = 'the Identity Verification Trigger';

/**
 * For n8n's log. It doesn't contain the wrong secret, which could be the right one of another
 * trigger.
 */
const WRONG_SECRET = 'Not authenticated: the webhook secret is missing or wrong';

/**
 * The cause if the credential has no strong webhook secret. That is looked up when the trigger is
 * published and for each webhook, because the credential can change in between.
 */
export const NEEDS_SECRET = `Enter a 'Webhook Secret' of ${SECRET_RULE} in the credential of ${TRIGGER}`;

/** The same answer for every cause, so a sender without proof learns nothing about the settings. */
export const NOT_AUTHENTICATED: Refusal = {
	status: 401,
	error: 'Not authenticated. Check the webhook secret in the URL or in the header.',
};

/** Whether a sender may be believed. */
export type Authentication =
	/** The sender knows the credential's webhook secret. */
	| { kind: 'proven'; secret: string }
	/** The trigger is set to accept everything. */
	| { kind: 'notNeeded' }
	/**
	 * The cause goes only to the log, so a sender without proof learns nothing about the settings.
	 */
	| { kind: 'refused'; cause: string };

/**
 * Checks the secret that a webhook carries. The credential is read only if there is one, so a flood
 * of other webhooks costs next to nothing. Rejects if the credential can't be read.
 */
export async function authenticate(context: IWebhookFunctions): Promise<Authentication> {
	if (context.getNodeParameter('authentication') === 'none') return { kind: 'notNeeded' };
	const received = receivedSecrets(context.getQueryData(), context.getHeaderData());
	if (received.length === 0) return { kind: 'refused', cause: WRONG_SECRET };
	const secret = await readWebhookSecret(context);
	if (secret === '') return { kind: 'refused', cause: NEEDS_SECRET };
	return isAuthentic(received, secret)
		? { kind: 'proven', secret }
		: { kind: 'refused', cause: WRONG_SECRET };
}

/** The secrets that a webhook carries, right or wrong. Header names are in lower case. */
export function receivedSecrets(
	query: Partial<Record<string, unknown>>,
	headers: Partial<Record<string, unknown>>,
): string[] {
	return [query[SECRET_QUERY_PARAMETER], headers[SECRET_HEADER.toLowerCase()]].filter(
		(value): value is string => typeof value === 'string' && value !== '',
	);
}

/** Whether one of the received secrets is the credential's. */
function isAuthentic(received: string[], secret: string): boolean {
	return received.some((value) => timingSafeEqual(digest(value), digest(secret)));
}

/** Digests have equal lengths, which timingSafeEqual requires. */
function digest(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}
