import { distinct } from '../contract/read';
import type { Received } from '../contract/read';
import type { DataEntry, OtherEvent, VerificationResult, Warning } from '../contract/result';
import { AML_SANCTION, NUMERIC_DATA_KEYS, SEVERITIES } from '../contract/vocabulary';
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
	return marked(contentOf(received, output, decision), decision);
}

/**
 * Shapes another event than a result into the JSON of an item. Whatever it says about a decision, it
 * has none, so it belongs to Review.
 */
export function otherEventItem(
	{ value, unreadable, raw }: Received<OtherEvent>,
	output: Output,
): ResultItem {
	if (output === 'raw') return marked(rawContent(raw), undefined);
	const json = {
		event: value.event,
		decision: null,
		customData: textOrNull(value.customData),
		reference: textOrNull(value.hosted),
		transactionId: textOrNull(value.transactionId),
		details: { profileId: textOrNull(value.profileId) },
	};
	return marked({ json, unreadable }, undefined);
}

function marked({ json, unreadable }: Content, decision: Decision | undefined): ResultItem {
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
	if (output === 'raw') return rawContent(raw);
	const lacking = [...unreadable, ...(hasMalformedCode(value) ? ['warning'] : [])];
	if (output === 'decisionOnly') {
		return { json: decisionOnly(value, decision), unreadable: distinct(lacking) };
	}
	const { fields, differing } = fieldsOf(value);
	const isSimplified = output === 'simplified';
	const held = isSimplified ? fields : chosenFields(fields, output.chosen);
	// A workflow goes by them, so none may silently be one of two.
	if (differing.some((name) => Object.hasOwn(held, name))) lacking.push('data');
	const json = isSimplified
		? simplified(value, decision, held)
		: { ...decisionOnly(value, decision), fields: held };
	return { json, unreadable: distinct(lacking) };
}

function rawContent({ value, unreadable }: Received<unknown>['raw']): Content {
	return { json: value as ItemJson, unreadable };
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
	/** The highest of them. Null if one isn't known, because that may be higher. */
	severity: Severity | null;
	/** The highest of them, or null in the same way. */
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
		const before = summaries.get(key) ?? found;
		const severities = [before.severity, found.severity];
		const confidences = [before.confidence, found.confidence];
		const severest = SEVERITIES.filter((known) => severities.includes(known)).at(-1);
		summaries.set(key, {
			code,
			severity: areKnown(severities) ? (severest ?? null) : null,
			confidence: areKnown(confidences) ? Math.max(...confidences) : null,
			decision,
		});
	}
	return [...summaries.values()];
}

function areKnown<Value>(values: Array<Value | null | undefined>): values is Value[] {
	return values.every((value) => value !== null && value !== undefined);
}

/** The fields of a result, as an item has them. */
interface DocumentFields {
	fields: Record<string, string | number>;
	/** Those of which another reading has a different text. */
	differing: string[];
}

/**
 * Of each field, the first reading with text (interface.md#fields). All are those of the lowest
 * index that has text, because a person made up of two documents would be nobody. A reading without
 * an index belongs to any.
 */
function fieldsOf({ data }: VerificationResult): DocumentFields {
	const written = (data ?? []).map(([name, entries]): [string, DataEntry[]] => [
		name,
		entries.filter(hasText),
	]);
	const first = written
		.flatMap(([, entries]) => entries)
		.reduce((lowest, { index }) => Math.min(lowest, index ?? Infinity), Infinity);
	const document: DocumentFields = { fields: {}, differing: [] };
	for (const [name, entries] of written) {
		const { value } = entries.find(({ index }) => (index ?? first) === first) ?? {};
		if (value === undefined) continue;
		// There is none called `__proto__`: assigning a text or a number to it does nothing.
		document.fields[name] = fieldValue(name, String(value));
		if (entries.some((entry) => String(entry.value) !== String(value)))
			document.differing.push(name);
	}
	return document;
}

function hasText({ value }: DataEntry): boolean {
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
