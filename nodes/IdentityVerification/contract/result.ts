import { z } from 'zod';

import { isRecord } from './json';
import type { Body } from './json';
import { numberIn } from './numbers';
import { readLeniently } from './read';
import type { LenientReading, ParsedBody, Problem, WithRequired } from './read';
import {
	anything,
	field,
	id,
	listOf,
	mapOf,
	number,
	objectOf,
	oneOf,
	orNull,
	record,
	string,
	stringOrNumber,
} from './shapes';
import type { ValueOf, ValuesOf } from './shapes';
import { DECISIONS, HOSTED_CONCLUSIVE, SEVERITIES } from './vocabulary';

// Only what the package reads is described, and only values that are documented as a closed list
// are checked. Formats such as those of dates and URLs aren't, because no paid result may be lost
// over a format. No field is required, so an unreadable one can be left out.

/** One reading of a field (interface.md#fields). */
const dataEntry = objectOf({ value: stringOrNumber, index: orNull(number) });

/** A finding about a document or a face (interface.md#warnings). */
const warning = objectOf({
	code: string,
	severity: orNull(oneOf(SEVERITIES)),
	confidence: orNull(number),
	decision: orNull(oneOf(DECISIONS)),
	data: orNull(record),
});

/**
 * The answer to a scan (interface.md#scan). Its decision can be anything, so that a result with an
 * undocumented one still reaches a person.
 */
export const scanResult = {
	decision: anything,
	success: field(z.boolean().nullable()),
	transactionId: orNull(id),
	profileId: orNull(id),
	customData: orNull(id),
	hosted: orNull(id),
	reviewScore: orNull(number),
	rejectScore: orNull(number),
	credit: orNull(number),
	quota: orNull(number),
	warning: orNull(listOf(warning)),
	missingFields: orNull(listOf(stringOrNumber)),
	outputFile: orNull(listOf(record)),
	outputImage: orNull(mapOf(orNull(stringOrNumber))),
	data: orNull(mapOf(listOf(dataEntry))),
};

/** The body of a `hosted_conclusive` webhook (interface.md#webhook). */
export const webhookResult = { event: field(z.literal(HOSTED_CONCLUSIVE)), ...scanResult };

/**
 * What is read of the body of another event, about which nothing is known (interface.md#webhook).
 */
const otherEvent = {
	event: string,
	transactionId: orNull(id),
	profileId: orNull(id),
	customData: orNull(id),
	hosted: orNull(id),
};

export type DataEntry = ValueOf<typeof dataEntry>;
export type Warning = ValueOf<typeof warning>;
export type ScanResult = ValuesOf<typeof scanResult>;
export type WebhookResult = WithRequired<ValuesOf<typeof webhookResult>, 'event'>;

export type OtherEvent = WithRequired<ValuesOf<typeof otherEvent>, 'event'>;

/** A result of a scan or of a webhook. */
export type VerificationResult = ScanResult | WebhookResult;

/** Reads the body of a `hosted_conclusive` webhook (interface.md#webhook). */
export function readWebhookResult(parsed: ParsedBody): LenientReading<WebhookResult> {
	return readLeniently(parsed, {
		fields: webhookResult,
		required: ['event'],
		statusCode: undefined,
	});
}

/** Reads the body of a webhook with another event. Its decision, if it has one, isn't read. */
export function readOtherEvent(parsed: ParsedBody): LenientReading<OtherEvent> {
	return readLeniently(parsed, { fields: otherEvent, required: ['event'], statusCode: undefined });
}

/** How a body says that the request failed. Its shape isn't documented (interface.md#errors). */
export function statedFailure(body: Body): Problem | undefined {
	if (!isEmpty(body.error)) return { path: 'error', problem: 'says that the request failed' };
	if (body.success !== false) return undefined;
	return { path: 'success', problem: 'is false' };
}

/** How many credits are left, as an answer says that needn't be a result. */
export function creditIn({ json }: ParsedBody): number | undefined {
	return isRecord(json) ? numberIn(json.credit) : undefined;
}

/**
 * Reads the answer to a scan. Even without a decision, it is a result, unless it says that the
 * request failed.
 */
export function readScanResult(parsed: ParsedBody, statusCode: number): LenientReading<ScanResult> {
	const { json: body } = parsed;
	const failure = isRecord(body) && isNothing(body.decision) ? statedFailure(body) : undefined;
	if (failure) return { ok: false, problems: [failure] };
	return readLeniently(parsed, { fields: scanResult, required: [], statusCode });
}

/**
 * Whether a body contains an error. No accept is trusted then, because the shape of an error isn't
 * documented (interface.md#errors).
 */
export function hasError({ error }: { error?: unknown }): boolean {
	return !isNothing(error) && error !== false;
}

/** Whether an error says nothing, such as an empty list. A paid result isn't given up for it. */
function isEmpty(error: unknown): boolean {
	return !error || (typeof error === 'object' && Object.keys(error).length === 0);
}

function isNothing(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}
