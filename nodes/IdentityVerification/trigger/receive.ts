import { createHash, timingSafeEqual } from 'node:crypto';

import { isTextOrNumber } from '../contract/read';
import type { Problem } from '../contract/read';
import type { Refusal } from '../webhookAnswer';

export const SECRET_QUERY_PARAMETER = 'secret';
export const SECRET_HEADER = 'X-Webhook-Secret';

/** How a webhook has to prove where it comes from. The service itself signs nothing (interface.md#webhook). */
export const AUTHENTICATIONS = ['none', 'webhookSecret'] as const;

/** The same for every cause: a sender without proof learns nothing about the settings. */
export const NOT_AUTHENTICATED: Refusal = {
	status: 401,
	error: 'Not authenticated. Check the webhook secret in the URL or in the header.',
};

export const TOO_LARGE: Refusal = { status: 413, error: 'The webhook is larger than n8n accepts' };

/** The answer to a webhook whose body can't be read. */
export function unreadable(problems: Problem[]): Refusal {
	return { status: 400, error: 'Not a readable webhook', problems };
}

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
	if (secret === '') return false;
	return received.some((value) => timingSafeEqual(digest(value), digest(secret)));
}

/** Digests have equal lengths, as timingSafeEqual needs. */
function digest(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}

/** What n8n's request knows of its body. n8n itself parses only some types. */
interface BodySource {
	contentType?: string;
	encoding?: string;
	body?: unknown;
	rawBody?: Uint8Array;
	/** Rejects over n8n's limit, and when the bytes end too early. */
	readRawBody(): Promise<void>;
	unpipe(): { resume(): void };
	complete: boolean;
	destroyed: boolean;
	once(event: 'close', listener: () => void): unknown;
}

/**
 * Reads a body as JSON, whatever type the sender calls it: the service documents none. Only multipart isn't read.
 * Never rejects.
 * @returns `json` is undefined when the body isn't JSON, or could not be read
 */
export async function readBody(
	request: BodySource,
): Promise<{ json?: unknown; isTooLarge?: boolean }> {
	const { contentType = '' } = request;
	if (contentType === 'application/json') return { json: request.body };
	if (contentType.startsWith('multipart/')) return {};
	try {
		// A compressed body that breaks off never ends: unpacking doesn't see that its source is gone.
		await Promise.race([request.readRawBody(), breakingOff(request)]);
		return { json: JSON.parse(decode(request.rawBody, request.encoding)) };
	} catch (error) {
		// A sender that reads the answer only after it has sent everything would wait for ever.
		request.unpipe().resume();
		return { isTooLarge: (error as { status?: unknown }).status === 413 };
	}
}

/** Rejects when the sender goes away in the middle. */
async function breakingOff(request: BodySource): Promise<void> {
	await new Promise<void>((_, reject) => {
		const check = () => {
			if (!request.complete) reject(new Error('The sender has gone away'));
		};
		if (request.destroyed) check();
		else request.once('close', check);
	});
}

/** Removes a byte order mark. */
function decode(bytes?: Uint8Array, charset?: string): string {
	try {
		return new TextDecoder(charset).decode(bytes);
	} catch {
		// An unknown charset, such as `binary`. JSON is UTF-8.
		return new TextDecoder().decode(bytes);
	}
}

/**
 * Whether a result is for another trigger, by the IDs of the profiles that this one lists. Each profile has a webhook
 * URL of its own, so a result without a profile ID belongs here.
 */
export function isOfAnother(profileId: unknown, profiles: string): boolean {
	const id = isTextOrNumber(profileId) ? String(profileId).trim() : '';
	// An ID may hold a space.
	const listed = profiles
		.split(/[,\n]/)
		.map((profile) => profile.trim())
		.filter(Boolean);
	return listed.length > 0 && id !== '' && !listed.includes(id);
}
