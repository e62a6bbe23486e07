import { NO_OBJECT, isRecord, readLeniently } from './read';
import type { LenientReading, Problem, Reading } from './read';
import { webhookResult } from './result';
import type { WebhookResult } from './result';

export type Envelope = Record<string, unknown> & { event: string };

/** Reads what each webhook has: an object with an `event` (interface.md#webhook). Unknown events pass. */
export function readEnvelope(body: unknown): Reading<Envelope> {
	if (!isRecord(body)) return refusal(NO_OBJECT);
	if (body.event === undefined) return refusal({ path: 'event', problem: 'is missing' });
	if (!isEnvelope(body)) return refusal({ path: 'event', problem: 'is not text' });
	return { ok: true, value: body };
}

/** What a receiver trusts a result by: whose it is (interface.md#webhook). */
const TRUSTED_BY = ['profileId', 'customData'];

/** Reads the body of a `hosted_conclusive` webhook (interface.md#webhook). */
export function readWebhookResult(envelope: Envelope): LenientReading<WebhookResult> {
	return readLeniently(webhookResult, envelope, TRUSTED_BY);
}

function isEnvelope(body: Record<string, unknown>): body is Envelope {
	return typeof body.event === 'string';
}

function refusal(problem: Problem): Reading<never> {
	return { ok: false, problems: [problem] };
}
