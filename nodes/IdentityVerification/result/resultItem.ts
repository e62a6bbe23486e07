import { distinct } from '../contract/read';
import type { Received } from '../contract/read';
import type { DataEntry, VerificationResult, Warning } from '../contract/result';
import {
	AML_SANCTION,
	IMAGE_DATA_KEYS,
	NUMERIC_DATA_KEYS,
	SEVERITIES,
} from '../contract/vocabulary';
import type { Decision, Severity } from '../contract/vocabulary';
import { trustedDecision } from './decision';
import { chosenFields } from './documentFields';
import type { Output } from './outputField';

/**
 * The form of a warning code (interface.md#warnings). Any other text could contain personal data.
 */
const WARNING_CODE = /^[A-Z][A-Z0-9_]{0,99}$/;

export type ItemJson = { [key: string]: string | number | boolean | object | null | undefined };

/** A result as an item has it. */
export interface ResultItem {
	json: ItemJson;
	/** The output that it belongs to. */
	branch: Decision;
}

/** What an item holds of a result, and the names of the fields of which it lacks something. */
interface Content {
	json: ItemJson;
	unreadable: string[];
}

/** Shapes a verification result (interface.md#result) into the JSON of an item. */
export function resultItem(received: Received<VerificationResult>, output: Output): ResultItem {
	const decision = trustedDecision(received.statement);
	const { json, unreadable } = contentOf(received, output, decision);
	const marks = {
		...(decision === undefined && { unrecognizedDecision: true }),
		...(unreadable.length > 0 && { unreadable }),
	};
	return { json: withMarks(json, marks), branch: decision ?? 'review' };
}

/**
 * Returns the item itself if there is nothing to add, because copying Raw can take longer than
 * parsing it.
 */
export function withMarks(json: ItemJson, marks: ItemJson): ItemJson {
	return Object.keys(marks).length > 0 ? { ...json, ...marks } : json;
}

function contentOf(
	{ value, unreadable, raw }: Received<VerificationResult>,
	output: Output,
	decision: Decision | undefined,
): Content {
	if (output === 'raw') return { json: raw.value as ItemJson, unreadable: raw.unreadable };
	const lacking = [...unreadable, ...(hasMalformedCode(value) ? ['warning'] : [])];
	if (output === 'decisionOnly') {
		return { json: decisionOnly(value, decision), unreadable: distinct(lacking) };
	}
	const document = documentOf(value);
	if (document.isOneOfSeveral) lacking.push('data');
	if (output === 'simplified') {
		return { json: simplified(value, decision, document.fields), unreadable: distinct(lacking) };
	}
	const fields = chosenFields(document.fields, output.chosen);
	// A workflow goes by them, so none may be one of two that differ.
	if (document.ambiguous.some((name) => Object.hasOwn(fields, name))) lacking.push('data');
	return { json: { ...decisionOnly(value, decision), fields }, unreadable: distinct(lacking) };
}

/** The most used keys first. */
function simplified(
	result: VerificationResult,
	decision: Decision | undefined,
	fields: object,
): ItemJson {
	const warnings = result.warning ?? [];
	return {
		decision: decision ?? undocumentedDecision(result),
		...ofLink(result),
		fields,
		warnings: warnings.map(withoutRecord),
		missingFields: result.missingFields ?? [],
		sanctions: warnings.filter(isSanction).map(({ data }) => data ?? {}),
		transactionId: textOrNull(result.transactionId),
		files: [...images(result), ...reports(result)],
		details: details(result),
	};
}

/**
 * A part of Simplified, with summaries in place of its warnings. It has no personal data, unless the
 * caller put some into `customData`.
 */
function decisionOnly(result: VerificationResult, decision: Decision | undefined): ItemJson {
	return {
		decision: decision ?? null,
		...ofLink(result),
		warnings: warningSummaries(result),
		transactionId: textOrNull(result.transactionId),
		details: details(result),
	};
}

/**
 * Keys that the result of a hosted link has and the result of a scan lacks (interface.md#webhook).
 */
function ofLink(result: VerificationResult): ItemJson {
	const { customData, hosted } = result;
	const isScan = !('event' in result) && customData === undefined && hosted === undefined;
	return isScan ? {} : { customData: textOrNull(customData), reference: textOrNull(hosted) };
}

/** The details of a result. They have no personal data. */
function details(result: VerificationResult): object {
	return {
		profileId: textOrNull(result.profileId),
		reviewScore: result.reviewScore ?? null,
		rejectScore: result.rejectScore ?? null,
		warningCodes: warningCodes(result),
		credit: result.credit ?? null,
		quota: result.quota ?? null,
	};
}

/**
 * An undocumented decision is shown, so a person can see it, but never an accept that isn't
 * trusted.
 */
function undocumentedDecision({ decision }: VerificationResult): string | null {
	return typeof decision === 'string' && decision !== 'accept' ? decision : null;
}

function warningCodes({ warning }: VerificationResult): string[] {
	return distinct((warning ?? []).filter(hasWrittenCode).map(({ code }) => code));
}

