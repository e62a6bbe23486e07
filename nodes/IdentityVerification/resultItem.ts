import type { INodeProperties } from 'n8n-workflow';

import {
	AML_SANCTION,
	IMAGE_DATA_KEYS,
	MAX_UNREADABLE,
	NUMERIC_DATA_KEYS,
	isRecord,
	isWebAddress,
	parseJson,
	recognizedDecision,
} from './contract';
import type {
	AmlRecord,
	DataEntry,
	Decision,
	Received,
	VerificationResult,
	Warning,
} from './contract';

/** How much of a result a node puts into an item. */
const OUTPUTS = ['decisionOnly', 'raw', 'simplified'] as const;
export type Output = (typeof OUTPUTS)[number];

/** An imported workflow can hold any value: only a known one may decide what n8n stores. */
export function isOutput(value: unknown): value is Output {
	return OUTPUTS.some((known) => known === value);
}

export const outputField = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Decision Only',
			value: 'decisionOnly',
			description: 'Decision, identifiers, scores and warning codes, without personal data',
		},
		{
			name: 'Raw',
			value: 'raw',
			description: 'The whole result as the service sent it',
		},
		{
			name: 'Simplified',
			value: 'simplified',
			description: 'The decision, the first reading of each field, warnings, sanctions and files',
		},
	],
	default: 'simplified',
	description: 'How much of the result to return and store',
} satisfies INodeProperties & { default: Output };

/** Keys that hold personal data, of Simplified and of Raw. */
export const PERSONAL_FIELDS = [
	'data',
	'fields',
	'files',
	'outputFile',
	'outputImage',
	'sanctions',
	'warning',
	'warnings',
];

/** How a warning code is written (interface.md#warnings). Another text could hold anything. */
const WARNING_CODE = /^[A-Z][A-Z0-9_]*$/;

export type ItemJson = { [key: string]: string | number | boolean | object | null | undefined };

/**
 * Shapes a verification result (interface.md#result) into the JSON of an item. Raw is the result as received,
 * but for what n8n can't store. What is left out is named under `unreadable`.
 */
export function resultItem(received: Received<VerificationResult>, output: Output): ItemJson {
	const { value, body, storable } = received;
	const decision = recognizedDecision(body);
	const mark = decision ? {} : { unrecognizedDecision: true };
	switch (output) {
		case 'raw':
			return { ...(storable?.body ?? body), ...mark, ...named(storable?.leftOut) };
		case 'simplified':
			return { ...simplified(value, decision), ...mark, ...named(received.unreadable) };
		case 'decisionOnly': {
			const leftOut = [...received.unreadable, ...otherCodes(received)];
			return { ...decisionOnly(value, decision), ...mark, ...named(leftOut) };
		}
	}
}

function named(paths: string[] = []): ItemJson {
	return paths.length > 0 ? { unreadable: paths.slice(0, MAX_UNREADABLE) } : {};
}

/** The most used keys first. */
function simplified(result: VerificationResult, decision: Decision | undefined): ItemJson {
	const warnings = result.warning ?? [];
	return {
		decision: decision ?? otherDecision(result),
		customData: text(result.customData),
		reference: text(result.hosted),
		fields: fields(result),
		warnings: warnings.map(withoutRecord),
		missingFields: result.missingFields ?? [],
		sanctions: warnings.filter(isSanction).map(({ data }) => sanction(data ?? {})),
		transactionId: text(result.transactionId),
		files: [...images(result), ...reports(result)],
		details: details(result),
	};
}

/** Keys of Simplified, without personal data but what the caller put into `customData`. */
function decisionOnly(result: VerificationResult, decision: Decision | undefined): ItemJson {
	return {
		decision: decision ?? null,
		customData: text(result.customData),
		reference: text(result.hosted),
		transactionId: text(result.transactionId),
		details: details(result),
	};
}

/** What else the service says of the result, without personal data. */
function details(result: VerificationResult): object {
	return {
		profileId: text(result.profileId),
		reviewScore: result.reviewScore ?? null,
		rejectScore: result.rejectScore ?? null,
		warningCodes: warningCodes(result),
		credit: result.credit ?? null,
		quota: result.quota ?? null,
	};
}

/** A decision that isn't documented, for a person to see. Never an accept that isn't trusted. */
function otherDecision({ decision }: VerificationResult): string | null {
	return typeof decision === 'string' && decision !== 'accept' ? decision : null;
}

function warningCodes({ warning }: VerificationResult): string[] {
	const codes = (warning ?? []).flatMap(({ code }) => code ?? []);
	return [...new Set(codes)].filter((code) => WARNING_CODE.test(code));
}

/** Paths of the texts that stand in the place of warning codes, and aren't written like one. */
function otherCodes({ value, body }: Received<VerificationResult>): string[] {
	const warnings: unknown[] = value.warning && Array.isArray(body.warning) ? body.warning : [];
	return warnings.flatMap((warning, index) => {
		const code = isRecord(warning) ? warning.code : undefined;
		return typeof code === 'string' && !WARNING_CODE.test(code) ? [`warning[${index}].code`] : [];
	});
}

/** The first readable entry of each field (interface.md#fields), without areas of the image, which have no text. */
function fields({ data }: VerificationResult): object {
	return Object.fromEntries(
		Object.entries(data ?? {}).flatMap(([name, entries]) => {
			// Newer versions of zod let anything pass under this one key.
			if (name === '__proto__') return [];
			const isArea = isOneOf(IMAGE_DATA_KEYS, name);
			const isRead = ({ value }: DataEntry) => value !== undefined && !(isArea && value === '');
			const value = entries.find(isRead)?.value;
			return value === undefined ? [] : [[name, fieldValue(name, String(value))]];
		}),
	);
}

function fieldValue(name: string, value: string): string | number {
	return isOneOf(NUMERIC_DATA_KEYS, name) && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}

function isOneOf(names: readonly string[], name: string): boolean {
	return names.includes(name);
}

/** The files of a result. Only an image has a key of this name. */
function reports({ outputFile }: VerificationResult): object[] {
	return (outputFile ?? []).map((file) => ('image' in file ? { ...file, image: undefined } : file));
}

/**
 * The images of a result, beside its files. Those of a webhook have an opaque text in place of an address
 * (interface.md#result).
 */
function images({ outputImage }: VerificationResult): object[] {
	const entries = Object.entries(outputImage ?? {}).filter(([, value]) => Boolean(value));
	return entries.map(([image, value]) =>
		isWebAddress(value) ? { image, fileUrl: value } : { image, value },
	);
}

function isSanction({ code }: Warning): boolean {
	return code === AML_SANCTION;
}

/** The record of a sanction stands in `sanctions`. */
function withoutRecord(warning: Warning): object {
	return isSanction(warning) ? { ...warning, data: undefined } : warning;
}

/** `documentnumber` can hold identifier records as serialized JSON (interface.md#warnings). */
function sanction(record: AmlRecord): object {
	const { documentnumber } = record;
	const parsed = typeof documentnumber === 'string' ? parseJson(documentnumber) : undefined;
	return typeof parsed === 'object' && parsed !== null
		? { ...record, documentnumber: parsed }
		: record;
}

function text(value: string | number | null | undefined): string | null {
	return value === null || value === undefined ? null : String(value);
}
