import { isRecord } from './json';
import type { Body } from './json';

/** The elements of a list. */
export interface List {
	elements: unknown[];
	/** What they are found under in the body; missing where it is their position. */
	indexes?: Array<string | number>;
}

/**
 * Reads a list; undefined for what is none. PHP sends a list with gaps as an object with the
 * indexes as its keys. An object without keys is none, because PHP sends an empty list as `[]`.
 */
export function listIn(value: unknown): List | undefined {
	if (Array.isArray(value)) return { elements: value };
	if (!isRecord(value)) return undefined;
	const indexes = indexesOf(value);
	if (indexes.length === 0) return undefined;
	return { elements: indexes.map((index) => value[index]), indexes };
}

/** A whole number as PHP has it as a key: one with a leading zero is a text. */
const INDEX = /^(?:0|[1-9]\d{0,18})$/;

/**
 * The keys of an object whose keys are all indexes; empty for any other. JavaScript has those up to
 * 2^32 - 2 in their order, and larger ones as PHP has sent them, which is the order of its list.
 */
function indexesOf(value: Body): Array<string | number> {
	const found = isDense(value) ? denseIndexesOf(value) : undefined;
	if (found) return found;
	const keys = Object.keys(value);
	return keys.every((key) => INDEX.test(key)) ? keys : [];
}

/** Finds the indexes of a list with few gaps without its keys; undefined where it has others. */
function denseIndexesOf(value: Body): number[] | undefined {
	const { length } = Object.values(value);
	const indexes: number[] = [];
	for (let index = 0; index < 2 * length; index++) if (index in value) indexes.push(index);
	return indexes.length === length ? indexes : undefined;
}

/** How many indexes of an object are tried to see whether it is a long list. */
const TRIED_INDEXES = 64;

/**
 * Whether an object is a long list of PHP with few gaps, or looks like one. V8 has the values of
 * such an object at hand, but has to make a text of each index for its keys, which takes twice as
 * long as to parse it.
 */
export function isDense(value: Body): boolean {
	if (!(0 in value || 1 in value)) return false;
	let found = 0;
	for (let index = 0; index < TRIED_INDEXES; index++) if (index in value) found++;
	return found > TRIED_INDEXES / 2;
}
