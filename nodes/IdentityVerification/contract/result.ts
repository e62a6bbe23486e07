import { z } from 'zod';

import { isRecord } from './json';
import type { Body } from './json';
import { NO_OBJECT, readLeniently, unread } from './read';
import type { LenientReading, Problem, Reading, Statement, WithRequired } from './read';
import {
	anything,
	field,
	listOf,
	mapOf,
	objectOf,
	oneOf,
	orNull,
	record,
	string,
	text,
} from './shapes';
import type { ValueOf, ValuesOf } from './shapes';
import { isExact } from './text';
import { DECISIONS, HOSTED_CONCLUSIVE, SEVERITIES } from './vocabulary';

// Only what the package reads is described, and only values that are documented as a closed list
// are checked. Formats such as those of dates and URLs aren't, because no paid result may be lost
// over a format. No field is required, so an unreadable one can be left out.

/**
 * A string that identifies something, or an exact number in place of one. A rounded number would
 * identify something else.
 */
export const id = z.union([z.string(), z.number().refine(isExact)]);

/** One reading of a field (interface.md#fields). */
const dataEntry = objectOf({ value: text });

/** A finding about a document or a face (interface.md#warnings). */
const warning = objectOf({
	code: string,
	severity: orNull(oneOf(SEVERITIES)),
	decision: orNull(oneOf(DECISIONS)),
	data: orNull(record),
});

/** Images as strings. There can be further keys. */
const outputImage = objectOf({ front: orNull(text), back: orNull(text), face: orNull(text) });

/**
 * The answer to a scan (interface.md#scan). Its decision can be anything, so that a result with an
 * undocumented one still reaches a person. Unreadable fields are named in this order, up to a
 * limit, so the most important ones come first.
 */
export const scanResult = {
	decision: anything,
	success: field(z.boolean().nullable()),
	transactionId: field(id.nullable()),
	profileId: field(id.nullable()),
	customData: field(id.nullable()),
	hosted: field(id.nullable()),
	reviewScore: field(z.number().nullable()),
	rejectScore: field(z.number().nullable()),
	credit: field(z.number().nullable()),
	quota: field(z.number().nullable()),
	warning: orNull(listOf(warning)),
	missingFields: orNull(listOf(text)),
	outputFile: orNull(listOf(record)),
	outputImage: orNull(outputImage),
	data: orNull(mapOf(listOf(dataEntry))),
};

/** The body of a `hosted_conclusive` webhook (interface.md#webhook). */
export const webhookResult = { event: field(z.literal(HOSTED_CONCLUSIVE)), ...scanResult };

export type Warning = ValueOf<typeof warning>;
export type ScanResult = ValuesOf<typeof scanResult>;
export type WebhookResult = WithRequired<ValuesOf<typeof webhookResult>, 'event'>;

/** A result of a scan or of a webhook. */
export type VerificationResult = ScanResult | WebhookResult;

/** What every webhook has (interface.md#webhook). */
export type Envelope = Body & { event: string };

/** Reads the envelope of a webhook. Unknown events are accepted. */
export function readEnvelope(body: unknown): Reading<Envelope> {
	if (!isRecord(body)) return NO_OBJECT;
	if (hasEvent(body)) return { ok: true, value: body };
	const problem = body.event === undefined ? 'is missing' : 'is not text';
	return { ok: false, problems: [{ path: 'event', problem }] };
}

function hasEvent(body: Body): body is Envelope {
	return typeof body.event === 'string';
}

/**
 * The fields that say whose result it is (interface.md#webhook). A result in which one has a wrong
 * type is refused. A number that isn't exact is only left out, so that the result isn't lost.
 */
const OWNER_FIELDS = ['profileId', 'customData'];

/** Reads the body of a `hosted_conclusive` webhook (interface.md#webhook). */
export function readWebhookResult(body: unknown): LenientReading<WebhookResult> {
	if (!isRecord(body)) return NO_OBJECT;
	const refused = OWNER_FIELDS.filter((key) =>
		['boolean', 'object'].includes(typeof (body[key] ?? '')),
	);
	return refused.length > 0 ? unread(body, refused) : readLeniently(webhookResult, body, ['event']);
}

/** How a body says that the request failed. Its shape isn't documented (interface.md#errors). */
export function statedFailure(body: Body): Problem | undefined {
	if (hasError(body)) return { path: 'error', problem: 'says that the request failed' };
	if (body.success !== false) return undefined;
	return { path: 'success', problem: 'is false' };
}

/**
 * Reads the answer to a scan. Even without a decision, it is a result, unless it says that the
 * request failed.
 */
export function readScanResult(body: unknown): LenientReading<ScanResult> {
	const failure = isRecord(body) && isNothing(body.decision) ? statedFailure(body) : undefined;
	return failure ? { ok: false, problems: [failure] } : readLeniently(scanResult, body);
}

/** Whether a body contains an error. Its shape isn't documented (interface.md#errors). */
export function hasError({ error }: Statement): boolean {
	return !isNothing(error) && error !== false;
}

function isNothing(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}
