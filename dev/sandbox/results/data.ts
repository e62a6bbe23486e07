import type { Checks, Data, Reading } from '../interface';
import type { Facts, Holder } from '../scenarios';
import { boxesOf } from './boxes';
import { documentFields } from './document';

const SAME_FACE_CONFIDENCE = 0.947;

/** The `data` of a result (interface.md#fields). */
export function resultData(facts: Facts, checks: Checks, today: Date): Data {
	if (!facts.holder) return {};
	const data: Data = checks.document ? documentData(facts.holder, facts, today) : {};
	if (checks.face) {
		data.face = [...(data.face ?? [imageEntry('face')]), comparedFace()];
	}
	if (checks.signature) data.signature = [imageEntry('signature')];
	return data;
}

function documentData(holder: Holder, facts: Facts, today: Date): Data {
	const data: Data = {};
	for (const key of ['document', 'face', 'signature']) data[key] = [imageEntry(key)];
	for (const [key, value] of Object.entries(documentFields(holder, facts, today))) {
		if (facts.missingFields?.includes(key)) continue;
		const confidence = facts.unsureFields?.[key] ?? usualConfidence(key);
		data[key] = [{ value, confidence, source: 'visual', index: 0, ...boxesOf(key) }];
	}
	return data;
}

/** Entries of image areas have no text and no `source`. */
function imageEntry(key: string): Reading {
	return { value: '', confidence: usualConfidence(key), index: 0, ...boxesOf(key) };
}

/** The face photo of the end user, which isn't part of the document. */
function comparedFace(): Reading {
	return { value: '', confidence: SAME_FACE_CONFIDENCE, index: 0 };
}

/** Differs by field and stays the same from run to run. */
function usualConfidence(key: string): number {
	const letters = [...key].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
	return (930 + (letters % 70)) / 1000;
}
