import { isTooComplex, outsideTexts } from './outsideTexts';
import { idText } from './text';

/** A JSON object. */
export type Body = Record<string, unknown>;

/** Whether the value is a JSON object: no list, no null. */
export function isRecord(value: unknown): value is Body {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON text; undefined when it isn't JSON. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/**
 * JSON that is parsed as infinity. A number such as 1e400 is, too: both are read as a number that
 * can't be known.
 */
const INFINITE = '1e999';

/**
 * Parses what a service sends as JSON, like `parseJson`. It may begin with byte order marks and
 * have `NaN` and `Infinity` among its numbers, as Python writes them: each is parsed as infinity,
 * which is left out later. What is too complex isn't parsed.
 */
export function parseServiceJson(text: string): unknown {
	const json = text.trim();
	if (isTooComplex(json)) return undefined;
	return parseJson(withoutNumber(withoutNumber(json, 'NaN'), 'Infinity'));
}

/** Replaces a number that isn't JSON, outside of texts. */
function withoutNumber(json: string, name: 'NaN' | 'Infinity'): string {
	let next = json.indexOf(name);
	if (next < 0) return json;
	const signed = new RegExp(`-?${name}`, 'g');
	const parts: string[] = [];
	let copiedTo = 0;
	for (const { start, end } of outsideTexts(json)) {
		if (next < start) next = json.indexOf(name, start);
		if (next < 0) break;
		if (next >= end) continue;
		// With spaces, so that `1NaN` isn't read as a number.
		const outside = json.slice(start, end).replace(signed, ` ${INFINITE} `);
		parts.push(json.slice(copiedTo, start), outside);
		copiedTo = end;
		next = json.indexOf(name, end);
		if (next < 0) break;
	}
	return parts.join('') + json.slice(copiedTo);
}

/**
 * JSON text of a parsed value. An infinite number stays infinite: JSON.stringify would make it null,
 * which counts as absent, so that an accept beside such an `error` could be trusted.
 */
export function jsonText(value: object): string {
	// A text in place of the number, until it's written as one. No sender can know it.
	const placeholder = `infinite ${Math.random()}`;
	const withTexts = (_: string, part: unknown) =>
		typeof part === 'number' && !Number.isFinite(part) ? placeholder : part;
	return JSON.stringify(value, withTexts).replaceAll(`"${placeholder}"`, INFINITE);
}

/**
 * Finds an ID in a text that should have been a JSON object and can't be parsed, such as one that
 * is cut off.
 * @param field the key of the object whose value is the ID
 * @returns empty unless the value is there as a whole, and looks like an ID
 */
export function idInText(text: string, field: string): string {
	let depth = 0;
	let isValueNext = false;
	let textFrom = 0;
	for (const { start, end } of outsideTexts(text)) {
		const between = text.slice(textFrom, start);
		if (isValueNext) return idText(parseJson(between));
		const outside = text.slice(start, end);
		if (depth === 1 && between === `"${field}"`) {
			// The digits as they are written: parsed, they could become others. A number that is cut off
			// has no end.
			const number = /^\s*:\s*(-?[\d.]+)\s*[,}]/.exec(outside);
			if (number) return idText(number[1]);
			isValueNext = /^\s*:\s*$/.test(outside);
		}
		for (const [bracket] of outside.matchAll(/[{}[\]]/g)) depth += '{['.includes(bracket) ? 1 : -1;
		textFrom = end;
	}
	return '';
}
