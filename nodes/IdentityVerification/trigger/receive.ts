import { isTextOrNumber } from '../contract/text';
import type { Problem } from '../contract/read';
import { readEnvelope } from '../contract/result';
import type { Envelope } from '../contract/result';
import { HOSTED_CONCLUSIVE } from '../contract/vocabulary';
import { splitAddress } from '../waiting/address';
import type { AwaitedCustomData } from '../waiting/address';
import type { Refusal } from '../webhookAnswer';
import type { ReadBody } from './body';

/** The same for every cause: a sender without proof learns nothing about the settings. */
export const NOT_AUTHENTICATED: Refusal = {
	status: 401,
	error: 'Not authenticated. Check the webhook secret in the URL or in the header.',
};

const TOO_LARGE: Refusal = { status: 413, error: 'The webhook is larger than n8n accepts' };

/** What a webhook is to the trigger. */
export type Webhook =
	/** It can't be read. */
	| { kind: 'refused'; refusal: Refusal }
	/** Another event, or the result of a profile that isn't listed. */
	| { kind: 'ignored' }
	/** An execution waits for this result, in which Custom Data is the caller's own value alone. */
	| { kind: 'awaited'; result: Envelope; customData: AwaitedCustomData }
	/** It starts the workflow. */
	| { kind: 'result'; result: Envelope };

/**
 * Says what a webhook is (interface.md#webhook).
 * @param profiles IDs of the profiles whose results start the workflow, separated by commas; empty for all
 */
export function readWebhook({ json, isTooLarge }: ReadBody, profiles: string): Webhook {
	if (isTooLarge) return { kind: 'refused', refusal: TOO_LARGE };
	const envelope = readEnvelope(json);
	if (!envelope.ok) return { kind: 'refused', refusal: unreadable(envelope.problems) };
	const result = envelope.value;
	if (result.event !== HOSTED_CONCLUSIVE) return { kind: 'ignored' };
	// Before the filter: the execution that waits belongs to this n8n, whatever the trigger lists.
	const customData = splitAddress(result.customData);
	if (customData) {
		return { kind: 'awaited', result: { ...result, customData: customData.value }, customData };
	}
	return isOfAnother(result.profileId, profiles) ? { kind: 'ignored' } : { kind: 'result', result };
}

/** The answer to a webhook whose body can't be read. */
export function unreadable(problems: Problem[]): Refusal {
	return { status: 400, error: 'Not a readable webhook', problems };
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
