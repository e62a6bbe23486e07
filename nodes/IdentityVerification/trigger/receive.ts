import { HOSTED_CONCLUSIVE, isTextOrNumber, readEnvelope, readWebhookResult } from '../contract';
import type { Problem, Received, WebhookResult } from '../contract';
import { openAddress, splitAddress } from '../waiting/address';
import type { AddressedValue, WaitingExecution } from '../waiting/address';
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
	| { kind: 'result'; result: Received<WebhookResult>; awaited?: Awaited }
	| { kind: 'ignored' }
	| { kind: 'refused'; status: 400 | 401 | 413; error: string; problems?: Problem[] };

/** An execution waits for the result: which one, or why the result can't be taken there, in a sentence. */
export type Awaited = { execution: WaitingExecution; secret: string } | { problem: string };

const NOT_PROVEN: Awaited = {
	problem:
		'Only the authentication Webhook Secret proves a decision. With another one, no result is handed to an execution that waits.',
};

const OTHER_SECRET: Awaited = {
	problem: 'Its link was created for another profile, or with another webhook secret.',
};

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
	{ authentication, profiles, ...settings }: TriggerSettings,
): Promise<Reception> {
	let secret: Promise<string> | undefined;
	const readSecret = async () => await (secret ??= settings.readSecret());
	const authentic = await authenticate(request, authentication, readSecret);
	if (!authentic) return NOT_AUTHENTICATED;
	if (authentic.isTooLarge) return TOO_LARGE;
	const envelope = readEnvelope(authentic.json);
	if (!envelope.ok) return refuseUnreadable(envelope.problems);
	const { event, profileId } = envelope.value;
	const addressed = splitAddress(envelope.value.customData);
	// A result that is waited for is no other trigger's.
	const isOthers = !addressed && isOfAnother(profileId, profiles);
	if (event !== HOSTED_CONCLUSIVE || isOthers) return { kind: 'ignored' };
	const own = addressed && { ...envelope.value, customData: addressed.value };
	const reading = readWebhookResult(own ?? envelope.value);
	if (!reading.ok) return refuseUnreadable(reading.problems);
	return {
		kind: 'result',
		result: reading,
		awaited: addressed && (await findExecution(addressed, profileId, authentication, readSecret)),
	};
}

/** Whoever has seen Custom Data could post any decision with it, unless the webhook itself is proven. */
async function findExecution(
	addressed: AddressedValue,
	profileId: unknown,
	authentication: Authentication,
	readSecret: () => Promise<string>,
): Promise<Awaited> {
	if (authentication !== 'webhookSecret') return NOT_PROVEN;
	const secret = await readSecret();
	const execution = openAddress(secret, String(profileId), addressed);
	return execution ? { execution, secret } : OTHER_SECRET;
}

/** Each profile has a webhook URL of its own: a result without a profile ID belongs here, too. */
function isOfAnother(profileId: unknown, profiles: readonly string[]): boolean {
	const id = isTextOrNumber(profileId) ? String(profileId) : '';
	return profiles.length > 0 && id.trim() !== '' && !profiles.includes(id);
}

function refuseUnreadable(problems: Problem[]): Reception {
	return { kind: 'refused', status: 400, error: 'Not a readable webhook', problems };
}