/** Whether `warningCodes` lacks the code of a warning. */
function hasMalformedCode({ warning }: VerificationResult): boolean {
	return !(warning ?? []).every(hasWrittenCode);
}

/** Whether the code of a warning is written like one. */
function hasWrittenCode(warning: Warning): warning is Warning & { code: string } {
	return warning.code !== undefined && WARNING_CODE.test(warning.code);
}

/** All warnings with the same code and the same decision. It has no personal data. */
interface WarningSummary {
	code: string;
	/** The highest of them. Null if none is known. */
	severity: Severity | null;
	/** The highest of them. Null if none is known. */
	confidence: number | null;
	/** The outcome that they contribute (interface.md#warnings). Null if it isn't known. */
	decision: Decision | null;
}

/**
 * Summarizes the warnings in the order in which they first occur. They aren't listed one by one,
 * because the number of sanctions records says something about a person.
 */
function warningSummaries({ warning }: VerificationResult): WarningSummary[] {
	const summaries = new Map<string, WarningSummary>();
	for (const { code, decision = null, ...found } of (warning ?? []).filter(hasWrittenCode)) {
		const key = `${code} ${decision}`;
		const { severity, confidence } = summaries.get(key) ?? {};
		const severities = [severity, found.severity];
		const confidences = [confidence, found.confidence].filter((value) => value != null);
		summaries.set(key, {
			code,
			severity: SEVERITIES.filter((known) => severities.includes(known)).at(-1) ?? null,
			confidence: confidences.length > 0 ? Math.max(...confidences) : null,
			decision,
		});
	}
	return [...summaries.values()];
}

/** The fields of one document on the picture. */
interface DocumentFields {
	fields: Record<string, string | number>;
	/** Whether the picture shows another document, whose fields aren't among these. */
	isOneOfSeveral: boolean;
	/** The fields with readings that differ. */
	ambiguous: string[];
}

/**
 * Of each field, the first reading that has a value, or else an empty one (interface.md#fields). All
 * of them are of the document with the lowest index, because a person made up of two would be nobody.
 * A reading without an index is of any document. Areas of the image have no text and can be of
 * several faces, so they are left out where they are empty, and show no other document.
 */
function documentOf({ data }: VerificationResult): DocumentFields {
	const readings = data ?? [];
	const first = firstDocument(readings);
	const isOfFirst = ({ index }: DataEntry) => (index ?? first) === first;
	const document: DocumentFields = { fields: {}, isOneOfSeveral: false, ambiguous: [] };
	for (const [name, entries] of readings) {
		const isArea = IMAGE_DATA_KEYS.includes(name);
		const readable = entries.filter(
			({ value }) => value !== undefined && !(isArea && value === ''),
		);
		const own = readable.filter(isOfFirst);
		const written = own.filter(hasValue);
		const { value } = written[0] ?? own[0] ?? {};
		if (written.some((entry) => String(entry.value) !== String(value)))
			document.ambiguous.push(name);
		// There is none called `__proto__`: assigning a text or a number to it does nothing.
		if (value !== undefined) document.fields[name] = fieldValue(name, String(value));
		if (!isArea && readable.some((entry) => hasValue(entry) && !isOfFirst(entry)))
			document.isOneOfSeveral = true;
	}
	return document;
}

/**
 * The lowest index of the readings with text. Areas and empty readings count only if there are none.
 */
function firstDocument(readings: Array<[string, DataEntry[]]>): number {
	const written = readings
		.filter(([name]) => !IMAGE_DATA_KEYS.includes(name))
		.flatMap(([, entries]) => entries.filter(hasValue));
	const first = lowestIndex(written);
	return first < Infinity ? first : lowestIndex(readings.flatMap(([, entries]) => entries));
}

function lowestIndex(entries: DataEntry[]): number {
	return entries.reduce((lowest, { index }) => Math.min(lowest, index ?? Infinity), Infinity);
}

function hasValue({ value }: DataEntry): boolean {
	return value !== undefined && value !== '';
}

function fieldValue(name: string, value: string): string | number {
	return NUMERIC_DATA_KEYS.includes(name) && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}

/**
 * The images of a result. Those of a webhook have an opaque text in place of an address
 * (interface.md#result).
 */
function images({ outputImage }: VerificationResult): object[] {
	return (outputImage ?? [])
		.filter(([, value]) => Boolean(value))
		.map(([image, value]) => {
			const isAddress = typeof value === 'string' && /^https?:\/\//i.test(value);
			return isAddress ? { image, fileUrl: value } : { image, value };
		});
}

/** Removes `image` from reports, because only images may have that key. */
function reports({ outputFile }: VerificationResult): object[] {
	return (outputFile ?? []).map((file) => ('image' in file ? { ...file, image: undefined } : file));
}

function isSanction({ code }: Warning): boolean {
	return code === AML_SANCTION;
}

/** Leaves out the record of a sanction, which is in `sanctions`. */
function withoutRecord(warning: Warning): object {
	return isSanction(warning) ? { ...warning, data: undefined } : warning;
}

function textOrNull(value: string | number | null | undefined): string | null {
	return value === null || value === undefined ? null : String(value);
}
