import { z } from 'zod/v4';

import { AML_SANCTION, DECISIONS, HOSTED_CONCLUSIVE, SEVERITIES } from './vocabulary';

// Formats inside a text (dates, URLs, time stamps) are not enforced: a paid result is never lost
// over a format. Objects keep keys that the interface doesn't list.

const text = z.union([z.string(), z.number()]);
const texts = z.array(text);
// Checked by hand: there are two for each field, and as a schema they took a third of the time.
const box = z.custom<Box>((value) => isListOf(value, 4, isPoint));
const confidence = z.number().min(0).max(1);
const decision = z.enum(DECISIONS);

type Point = [x: number, y: number];

/** Corners of an area in an image, in pixels (§2.3). */
export type Box = [Point, Point, Point, Point];

/** One reading of a field (§2.3). */
const dataEntry = z
	.object({
		value: text,
		confidence: confidence.nullish(),
		source: text.nullish(),
		index: z.number().int().nullish(),
		inputBox: box.nullish(),
		outputBox: box.nullish(),
	})
	.passthrough();

// An object with open keys: as a record, it could have no key `constructor`.
const data = z.object({}).catchall(z.array(dataEntry));

/** Record of a sanctions list, the `data` of an AML_SANCTION warning (§2.4). */
export const amlRecord = z
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

/** Finding about a document or a face (§2.4). */
export const warning = z
	.object({
		code: z.string(),
		description: text.nullish(),
		severity: z.enum(SEVERITIES).nullish(),
		confidence: confidence.nullish(),
		decision: decision.nullish(),
		data: z.object({}).passthrough().nullish(),
	})
	.passthrough()
	.superRefine(({ code, data }, context) => {
		if (code !== AML_SANCTION || !data) return;
		for (const { path } of amlRecord.safeParse(data).error?.issues ?? []) {
			context.addIssue({ code: 'custom', path: ['data', ...path] });
		}
	});

/** File that belongs to a result, such as the PDF audit report (§2.2). */
const outputFile = z
	.object({ name: text.nullish(), fileName: text.nullish(), fileUrl: text.nullish() })
	.passthrough();

const outputImage = z
	.object({ front: text.nullish(), back: text.nullish(), face: text.nullish() })
	.passthrough();

const resultFields = {
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
	customData: text.nullish(),
	quota: z.number().nullish(),
	credit: z.number().nullish(),
	hosted: text.nullish(),
	executionTime: z.number().nullish(),
};

/** Answer to a scan (§2.2, §4.1). Without a documented decision there is no result. */
export const scanResult = z.object({ ...resultFields, decision }).passthrough();

/**
 * Body of a `hosted_conclusive` webhook (§6). Its decision stays open, so that a result with a
 * decision which the interface doesn't list still reaches a person.
 */
export const webhookResult = z
	.object({
		...resultFields,
		event: z.literal(HOSTED_CONCLUSIVE),
		decision: z.unknown().optional(),
	})
	.passthrough();

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
