import { createHash, timingSafeEqual } from 'node:crypto';

import { isRecord, isTextOrNumber } from '../contract';
import { verifyCustomData } from '../signedCustomData';
import { openAddress, splitAddress } from '../waiting/address';
import type { Body } from './body';

export const SECRET_QUERY_PARAMETER = 'secret';
export const SECRET_HEADER = 'X-Webhook-Secret';

/** How a webhook has to prove where it comes from. The service itself signs nothing (interface.md#webhook). */
export const AUTHENTICATIONS = ['none', 'signedCustomData', 'webhookSecret'] as const;
export type Authentication = (typeof AUTHENTICATIONS)[number];

/** What the trigger looks at in a request; headers in lower case. */
export interface WebhookRequest {
	query: Partial<Record<string, unknown>>;
	headers: Partial<Record<string, unknown>>;
	readBody: () => Promise<Body>;
}

/**
 * Checks where a webhook comes from, then reads its body. A signature stands in the body, which is
 * then read first. Rejects when the secret can't be read.
 * @param readSecret reads the credential's webhook secret, for a webhook that carries a proof;
 * without a secret, only None accepts anything
 * @returns the body, in which signed custom data is the caller's own value again; undefined when
 * the webhook isn't authentic. The address of an execution that waits is a proof as good as a signature, and stays.
 */
export async function authenticate(
	request: WebhookRequest,
	authentication: Authentication,
	readSecret: () => Promise<string>,
): Promise<Body | undefined> {
	switch (authentication) {
		case 'none':
			return await request.readBody();
		case 'signedCustomData':
			return await withVerifiedCustomData(await request.readBody(), readSecret);
		case 'webhookSecret':
			return (await hasSecret(request, readSecret)) ? await request.readBody() : undefined;
		default:
			return undefined;
	}
}

async function hasSecret(
	{ query, headers }: WebhookRequest,
	readSecret: () => Promise<string>,
): Promise<boolean> {
	const received = [query[SECRET_QUERY_PARAMETER], headers[SECRET_HEADER.toLowerCase()]].filter(
		(value): value is string => typeof value === 'string' && value !== '',
	);
	if (received.length === 0) return false;
	const secret = await readSecret();
	return secret !== '' && received.some((value) => isSame(value, secret));
}

async function withVerifiedCustomData(
	body: Body,
	readSecret: () => Promise<string>,
): Promise<Body | undefined> {
	// It may have a right signature: it is refused for its size.
	if (body.isTooLarge) return body;
	if (!isRecord(body.json)) return undefined;
	const { profileId, customData } = body.json;
	if (typeof customData !== 'string' || !isTextOrNumber(profileId)) return undefined;
	const secret = await readSecret();
	if (secret === '') return undefined;
	const profile = String(profileId);
	const value = verifyCustomData(secret, profile, customData);
	if (value !== undefined) return { json: { ...body.json, customData: value } };
	const addressed = splitAddress(customData);
	return addressed && openAddress(secret, profile, addressed) ? body : undefined;
}

/** Compares digests: these have equal lengths, which comparing in constant time needs. */
function isSame(received: string, secret: string): boolean {
	return timingSafeEqual(digest(received), digest(secret));
}

function digest(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}
