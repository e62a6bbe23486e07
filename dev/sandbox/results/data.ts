import { IMAGE_DATA_KEYS } from '../../../nodes/IdentityVerification/contract';
import type { DataEntry } from '../../../nodes/IdentityVerification/contract';

import type { Scenario } from '../scenarios';
import { boxesOf } from './boxes';
import { documentFields } from './document';

/** What a verification looks at. */
export interface Checks {
	document: boolean;
	/** With a document: the face is compared with the document's portrait. */
	face: boolean;
	signature: boolean;
}

export type Data = Record<string, DataEntry[]>;

/** Fields that the scenario reads badly, with the confidence. */
export const UNSURE_FIELDS: Partial<Record<Scenario, Record<string, number>>> = {
	lowConfidence: { address1: 0.41, documentNumber: 0.56 },
	textForgery: { dob: 0.71, expiry: 0.68 },
};

/** Fields that the scenario can't read at all. */
export const MISSING_FIELDS: Partial<Record<Scenario, string[]>> = {
	lowConfidence: ['endorsement'],
	emptyData: ['documentNumber', 'firstName', 'lastName', 'dob', 'expiry'],
};

const SAME_FACE_CONFIDENCE = 0.947;

/** The `data` of a result (interface.md#fields). */
export function resultData(scenario: Scenario, checks: Checks, today: Date): Data {
	if (scenario === 'emptyData') return {};
	const data: Data = checks.document ? documentData(scenario, today) : {};
	if (checks.face) {
		data.face = [...(data.face ?? [imageEntry('face')]), comparedFace()];
	}
	if (checks.signature) data.signature = [imageEntry('signature')];
	return data;
}

function documentData(scenario: Scenario, today: Date): Data {
	const data: Data = {};
	for (const key of IMAGE_DATA_KEYS) data[key] = [imageEntry(key)];
	for (const [key, value] of Object.entries(documentFields(scenario, today))) {
		if (MISSING_FIELDS[scenario]?.includes(key)) continue;
		const confidence = UNSURE_FIELDS[scenario]?.[key] ?? usualConfidence(key);
		data[key] = [{ value, confidence, source: 'visual', index: 0, ...boxesOf(key) }];
	}
	return data;
}

/** Entries of image areas have no text and no `source`. */
function imageEntry(key: string): DataEntry {
	return { value: '', confidence: usualConfidence(key), index: 0, ...boxesOf(key) };
}

/** The face photo of the end user, which isn't part of the document. */
function comparedFace(): DataEntry {
	return { value: '', confidence: SAME_FACE_CONFIDENCE, index: 0 };
}

/** Differs by field and stays the same from run to run. */
function usualConfidence(key: string): number {
	const letters = [...key].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
	return (930 + (letters % 70)) / 1000;
}
