import type { INodeProperties } from 'n8n-workflow';

import { AML_SANCTION, DECISIONS, NUMERIC_DATA_KEYS, SEVERITIES, parseJson } from './contract';
import type { AmlRecord, Decision, Severity, VerificationResult, Warning } from './contract';

/** How much of a result a node puts into an item. */
export type Output = 'simplified' | 'full' | 'decisionOnly';

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
	description: 'How much of the result to put out, and so what n8n stores',
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

export type ItemJson = { [key: string]: string | number | boolean | object | null | undefined };

/**
 * Shapes a verification result (§2.2) into the JSON of an item.
 * @param result the parsed result
 * @param body the same result as received: what Full hands on
 */
export function resultItem(result: VerificationResult, body: object, output: Output): ItemJson {
	const mark = recognizedDecision(result) ? {} : { unrecognizedDecision: true };
	if (output === 'full') return { ...body, ...mark };
	return { ...(output === 'simplified' ? simplified(result) : decisionOnly(result)), ...mark };
}

/** The decision when it is a documented one (§3). */
export function recognizedDecision({ decision }: VerificationResult): Decision | undefined {
	return DECISIONS.find((documented) => documented === decision);
}

/** Holds no personal data but what the caller put into `customData`. */
function decisionOnly(result: VerificationResult): ItemJson {
	return {
		decision: recognizedDecision(result) ?? null,
		customData: text(result.customData),
		hosted: text(result.hosted),
		transactionId: text(result.transactionId),
		profileId: text(result.profileId),
		reviewScore: result.reviewScore ?? null,
		rejectScore: result.rejectScore ?? null,
		warningCodes: warningCodes(result),
		quota: result.quota ?? null,
		credit: result.credit ?? null,
	};
}

function simplified(result: VerificationResult): ItemJson {
	const warnings = result.warning ?? [];
	return {
		...decisionOnly(result),
		decision: typeof result.decision === 'string' ? result.decision : null,
		success: result.success ?? null,
		fields: fields(result),
		missingFields: result.missingFields ?? [],
		warnings: warnings.map(withoutRecord),
		highestSeverity: highestSeverity(warnings),
		sanctions: warnings.filter(isSanction).map(({ data }) => sanction(data ?? {})),
		files: result.outputFile ?? [],
		images: result.outputImage ?? {},
		executionTime: result.executionTime ?? null,
	};
}

function warningCodes({ warning }: VerificationResult): string[] {
	return [...new Set((warning ?? []).map(({ code }) => code))];
}

/** The first reading of each field (§2.3). */
function fields({ data }: VerificationResult): object {
	return Object.fromEntries(
		Object.entries(data ?? {}).flatMap(([name, [first]]) =>
			first ? [[name, fieldValue(name, String(first.value))]] : [],
		),
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

/** `documentnumber` can hold identifier records as serialized JSON (§2.4). */
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
