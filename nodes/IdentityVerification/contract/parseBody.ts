import { INFINITE, parseJson } from './json';
import { MAX_COMPLEX_LENGTH, MAX_STRUCTURE } from './limits';
import { isEscaped, outsideStrings } from './outsideStrings';
import { NO_OBJECT, TOO_COMPLEX } from './read';
import type { Reading } from './read';

/**
 * Parses a body of the service as JSON. It may begin with byte order marks and contain `NaN` and
 * `Infinity`, as Python writes them. Each is parsed as infinity, which is left out later.
 */
export function parseBody(text: string): Reading<unknown> {
	const json = text.trim();
	if (isTooComplex(json)) return TOO_COMPLEX;
	const value = parseJson(withoutNumber(withoutNumber(json, 'NaN'), 'Infinity'));
	return value === undefined ? NO_OBJECT : { ok: true, value };
}

/** Replaces a number that JSON doesn't have, except within strings. */
function withoutNumber(json: string, name: 'NaN' | 'Infinity'): string {
	let next = json.indexOf(name);
	if (next < 0) return json;
	const signed = new RegExp(`-?${name}`, 'g');
	const parts: string[] = [];
	let copiedTo = 0;
	for (const { start, end } of outsideStrings(json)) {
		if (next < start) next = json.indexOf(name, start);
		if (next < 0) break;
		if (next >= end) continue;
		// The spaces keep `1NaN` from becoming a number.
		const outside = json.slice(start, end).replace(signed, ` ${INFINITE} `);
		parts.push(json.slice(copiedTo, start), outside);
		copiedTo = end;
		next = json.indexOf(name, end);
		if (next < 0) break;
	}
	return parts.join('') + json.slice(copiedTo);
}

/**
 * Whether a body has so much outside its strings that reading it would block n8n. Finding out takes
 * less time than parsing, whatever the body contains.
 */
function isTooComplex(json: string): boolean {
	if (json.length <= MAX_COMPLEX_LENGTH) return false;
	let structure = 0;
	let outsideFrom: number | undefined = 0;
	let quote = json.indexOf('"');
	while (quote >= 0 && structure <= MAX_STRUCTURE) {
		// An escaped one within a string counts as well, because each costs time.
		structure++;
		if (outsideFrom !== undefined) {
			structure += quote - outsideFrom;
			outsideFrom = undefined;
		} else if (!isEscaped(json, quote)) {
			outsideFrom = quote + 1;
		}
		quote = json.indexOf('"', quote + 1);
	}
	return structure + json.length - (outsideFrom ?? json.length) > MAX_STRUCTURE;
}
