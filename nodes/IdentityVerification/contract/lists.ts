import { isRecord } from './json';

/** The elements of a list. */
export interface List {
	elements: unknown[];
	/** What they are found under in the body; missing where it is their position. */
	indexes?: string[];
}

/** A whole number as PHP has it as a key: one with a leading zero is a text. */
const INDEX = /^(?:0|[1-9]\d{0,18})$/;

/**
 * Reads a list; undefined for what is none. PHP sends a list with gaps as an object with the
 * indexes as its keys. JavaScript has those up to 2^32 - 2 in their order, and larger ones as PHP
 * has sent them, which is the order of its list. An object without keys is none, because PHP sends
 * an empty list as `[]`.
 */
export function listIn(value: unknown): List | undefined {
	if (Array.isArray(value)) return { elements: value };
	if (!isRecord(value)) return undefined;
	const indexes = Object.keys(value);
	if (indexes.length === 0 || !indexes.every((index) => INDEX.test(index))) return undefined;
	return { elements: Object.values(value), indexes };
}
