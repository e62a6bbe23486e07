import type { INodeProperties } from 'n8n-workflow';

import { isRecord, parseJson } from './contract/json';
import { LEFT_OUT, MAX_UNREADABLE, isStorable } from './contract/read';
import { recognizedDecision } from './contract/result';
import { isWebAddress } from './contract/text';
import { AML_SANCTION, IMAGE_DATA_KEYS, NUMERIC_DATA_KEYS } from './contract/vocabulary';
import type { Body } from './contract/json';
import type { Received } from './contract/read';
import type { VerificationResult, Warning } from './contract/result';
import type { Decision } from './contract/vocabulary';

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

/** Keys of Simplified and Raw that hold personal data. */
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

/** The form of a warning code (interface.md#warnings). Another text could hold anything. */
const WARNING_CODE = /^[A-Z][A-Z0-9_]*$/;

export type ItemJson = { [key: string]: string | number | boolean | object | null | undefined };

/** Shapes a verification result (interface.md#result) into the JSON of an item. `unreadable` names what is left out. */
export function resultItem(received: Received<VerificationResult>, output: Output): ItemJson {
	const { value, body, unreadable, hasOtherStatus } = received;
	const decision = recognizedDecision(body, hasOtherStatus);
	const mark = decision ? {} : { unrecognizedDecision: true };
	switch (output) {
		case 'raw':
			return { ...body, ...mark, ...named(unreadable.filter((name) => body[name] === LEFT_OUT)) };
		case 'simplified':
			return { ...simplified(value, decision), ...mark, ...named(unreadable) };
		case 'decisionOnly': {
			const leftOut = [...unreadable, ...otherCodes(body)];
			return { ...decisionOnly(value, decision), ...mark, ...named(leftOut) };
		}
	}
}

function named(paths: string[]): ItemJson {
	return paths.length > 0 ? { unreadable: paths.slice(0, MAX_UNREADABLE) } : {};
}

/** The most used keys first. */
function simplified(result: VerificationResult, decision: Decision | undefined): ItemJson {
	const warnings = result.warning ?? [];
	return {
		decision: decision ?? otherDecision(result),
		...ofLink(result),
		fields: fields(result),
		warnings: warnings.map(withoutRecord),
		missingFields: result.missingFields ?? [],
		sanctions: warnings.filter(isSanction).map(sanction),
		transactionId: text(result.transactionId),
		files: [...images(result), ...reports(result)],
		details: details(result),
	};
}

/** Keys of Simplified, without personal data except in the caller's own `customData`. */
function decisionOnly(result: VerificationResult, decision: Decision | undefined): ItemJson {
	return {
		decision: decision ?? null,
		...ofLink(result),
		transactionId: text(result.transactionId),
		details: details(result),
	};
}

/** What a hosted link's result has and a scan's lacks (interface.md#webhook). */
function ofLink(result: VerificationResult): ItemJson {
	const { customData, hosted } = result;
	const isScan = !('event' in result) && customData === undefined && hosted === undefined;
	return isScan ? {} : { customData: text(customData), reference: text(hosted) };
}

/** The details of a result, without personal data. */
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

/** An undocumented decision, for a person to see. Never an untrusted accept. */
function otherDecision({ decision }: VerificationResult): string | null {
	return typeof decision === 'string' && decision !== 'accept' ? decision : null;
}

function warningCodes({ warning }: VerificationResult): string[] {
	const codes = (warning ?? []).flatMap(({ code }) => code ?? []);
	return [...new Set(codes)].filter((code) => WARNING_CODE.test(code));
}

/** Paths of the warning codes without this form. */
function otherCodes({ warning }: Body): string[] {
	const warnings: unknown[] = Array.isArray(warning) ? warning : [];
	return warnings.flatMap((finding, index) => {
		const code = isRecord(finding) ? finding.code : undefined;
		return typeof code === 'string' && !WARNING_CODE.test(code) ? [`warning[${index}].code`] : [];
	});
}

/** The first readable entry of each field (interface.md#fields), without areas of the image, which have no text. */
function fields({ data }: VerificationResult): object {
	return Object.fromEntries(
		Object.entries(data ?? {}).flatMap(([name, entries]) => {
			// Newer versions of zod let anything pass under this one key.
			if (name === '__proto__') return [];
			const isArea = IMAGE_DATA_KEYS.includes(name);
			const values = entries.flatMap(({ value }) => value ?? []);
			const value = values.find((reading) => !isArea || reading !== '');
			return value === undefined ? [] : [[name, fieldValue(name, String(value))]];
		}),
	);
}

function fieldValue(name: string, value: string): string | number {
	return NUMERIC_DATA_KEYS.includes(name) && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}

/** The images of a result. Those of a webhook have an opaque text in place of an address (interface.md#result). */
function images({ outputImage }: VerificationResult): object[] {
	const entries = Object.entries(outputImage ?? {}).filter(([, value]) => Boolean(value));
	return entries.map(([image, value]) =>
		isWebAddress(value) ? { image, fileUrl: value } : { image, value },
	);
}

/** Only images may have the key `image`. */
function reports({ outputFile }: VerificationResult): object[] {
	return (outputFile ?? []).map((file) => ('image' in file ? { ...file, image: undefined } : file));
}

function isSanction({ code }: Warning): boolean {
	return code === AML_SANCTION;
}

/** The record of a sanction is in `sanctions`. */
function withoutRecord(warning: Warning): object {
	return isSanction(warning) ? { ...warning, data: undefined } : warning;
}

/** `documentnumber` can hold identifier records as serialized JSON (interface.md#warnings). */
function sanction({ data }: Warning): object {
	const { documentnumber } = data ?? {};
	const parsed = typeof documentnumber === 'string' ? parseJson(documentnumber) : undefined;
	const isRead = typeof parsed === 'object' && parsed !== null && isStorable(parsed);
	return isRead ? { ...data, documentnumber: parsed } : { ...data };
}

function text(value: string | number | null | undefined): string | null {
	return value === null || value === undefined ? null : String(value);
}
