import type { Problem } from '../contract/read';
import { readEnvelope } from '../contract/result';
import type { Envelope } from '../contract/result';
import { isExact, isTextOrNumber } from '../contract/text';
import { HOSTED_CONCLUSIVE } from '../contract/vocabulary';
import { splitAddress } from '../delivery/address';
import type { AwaitedCustomData } from '../delivery/address';
import type { Refusal } from '../webhookAnswer';
import type { ReadBody } from './readBody';

const TOO_LARGE: Refusal = { status: 413, error: 'The webhook is larger than n8n accepts' };

const UNKNOWN_PROFILE: Problem = {
	path: 'profileId',
	problem: 'is a number with too many digits to be exact',
};

/** What a webhook is to the trigger. */
export type Webhook =
	/** The webhook can't be read. */
	| { kind: 'refused'; refusal: Refusal }
	/** It is another event, or the result of a profile that isn't listed. */
	| { kind: 'ignored' }
	/** An execution waits for this result, in which Custom Data is the caller's own value alone. */
	| { kind: 'awaited'; result: Envelope; customData: AwaitedCustomData }
	/** The result starts the workflow. */
	| { kind: 'result'; result: Envelope };

/**
 * Says what a webhook is (interface.md#webhook).
 * @param profiles IDs of the profiles whose results start the workflow, separated by commas; empty
 * for all
 */
export function readWebhook(body: ReadBody, profiles: string): Webhook {
	if (body === 'tooLarge') return { kind: 'refused', refusal: TOO_LARGE };
	if (!body.ok) return { kind: 'refused', refusal: unreadable(body.problems) };
	const envelope = readEnvelope(body.value);
	if (!envelope.ok) return { kind: 'refused', refusal: unreadable(envelope.problems) };
	const result = envelope.value;
	if (result.event !== HOSTED_CONCLUSIVE) return { kind: 'ignored' };
	// Checked before the profile filter, because the waiting execution belongs to this n8n, whatever
	// profiles the trigger lists.
	const customData = splitAddress(result.customData);
	if (customData) {
		return { kind: 'awaited', result: { ...result, customData: customData.value }, customData };
	}
	switch (ownerOf(result.profileId, profiles)) {
		case 'trigger':
			return { kind: 'result', result };
		case 'another':
			return { kind: 'ignored' };
		case 'unknown':
			// It isn't ignored, because if it belongs to this trigger, nobody would ever know of it.
			return { kind: 'refused', refusal: unreadable([UNKNOWN_PROFILE]) };
	}
}

/** The answer to a webhook whose body can't be read. */
export function unreadable(problems: Problem[]): Refusal {
	return { status: 400, error: 'Not a readable webhook', problems };
}

/**
 * Decides whose result it is by the profile IDs that the trigger lists. Each profile has its own
 * webhook URL, so a result without a profile ID belongs to this trigger. A profile ID that is an
 * inexact number could be any profile's.
 */
function ownerOf(profileId: unknown, profiles: string): 'trigger' | 'another' | 'unknown' {
	// Not split at spaces, because an ID may contain one.
	const listed = profiles
		.split(/[,\n]/)
		.map((profile) => profile.trim())
		.filter(Boolean);
	if (listed.length === 0) return 'trigger';
	if (typeof profileId === 'number' && !isExact(profileId)) return 'unknown';
	const id = isTextOrNumber(profileId) ? String(profileId).trim() : '';
	return id === '' || listed.includes(id) ? 'trigger' : 'another';
}
