import { INFINITE, withoutNaN } from './nan';
import { idText } from './text';

/** A JSON object. */
export type Body = Record<string, unknown>;

/** Whether the value is a JSON object: no list, no null. */
export function isRecord(value: unknown): value is Body {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Above this number of keys, an object is copied key by key: V8 takes twice as long to spread it as
 * to parse it.
 */
const MAX_SPREAD_KEYS = 100;

/** A copy of an object. Of one with many keys, it has none of the name `__proto__`. */
export function copyOf(object: Body): Body {
	if (!hasManyKeys(object)) return { ...object };
	const copy: Body = {};
	for (const key in object) if (key !== '__proto__') copy[key] = object[key];
	return copy;
}

/** Stops counting early: a list of a million keys would take as long as the copy. */
function hasManyKeys(object: Body): boolean {
	let count = 0;
	for (const key in object)
		if (Object.hasOwn(object, key) && ++count > MAX_SPREAD_KEYS) return true;
	return false;
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
 * Parses what a service sends as JSON, like `parseJson`. It may begin with byte order marks and
 * have `NaN` and `Infinity` among its numbers: each is parsed as infinity, which is left out later.
 * Those after thousands of them, unless they are fields of the body itself, are parsed as null, as
 * which infinity would be stored.
 */
export function parseServiceJson(text: string): unknown {
	return parseJson(withoutNaN(text.trim()));
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
	let previous = '';
	for (const part of partsOf(text)) {
		if (part.isString) {
			if (isValueNext) return idText(parseJson(part.text));
			previous = depth === 1 ? part.text : '';
			continue;
		}
		if (previous === `"${field}"`) {
			// The digits as they are written: parsed, they could become others. A number that is cut off
			// has no end.
			const number = /^\s*:\s*(-?[\d.]+)\s*[,}]/.exec(part.text);
			if (number) return idText(number[1]);
			isValueNext = /^\s*:\s*$/.test(part.text);
		}
		for (const [bracket] of part.text.matchAll(/[{}[\]]/g))
			depth += '{['.includes(bracket) ? 1 : -1;
	}
	return '';
}

/**
 * Splits JSON text into its strings, with their quotation marks, and what is between them. It isn't
 * one regular expression, because V8 keeps a place to return to for each escape in a string, and
 * runs out of memory for them.
 */
function* partsOf(json: string): Generator<{ isString: boolean; text: string }> {
	let end = 0;
	while (end < json.length) {
		const start = indexOrEnd(json, json.indexOf('"', end));
		yield { isString: false, text: json.slice(end, start) };
		end = endOfString(json, start);
		if (start < json.length) yield { isString: true, text: json.slice(start, end) };
	}
}

/** The index after the quotation mark that ends the string at `start`. */
function endOfString(json: string, start: number): number {
	let end = start;
	do end = indexOrEnd(json, json.indexOf('"', end + 1));
	while (isEscaped(json, end));
	return end + 1;
}

function isEscaped(json: string, index: number): boolean {
	let backslashes = 0;
	while (json[index - backslashes - 1] === '\\') backslashes++;
	return index < json.length && backslashes % 2 === 1;
}

function indexOrEnd(json: string, index: number): number {
	return index < 0 ? json.length : index;
}
