import { z } from 'zod/v4';

import { isRecord } from './json';
import type { Body } from './json';
import { NO_OBJECT, readLeniently } from './read';
import type { LenientReading, Problem, Reading } from './read';
import { isTextOrNumber } from './text';
import { DECISIONS, HOSTED_CONCLUSIVE, SEVERITIES } from './vocabulary';
import type { Decision } from './vocabulary';

// Describes only what the package reads, and values that are documented as a closed list. Formats inside a text
// (dates, URLs, time stamps) are not enforced: a paid result is never lost over a format. Objects keep all other
// keys. No part is required, so an unreadable one can be left out.

/** A text of the interface, for which a number is tolerated. Checked by hand: there are many, and schemas are slow. */
export const text = z.custom<string | number>(isTextOrNumber);

const record = z.object({}).passthrough();

/** One reading of a field (interface.md#fields). */
const dataEntry = z.object({ value: text.optional() }).passthrough();

/** Finding about a document or a face (interface.md#warnings). */
const warning = z
	.object({
		code: z.string().optional(),
		severity: z.enum(SEVERITIES).nullish(),
		decision: z.enum(DECISIONS).nullish(),
		data: record.nullish(),
	})
	.passthrough();

const outputImage = z
	.object({ front: text.nullish(), back: text.nullish(), face: text.nullish() })
	.passthrough();

/**
 * Answer to a scan (interface.md#scan). Its decision can be anything, so that a result with an
 * undocumented one still reaches a person.
 */
export const scanResult = z
	.object({
		success: z.boolean().nullish(),
		transactionId: text.nullish(),
		// An object with open keys: as a record, it could have no key `constructor`.
		data: z.object({}).catchall(z.array(dataEntry)).nullish(),
		outputImage: outputImage.nullish(),
		outputFile: z.array(record).nullish(),
		warning: z.array(warning).nullish(),
		missingFields: z.array(text).nullish(),
		profileId: text.nullish(),
		reviewScore: z.number().nullish(),
		rejectScore: z.number().nullish(),
		decision: z.unknown().optional(),
		customData: text.nullish(),
		quota: z.number().nullish(),
		credit: z.number().nullish(),
		hosted: text.nullish(),
	})
	.passthrough();

/** Body of a `hosted_conclusive` webhook (interface.md#webhook). */
export const webhookResult = scanResult.extend({ event: z.literal(HOSTED_CONCLUSIVE) });

export type Warning = z.infer<typeof warning>;
export type ScanResult = z.infer<typeof scanResult>;
export type WebhookResult = z.infer<typeof webhookResult>;

/** A result of a scan or of a webhook. */
export type VerificationResult = ScanResult | WebhookResult;

/** What each webhook has (interface.md#webhook). */
export type Envelope = Record<string, unknown> & { event: string };

/** Reads the envelope of a webhook. Unknown events pass. */
export function readEnvelope(body: unknown): Reading<Envelope> {
	if (!isRecord(body)) return { ok: false, problems: [NO_OBJECT] };
	const { event } = body;
	if (typeof event === 'string') return { ok: true, value: { ...body, event } };
	const problem = event === undefined ? 'is missing' : 'is not text';
	return { ok: false, problems: [{ path: 'event', problem }] };
}

/** These say whose result it is, so neither may be unreadable (interface.md#webhook). */
const TRUSTED_BY = ['profileId', 'customData'];

/** Reads the body of a `hosted_conclusive` webhook (interface.md#webhook). */
export function readWebhookResult(body: unknown): LenientReading<WebhookResult> {
	return readLeniently(webhookResult, body, TRUSTED_BY);
}

/**
 * The decision of a result, as received (interface.md#decision). Undefined, so that a person looks at it, if it isn't
 * documented, or if it is an accept and the result also reports a failure, or has a status other than 200.
 */
export function recognizedDecision(body: Body, hasOtherStatus = false): Decision | undefined {
	const decision = DECISIONS.find((documented) => documented === body.decision);
	const isSuccess = [undefined, null, true].some((value) => value === body.success);
	const isTrusted = isSuccess && !hasError(body) && !hasOtherStatus;
	return decision === 'accept' && !isTrusted ? undefined : decision;
}

/** Where a body says that the request failed; its shape isn't documented (interface.md#errors). */
export function statedFailure(body: Body): Problem | undefined {
	if (hasError(body)) return { path: 'error', problem: 'says that the request failed' };
	if (body.success !== false) return undefined;
	return { path: 'success', problem: 'is false' };
}

/** Reads the answer to a scan. One without a decision is a result, unless it says that the request failed. */
export function readScanResult(body: unknown): LenientReading<ScanResult> {
	const failure = isRecord(body) && isNothing(body.decision) ? statedFailure(body) : undefined;
	return failure ? { ok: false, problems: [failure] } : readLeniently(scanResult, body);
}

function hasError({ error }: Body): boolean {
	return !isNothing(error) && error !== false;
}

function isNothing(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}
