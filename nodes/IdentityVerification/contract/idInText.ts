import { parseJson } from './json';
import { idText } from './text';

/**
 * Finds an ID in a text that should have been a JSON object but can't be parsed, for example
 * because it is cut off.
 * @param field the key of the object whose value is the ID
 * @returns an empty string unless the whole value is there and looks like an ID
 */
export function idInText(text: string, field: string): string {
	let depth = 0;
	let isValueNext = false;
	let stringFrom = 0;
	for (const { start, end } of outsideStrings(text)) {
		const string = text.slice(stringFrom, start);
		if (isValueNext) return idText(parseJson(string));
		const outside = text.slice(start, end);
		if (depth === 1 && string === `"${field}"`) {
			// Parsing could change the last digits, so they are taken as they are written. What follows
			// the number proves that it isn't cut off.
			const number = /^\s*:\s*(-?[\d.]+)\s*[,}]/.exec(outside);
			if (number) return idText(number[1]);
			isValueNext = /^\s*:\s*$/.test(outside);
		}
		for (const [bracket] of outside.matchAll(/[{}[\]]/g)) depth += '{['.includes(bracket) ? 1 : -1;
		stringFrom = end;
	}
	return '';
}

/** What is between two strings of a JSON text, or before the first or after the last one. */
interface Outside {
	start: number;
	end: number;
}

/**
 * Finds what is outside the strings of a JSON text, from the first part to the last one. Quotation
 * marks belong to the strings. A regular expression can't do that: V8 saves a position to backtrack
 * to for each escape in a string, and runs out of memory.
 */
function* outsideStrings(json: string): Generator<Outside> {
	let end = 0;
	while (end <= json.length) {
		const start = end;
		const string = indexOrEnd(json, json.indexOf('"', start));
		yield { start, end: string };
		end = endOfString(json, string);
	}
}

/** The index after the quotation mark that ends the string at `start`. */
function endOfString(json: string, start: number): number {
	let end = start;
	do end = indexOrEnd(json, json.indexOf('"', end + 1));
	while (end < json.length && isEscaped(json, end));
	return end + 1;
}

function indexOrEnd(json: string, index: number): number {
	return index < 0 ? json.length : index;
}

const BACKSLASH = '\\'.charCodeAt(0);

/** Whether an odd number of backslashes precedes the character. */
function isEscaped(json: string, index: number): boolean {
	let backslashes = 0;
	while (json.charCodeAt(index - backslashes - 1) === BACKSLASH) backslashes++;
	return backslashes % 2 === 1;
}
