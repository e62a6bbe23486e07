import { isId } from '../contract/ids';
import { isRecord } from '../contract/json';
import type { ParsedBody, Problem, Received } from '../contract/read';
import { readOtherEvent, readWebhookResult } from '../contract/result';
import type { OtherEvent, WebhookResult } from '../contract/result';
import { HOSTED_CONCLUSIVE } from '../contract/vocabulary';
import { splitAddress } from '../delivery/address';
import type { AwaitedCustomData } from '../delivery/address';
import type { Refusal } from '../webhookAnswer';
import type { ReadBody } from './readBody';

const TOO_LARGE: Refusal = { status: 413, error: 'The webhook is larger than n8n accepts' };

/** What a webhook is to the trigger. */
export type Webhook =
	/** The webhook can't be read. */
	| { kind: 'refused'; refusal: Refusal }
	/** It is another event, and the trigger takes none. */
	| { kind: 'ignored' }
	/** It belongs to a profile that isn't listed. */
	| { kind: 'ofOtherProfile'; profileId: unknown }
	/** An execution waits for this result. */
	| AwaitedWebhook
	/** The result starts the workflow. */
	| { kind: 'result'; result: Received<WebhookResult> }
	/** It is another event, and starts the workflow. No execution waits for one. */
	| { kind: 'otherEvent'; event: Received<OtherEvent> };

/** A result for which an execution waits. Its Custom Data is the caller's own value alone. */
export interface AwaitedWebhook {
	kind: 'awaited';
	/** The body, to be passed on to the execution, which reads it for itself. */
	body: ParsedBody;
	/** Its reading, with which the workflow starts if the body can't be passed on. */
	result: Received<WebhookResult>;
	/** Custom Data as the service returned it. */
	customData: AwaitedCustomData;
}

/**
 * Says what a webhook is (interface.md#webhook), and reads it.
 * @param profiles IDs of the profiles whose webhooks start the workflow, separated by commas; empty
 * for all
 * @param takesOtherEvents whether other events start it, too
 */
export function readWebhook(
	received: ReadBody,
	profiles: string,
	takesOtherEvents: boolean,
): Webhook {
	if (received === 'tooLarge') return { kind: 'refused', refusal: TOO_LARGE };
	if (!received.ok) return refused(received.problems);
	const { json, isRepaired } = received.value;
	const fields = isRecord(json) ? json : {};
	const { event, profileId } = fields;
	const isOtherEvent = typeof event === 'string' && event !== HOSTED_CONCLUSIVE;
	if (isOtherEvent && !takesOtherEvents) return { kind: 'ignored' };
	const customData = splitAddress(fields.customData);
	const body = customData
		? { json: { ...fields, customData: customData.value }, isRepaired }
		: received.value;
	if (isOtherEvent) {
		const otherEvent = readOtherEvent(body);
		if (!otherEvent.ok) return refused(otherEvent.problems);
		return ofListedProfile({ kind: 'otherEvent', event: otherEvent }, profileId, profiles);
	}
	const result = readWebhookResult(body);
	if (!result.ok) return refused(result.problems);
	// Checked before the profile filter, because the waiting execution belongs to this n8n, whatever
	// profiles the trigger lists.
	if (customData) {
		// Without what n8n can't store, because JSON may not be able to hold it. So it also says whether
		// something was left out.
		const storable = { json: result.raw.value, isRepaired: result.statement.isRepaired };
		return { kind: 'awaited', body: storable, result, customData };
	}
	return ofListedProfile({ kind: 'result', result }, profileId, profiles);
}

/** A webhook that starts the workflow, unless it belongs to a profile that isn't listed. */
function ofListedProfile(webhook: Webhook, profileId: unknown, profiles: string): Webhook {
	switch (ownerOf(profileId, profiles)) {
		case 'trigger':
			return webhook;
		case 'another':
			return { kind: 'ofOtherProfile', profileId };
		case 'unknown':
			// It isn't ignored, because if it belongs to this trigger, nobody would ever know of it.
			return refused([{ path: 'profileId', problem: 'cannot be read as an ID' }]);
	}
}

/** The answer to a webhook whose body can't be read. */
function refused(problems: Problem[]): Webhook {
	return {
		kind: 'refused',
		refusal: { status: 400, error: 'Not a readable webhook', problems },
	};
}

/**
 * Decides whose result it is by the profile IDs that the trigger lists. Each profile has its own
 * webhook URL, so a result without a profile ID belongs to this trigger. A profile ID that can't be
 * read could be any profile's.
 */
function ownerOf(profileId: unknown, profiles: string): 'trigger' | 'another' | 'unknown' {
	// Not split at spaces, because an ID may contain one.
	const listed = profiles
		.split(/[,\n]/)
		.map((profile) => profile.trim())
		.filter(Boolean);
	if (listed.length === 0) return 'trigger';
	const received = profileId ?? '';
	if (!isId(received)) return 'unknown';
	const id = String(received).trim();
	return id === '' || listed.includes(id) ? 'trigger' : 'another';
}
