import { z } from 'zod/v4';

import { isRecord } from './read';
import { AML_SANCTION, DECISIONS, HOSTED_CONCLUSIVE, SEVERITIES } from './vocabulary';

// Formats inside a text (dates, URLs, time stamps) are not enforced: a paid result is never lost
// over a format. Objects keep keys that the interface doesn't list. No part is required, so that one
// that can't be read can be left out.

// Texts and boxes are checked by hand: there are many, and as schemas they took most of the time.

/** A text of the interface, for which a number is tolerated. */
export const text = z.custom<string | number>(
	(value) => typeof value === 'string' || Number.isFinite(value),
);
const texts = z.array(text);
const box = z.custom<Box>((value) => isListOf(value, 4, isPoint));
const confidence = z.number().min(0).max(1);

type Point = [x: number, y: number];

/** Corners of an area in an image, in pixels (interface.md#fields). */
type Box = [Point, Point, Point, Point];

/** One reading of a field (interface.md#fields). */
const dataEntry = z
	.object({
		value: text.optional(),
		confidence: confidence.nullish(),
		source: text.nullish(),
		index: z.number().int().nullish(),
		inputBox: box.nullish(),
		outputBox: box.nullish(),
	})
	.passthrough();

// An object with open keys: as a record, it could have no key `constructor`.
const data = z.object({}).catchall(z.array(dataEntry));

/** Record of a sanctions list, the `data` of an AML_SANCTION warning (interface.md#warnings). */
const amlRecord = z
	.object({
		address: texts.nullish(),
		alias: texts.nullish(),
		birthplace: texts.nullish(),
		database: text.nullish(),
		documentnumber: text.nullish(),
		entity: text.nullish(),
		fullname: texts.nullish(),
		nationality: texts.nullish(),
		note: texts.nullish(),
		program: texts.nullish(),
		schema: text.nullish(),
		source: texts.nullish(),
		status: texts.nullish(),
		time: text.nullish(),
	})
	.passthrough();

/** What the `data` of a warning holds goes by its code. */
const sanctionData = z.unknown().check(({ value, issues }) => {
	// Its own keys: zod's copy inherits what stands under a key `__proto__`.
	const { code, data } = isRecord(value) ? { ...value } : {};
	if (code !== AML_SANCTION || !isRecord(data)) return;
	for (const { path } of amlRecord.safeParse(data).error?.issues ?? []) {
		issues.push({ code: 'custom', input: value, path: ['data', ...path], continue: true });
	}
});

/** Finding about a document or a face (interface.md#warnings). */
const warning = sanctionData.pipe(
	z
		.object({
			code: z.string().optional(),
			description: text.nullish(),
			severity: z.enum(SEVERITIES).nullish(),
			confidence: confidence.nullish(),
			decision: z.enum(DECISIONS).nullish(),
			data: z.object({}).passthrough().nullish(),
		})
		.passthrough(),
);

/** File that belongs to a result, such as the PDF audit report (interface.md#result). */
const outputFile = z
	.object({ name: text.nullish(), fileName: text.nullish(), fileUrl: text.nullish() })
	.passthrough();

const outputImage = z
	.object({ front: text.nullish(), back: text.nullish(), face: text.nullish() })
	.passthrough();

/**
 * Answer to a scan (interface.md#scan). Its decision stays open, so that a result with a decision which the
 * interface doesn't list still reaches a person.
 */
export const scanResult = z
	.object({
		success: z.boolean().nullish(),
		transactionId: text.nullish(),
		data: data.nullish(),
		outputImage: outputImage.nullish(),
		outputFile: z.array(outputFile).nullish(),
		warning: z.array(warning).nullish(),
		missingFields: texts.nullish(),
		profileId: text.nullish(),
		reviewScore: z.number().nullish(),
		rejectScore: z.number().nullish(),
		decision: z.unknown().optional(),
		customData: text.nullish(),
		quota: z.number().nullish(),
		credit: z.number().nullish(),
		hosted: text.nullish(),
		executionTime: z.number().nullish(),
	})
	.passthrough();

/** Body of a `hosted_conclusive` webhook (interface.md#webhook). */
export const webhookResult = scanResult.extend({ event: z.literal(HOSTED_CONCLUSIVE) });

export type DataEntry = z.infer<typeof dataEntry>;
export type AmlRecord = z.infer<typeof amlRecord>;
export type Warning = z.infer<typeof warning>;
export type ScanResult = z.infer<typeof scanResult>;
export type WebhookResult = z.infer<typeof webhookResult>;

/** What a scan and a webhook have in common: all that shaping needs. */
export type VerificationResult = ScanResult | WebhookResult;

function isPoint(value: unknown): boolean {
	return isListOf(value, 2, Number.isInteger);
}

function isListOf(value: unknown, length: number, isMember: (member: unknown) => boolean): boolean {
	return (
		Array.isArray(value) && value.length === length && value.every((member) => isMember(member))
	);
}
