import { HOSTED_CONCLUSIVE, isTextOrNumber, readEnvelope, readWebhookResult } from '../contract';
import type { Problem, Received, WebhookResult } from '../contract';
import { authenticate } from './authenticate';
import type { Authentication, WebhookRequest } from './authenticate';

/** The security settings of a trigger. */
export interface TriggerSettings {
	authentication: Authentication;
	/** Reads the credential's webhook secret; empty when there is none. */
	readSecret: () => Promise<string>;
	/** Profile IDs that are accepted; empty for all. */
	profiles: readonly string[];
}

/** What becomes of a webhook. A refusal names fields, and echoes nothing that was received. */
export type Reception =
	| { kind: 'result'; result: Received<WebhookResult> }
	| { kind: 'ignored' }
	| { kind: 'refused'; status: 400 | 401 | 413; error: string; problems?: Problem[] };

/** The same for every cause: a sender without proof learns nothing about the settings. */
const NOT_AUTHENTICATED: Reception = {
	kind: 'refused',
	status: 401,
	error:
		'Not authenticated. Check the webhook secret in the URL or in the header, or the signature of Custom Data.',
};

const TOO_LARGE: Reception = {
	kind: 'refused',
	status: 413,
	error: 'The webhook is larger than n8n accepts',
};

/**
 * Decides on a webhook (interface.md#webhook): where it comes from, which event it is, then what it holds. Rejects
 * when the secret that it needs can't be read.
 */
export async function receive(
	request: WebhookRequest,
	{ authentication, readSecret, profiles }: TriggerSettings,
): Promise<Reception> {
	const authentic = await authenticate(request, authentication, readSecret);
	if (!authentic) return NOT_AUTHENTICATED;
	if (authentic.isTooLarge) return TOO_LARGE;
	const envelope = readEnvelope(authentic.json);
	if (!envelope.ok) return refuseUnreadable(envelope.problems);
	const { event, profileId } = envelope.value;
	if (event !== HOSTED_CONCLUSIVE || isOfAnother(profileId, profiles)) {
		return { kind: 'ignored' };
	}
	const reading = readWebhookResult(envelope.value);
	return reading.ok ? { kind: 'result', result: reading } : refuseUnreadable(reading.problems);
}

/** Each profile has a webhook URL of its own: a result without a profile ID belongs here, too. */
function isOfAnother(profileId: unknown, profiles: readonly string[]): boolean {
	const id = isTextOrNumber(profileId) ? String(profileId) : '';
	return profiles.length > 0 && id.trim() !== '' && !profiles.includes(id);
}

function refuseUnreadable(problems: Problem[]): Reception {
	return { kind: 'refused', status: 400, error: 'Not a readable webhook', problems };
}
