import { HOSTED_CONCLUSIVE, isText, readEnvelope, readWebhookResult } from '../contract';
import type { Problem, WebhookResult } from '../contract';
import { authenticate } from './authenticate';
import type { Authentication, WebhookRequest } from './authenticate';

/** The security settings of a trigger. */
export interface TriggerSettings {
	authentication: Authentication;
	/** The credential's webhook secret; empty when there is none. */
	secret: string;
	/** Profile IDs that are accepted; empty for all. */
	profiles: readonly string[];
}

/** What becomes of a webhook. A refusal names fields, and echoes nothing that was received. */
export type Reception =
	| { kind: 'result'; result: WebhookResult; body: object }
	| { kind: 'ignored' }
	| { kind: 'refused'; status: 400 | 401; error: string; problems?: Problem[] };

/** Decides on a webhook (§6): where it comes from, which event it is, then what it holds. */
export function receive(request: WebhookRequest, settings: TriggerSettings): Reception {
	const authentic = authenticate(request, settings.authentication, settings.secret);
	if (!authentic) return { kind: 'refused', status: 401, error: 'Not authenticated' };
	// n8n parses forms and XML into objects, too.
	const envelope = readEnvelope(isJson(request) ? authentic.body : undefined);
	if (!envelope.ok) return unreadable(envelope.problems);
	const { event, profileId } = envelope.value;
	if (event !== HOSTED_CONCLUSIVE || !isListed(profileId, settings.profiles)) {
		return { kind: 'ignored' };
	}
	const reading = readWebhookResult(envelope.value);
	if (!reading.ok) return unreadable(reading.problems);
	return { kind: 'result', result: reading.value, body: envelope.value };
}

function isListed(profileId: unknown, profiles: readonly string[]): boolean {
	if (profiles.length === 0) return true;
	return isText(profileId) && profiles.includes(String(profileId));
}

function isJson({ headers }: WebhookRequest): boolean {
	const type = headers['content-type'];
	return type === undefined || /[/+]json\b/i.test(String(type));
}

function unreadable(problems: Problem[]): Reception {
	return { kind: 'refused', status: 400, error: 'Not a readable webhook', problems };
}
