import { createHash, timingSafeEqual } from 'node:crypto';

import { HOSTED_CONCLUSIVE, isTextOrNumber, readEnvelope, readWebhookResult } from '../contract';
import type { Problem, Received, WebhookResult } from '../contract';
import { splitAddress } from '../waiting/address';
import type { AddressedValue } from '../waiting/address';
import type { Body } from './body';

export const SECRET_QUERY_PARAMETER = 'secret';
export const SECRET_HEADER = 'X-Webhook-Secret';

/** How a webhook has to prove where it comes from. The service itself signs nothing (interface.md#webhook). */
export const AUTHENTICATIONS = ['none', 'webhookSecret'] as const;

/** The secrets that a webhook carries, right or wrong. Names of headers are in lower case. */
export function receivedSecrets(
	query: Partial<Record<string, unknown>>,
	headers: Partial<Record<string, unknown>>,
): string[] {
	return [query[SECRET_QUERY_PARAMETER], headers[SECRET_HEADER.toLowerCase()]].filter(
		(value): value is string => typeof value === 'string' && value !== '',
	);
}

/** Whether one of the received secrets is the credential's. A credential without a secret proves nothing. */
export function isAuthentic(received: string[], secret: string): boolean {
	return secret !== '' && received.some((value) => isSame(value, secret));
}

/** What the sender of a refused webhook is told. Names fields, and echoes nothing that was received. */
export interface Refusal {
	status: 400 | 401 | 413;
	error: string;
	problems?: Problem[];
}

/** The same for every cause: a sender without proof learns nothing about the settings. */
export const NOT_AUTHENTICATED: Refusal = {
	status: 401,
	error: 'Not authenticated. Check the webhook secret in the URL or in the header.',
};

const TOO_LARGE: Refusal = { status: 413, error: 'The webhook is larger than n8n accepts' };

/** What the body of an authentic webhook holds. */
export type Reception =
	| { kind: 'refused'; refusal: Refusal }
	| { kind: 'ignored' }
	/** `addressed` is its Custom Data with the address of the execution that waits for the result, if one does. */
	| { kind: 'result'; result: Received<WebhookResult>; addressed?: AddressedValue };

/**
 * Reads the body of an authentic webhook: which event it is, whether it belongs to this trigger, and its result
 * (interface.md#webhook).
 * @param profiles IDs of the profiles whose results are accepted; empty for all
 */
export function readWebhook(body: Body, profiles: readonly string[]): Reception {
	if (body.isTooLarge) return { kind: 'refused', refusal: TOO_LARGE };
	const envelope = readEnvelope(body.json);
	if (!envelope.ok) return unreadable(envelope.problems);
	const { event, profileId, customData } = envelope.value;
	const addressed = splitAddress(customData);
	// A result that an execution waits for bypasses the profile filter.
	const isOthers = !addressed && isOfAnother(profileId, profiles);
	if (event !== HOSTED_CONCLUSIVE || isOthers) return { kind: 'ignored' };
	const own = addressed && { ...envelope.value, customData: addressed.value };
	const result = readWebhookResult(own ?? envelope.value);
	return result.ok ? { kind: 'result', result, addressed } : unreadable(result.problems);
}

/** Each profile has a webhook URL of its own: a result without a profile ID belongs here, too. */
function isOfAnother(profileId: unknown, profiles: readonly string[]): boolean {
	const id = isTextOrNumber(profileId) ? String(profileId) : '';
	return profiles.length > 0 && id.trim() !== '' && !profiles.includes(id);
}

function unreadable(problems: Problem[]): Reception {
	return { kind: 'refused', refusal: { status: 400, error: 'Not a readable webhook', problems } };
}

/** Compares digests: these have equal lengths, which comparing in constant time needs. */
function isSame(received: string, secret: string): boolean {
	return timingSafeEqual(digest(received), digest(secret));
}

function digest(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}
