import { isRecord, parseJson } from '../contract/json';
import type { Body } from '../contract/json';
import { MAX_ADDRESSES_LENGTH, MAX_IDENTIFIERS_LENGTH } from '../contract/limits';
import { listIn } from '../contract/lists';
import { Places } from '../contract/places';
import type { Received } from '../contract/read';
import type { VerificationResult, Warning } from '../contract/result';
import { isFaithful } from '../contract/storable';
import { isWebAddress } from '../contract/text';
import {
	AML_SANCTION,
	IMAGE_DATA_KEYS,
	NUMERIC_DATA_KEYS,
	SANCTION_LISTS,
} from '../contract/vocabulary';
import type { Decision } from '../contract/vocabulary';
import { trustedDecision } from './decision';
import type { Output } from './outputField';

/** Keys of Simplified and Raw that contain personal data. */
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

/**
 * Shapes a verification result (interface.md#result) into the JSON of an item, in time that is
 * linear in its size. `unreadable` names what is left out. Raw is the body itself, because copying
 * it would take longer than parsing it.
 */
export function resultItem(received: Received<VerificationResult>, output: Output): ResultItem {
	const decision = trustedDecision(received);
	const json = jsonOf(received, output, decision);
	return { json, branch: decision ?? 'review' };
}

function jsonOf(
	{ value, body, replaced, unreadable }: Received<VerificationResult>,
	output: Output,
	decision: Decision | undefined,
): ItemJson {
	const mark = decision ? {} : { unrecognizedDecision: true };
	if (output === 'raw') return Object.assign(body as ItemJson, mark, unreadableOf(replaced));
	const item =
		output === 'simplified' ? simplified(value, decision) : decisionOnly(value, decision);
	const leftOut = hasMalformedCodes(value) ? unreadable.with(malformedCodes(body)) : unreadable;
	return { ...item, ...mark, ...unreadableOf(leftOut) };
}

function unreadableOf(places: Places): ItemJson {
	const unreadable = places.list();
	return unreadable.length > 0 ? { unreadable } : {};
}

/** The most used keys first. */
function simplified(result: VerificationResult, decision: Decision | undefined): ItemJson {
	const warnings = result.warning ?? [];
	return {
		decision: decision ?? undocumentedDecision(result),
		...ofLink(result),
		fields: fields(result),
		warnings: warnings.map(withoutRecord),
		missingFields: result.missingFields ?? [],
		sanctions: sanctions(warnings.filter(isSanction)),
		transactionId: text(result.transactionId),
		files: [...images(result), ...reports(result)],
		details: details(result),
	};
}

/**
 * A subset of Simplified. It has no personal data, unless the caller put some into `customData`.
 */
function decisionOnly(result: VerificationResult, decision: Decision | undefined): ItemJson {
	return {
		decision: decision ?? null,
		...ofLink(result),
		transactionId: text(result.transactionId),
		details: details(result),
	};
}

/**
 * Keys that the result of a hosted link has and the result of a scan lacks (interface.md#webhook).
 */
function ofLink(result: VerificationResult): ItemJson {
	const { customData, hosted } = result;
	const isScan = !('event' in result) && customData === undefined && hosted === undefined;
	return isScan ? {} : { customData: text(customData), reference: text(hosted) };
}

/** The details of a result. They have no personal data. */
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

/**
 * An undocumented decision is shown, so a person can see it, but never an accept that isn't
 * trusted.
 */
function undocumentedDecision({ decision }: VerificationResult): string | null {
	return typeof decision === 'string' && decision !== 'accept' ? decision : null;
}

function warningCodes({ warning }: VerificationResult): string[] {
	const codes = new Set<string>();
	for (const { code } of warning ?? []) {
		if (code !== undefined && WARNING_CODE.test(code)) codes.add(code);
	}
	return [...codes];
}

/**
 * Whether `warningCodes` lacks the code of a warning. Only then is the list read once more to name
 * the places, because a list from PHP can take as long to read as to parse.
 */
function hasMalformedCodes({ warning }: VerificationResult): boolean {
	return (warning ?? []).some(({ code }) => code === undefined || !WARNING_CODE.test(code));
}

/** The places of the warning codes that are missing, or have another form. */
function malformedCodes({ warning }: Body): Places {
	const places = Places.none();
	const { elements = [], indexes } = listIn(warning) ?? {};
	const parent = { key: 'warning' };
	for (let index = 0; index < elements.length; index++) {
		const finding = elements[index];
		if (!isRecord(finding)) continue;
		const { code = '' } = finding;
		if (typeof code === 'string' && !WARNING_CODE.test(code))
			places.add({ parent, key: indexes?.[index] ?? index }, 'code');
	}
	return places;
}

/**
 * The first readable entry of each field (interface.md#fields). Areas of the image are left out,
 * because they have no text.
 */
function fields({ data }: VerificationResult): object {
	const values: Record<string, string | number> = {};
	for (const [name, entries] of data ?? []) {
		const isArea = IMAGE_DATA_KEYS.includes(name);
		const entry = entries.find(({ value }) => value !== undefined && !(isArea && value === ''));
		// Assigning to `__proto__` wouldn't create a field.
		if (entry?.value === undefined || name === '__proto__') continue;
		values[name] = fieldValue(name, String(entry.value));
	}
	return values;
}

function fieldValue(name: string, value: string): string | number {
	return NUMERIC_DATA_KEYS.includes(name) && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}

/**
 * The images of a result. Those of a webhook have an opaque text in place of an address
 * (interface.md#result).
 */
function images({ outputImage }: VerificationResult): object[] {
	const entries = Object.entries(outputImage ?? {}).filter(([, value]) => Boolean(value));
	let parsedLength = 0;
	return entries.map(([image, value]) => {
		if (typeof value === 'string' && /^http/i.test(value)) parsedLength += value.length;
		const isAddress = parsedLength <= MAX_ADDRESSES_LENGTH && isWebAddress(value);
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

/** The records of sanctions, with PHP's lists turned into real lists. */
function sanctions(warnings: Warning[]): object[] {
	let parsedLength = 0;
	return warnings.map(({ data }) => {
		const record = data ?? {};
		const changes: Body = {};
		for (const name of SANCTION_LISTS) {
			const list = record[name] === undefined ? undefined : listIn(record[name]);
			if (list?.indexes) changes[name] = list.elements;
		}
		const { documentnumber } = record;
		if (typeof documentnumber === 'string') {
			parsedLength += documentnumber.length;
			if (parsedLength <= MAX_IDENTIFIERS_LENGTH)
				Object.assign(changes, identifiers(documentnumber));
		}
		return Object.keys(changes).length > 0 ? { ...record, ...changes } : record;
	});
}

/** `documentnumber` can contain identifier records as serialized JSON (interface.md#warnings). */
function identifiers(documentnumber: string): { documentnumber?: object } {
	const parsed = parseJson(documentnumber);
	const isRead = typeof parsed === 'object' && parsed !== null && isFaithful(parsed);
	return isRead ? { documentnumber: parsed } : {};
}

function text(value: string | number | null | undefined): string | null {
	return value === null || value === undefined ? null : String(value);
}
