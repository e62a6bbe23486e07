import { createHash, timingSafeEqual } from 'node:crypto';

import { isRecord, isText } from '../contract';
import { verifyCustomData } from '../signedCustomData';

export const SECRET_QUERY_PARAMETER = 'secret';
export const SECRET_HEADER = 'X-Webhook-Secret';

/** How a webhook has to prove where it comes from. The service itself signs nothing (§6). */
export const AUTHENTICATIONS = ['none', 'signedCustomData', 'webhookSecret'] as const;
export type Authentication = (typeof AUTHENTICATIONS)[number];

/** What the trigger looks at in a request; headers in lower case. */
export interface WebhookRequest {
	body: unknown;
	query: Partial<Record<string, unknown>>;
	headers: Partial<Record<string, unknown>>;
}

/**
 * Checks where a webhook comes from.
 * @param secret the credential's webhook secret; without one, only None accepts anything
 * @returns the body, in which signed custom data is the caller's own value again; undefined when
 * the webhook isn't authentic
 */
export function authenticate(
	request: WebhookRequest,
	authentication: Authentication,
	secret: string,
): { body: unknown } | undefined {
	if (authentication === 'none') return { body: request.body };
	if (!secret) return undefined;
	if (authentication === 'signedCustomData') return withVerifiedCustomData(request.body, secret);
	const { query, headers } = request;
	const received = [query[SECRET_QUERY_PARAMETER], headers[SECRET_HEADER.toLowerCase()]];
	const isAuthentic = received.some((value) => typeof value === 'string' && isSame(value, secret));
	return isAuthentic ? { body: request.body } : undefined;
}

function withVerifiedCustomData(body: unknown, secret: string): { body: unknown } | undefined {
	if (!isRecord(body)) return undefined;
	const { profileId, customData } = body;
	if (typeof customData !== 'string' || !isText(profileId)) return undefined;
	const value = verifyCustomData(secret, String(profileId), customData);
	return value === undefined ? undefined : { body: { ...body, customData: value } };
}

/** Compares digests: these have equal lengths, which comparing in constant time needs. */
function isSame(received: string, secret: string): boolean {
	return timingSafeEqual(digest(received), digest(secret));
}

function digest(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}
