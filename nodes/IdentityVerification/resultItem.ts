import type { INodeProperties } from 'n8n-workflow';

import {
	AML_SANCTION,
	MAX_UNREADABLE,
	NUMERIC_DATA_KEYS,
	SEVERITIES,
	isRecord,
	parseJson,
	recognizedDecision,
} from './contract';
import type {
	AmlRecord,
	Decision,
	Received,
	Severity,
	VerificationResult,
	Warning,
} from './contract';

/** How much of a result a node puts into an item. */
export const OUTPUTS = ['decisionOnly', 'full', 'simplified'] as const;
export type Output = (typeof OUTPUTS)[number];

export const outputField: INodeProperties & { default: Output } = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Decision Only',
			value: 'decisionOnly',
			description: 'Decision, scores, warning codes and identifiers, without personal data',
		},
		{
			name: 'Full',
			value: 'full',
			description: 'The whole result as the service sent it',
		},
		{
			name: 'Simplified',
			value: 'simplified',
			description: 'The first reading of each field, warnings, sanctions and files',
		},
	],
	default: 'simplified',
	description: 'How much of the result to return and store',
};

/** Keys that hold personal data, of Simplified and of Full. */
export const PERSONAL_FIELDS = [
	'data',
	'fields',
	'files',
	'images',
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
 * Shapes a verification result (interface.md#result) into the JSON of an item. Full is the result as received,
 * but for what n8n can't store. What is left out is named under `unreadable`.
 */
export function resultItem(received: Received<VerificationResult>, output: Output): ItemJson {
	const { value, body, storable } = received;
	const decision = recognizedDecision(body);
	const mark = decision ? {} : { unrecognizedDecision: true };
	switch (output) {
		case 'full':
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

/** Holds no personal data but what the caller put into `customData`. */
function decisionOnly(result: VerificationResult, decision: Decision | undefined): ItemJson {
	return {
		decision: decision ?? null,
		customData: text(result.customData),
		hosted: text(result.hosted),
		transactionId: text(result.transactionId),
		profileId: text(result.profileId),
		reviewScore: result.reviewScore ?? null,
		rejectScore: result.rejectScore ?? null,
		warningCodes: warningCodes(result).filter((code) => WARNING_CODE.test(code)),
		quota: result.quota ?? null,
		credit: result.credit ?? null,
	};
}

function simplified(result: VerificationResult, decision: Decision | undefined): ItemJson {
	const warnings = result.warning ?? [];
	return {
		...decisionOnly(result, decision),
		decision: decision ?? otherDecision(result),
		success: result.success ?? null,
		fields: fields(result),
		missingFields: result.missingFields ?? [],
		warningCodes: warningCodes(result),
		warnings: warnings.map(withoutRecord),
		highestSeverity: highestSeverity(warnings),
		sanctions: warnings.filter(isSanction).map(({ data }) => sanction(data ?? {})),
		files: result.outputFile ?? [],
		images: result.outputImage ?? {},
		executionTime: result.executionTime ?? null,
	};
}

/** A decision that isn't documented, for a person to see. Never an accept that isn't trusted. */
function otherDecision({ decision }: VerificationResult): string | null {
	return typeof decision === 'string' && decision !== 'accept' ? decision : null;
}

function warningCodes({ warning }: VerificationResult): string[] {
	return [...new Set((warning ?? []).flatMap(({ code }) => code ?? []))];
}

/** Paths of the texts that stand in the place of warning codes, and aren't written like one. */
function otherCodes({ value, body }: Received<VerificationResult>): string[] {
	const warnings: unknown[] = value.warning && Array.isArray(body.warning) ? body.warning : [];
	return warnings.flatMap((warning, index) => {
		const code = isRecord(warning) ? warning.code : undefined;
		return typeof code === 'string' && !WARNING_CODE.test(code) ? [`warning[${index}].code`] : [];
	});
}

/** The first readable entry of each field (interface.md#fields). */
function fields({ data }: VerificationResult): object {
	return Object.fromEntries(
		Object.entries(data ?? {}).flatMap(([name, entries]) => {
			// Newer versions of zod let anything pass under this one key.
			if (name === '__proto__') return [];
			const value = entries.find((entry) => entry.value !== undefined)?.value;
			return value === undefined ? [] : [[name, fieldValue(name, String(value))]];
		}),
	);
}

function fieldValue(name: string, value: string): string | number {
	const isNumeric = (NUMERIC_DATA_KEYS as readonly string[]).includes(name);
	return isNumeric && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}

function highestSeverity(warnings: Warning[]): Severity | null {
	const occurs = (severity: Severity) => warnings.some((warning) => warning.severity === severity);
	return [...SEVERITIES].reverse().find(occurs) ?? null;
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
