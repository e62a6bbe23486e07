import { isRecord } from './json';

/** The elements of a list. */
export interface List {
	elements: unknown[];
	/** Their keys in the body, if it isn't an array. */
	indexes?: string[];
}

/** A whole number as PHP writes it as a key: without leading zeros. */
const INDEX = /^(?:0|[1-9]\d{0,18})$/;

/**
 * Reads a list. Undefined if the value isn't one. PHP sends a list with gaps as an object whose
 * keys are the indexes. JavaScript sorts those up to 2^32 - 2, and leaves larger ones in the order
 * in which PHP has sent them; both are the order of the list. An object without keys isn't a list,
 * because PHP sends an empty list as `[]`.
 */
export function listIn(value: unknown): List | undefined {
	if (Array.isArray(value)) return { elements: value };
	if (!isRecord(value)) return undefined;
	const indexes = Object.keys(value);
	if (indexes.length === 0 || !indexes.every((index) => INDEX.test(index))) return undefined;
	return { elements: Object.values(value), indexes };
}
