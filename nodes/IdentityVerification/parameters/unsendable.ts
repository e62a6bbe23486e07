import { MAX_DEPTH } from '../contract/bounds';
import { isRecord } from '../contract/json';
import { keepsDigits } from '../contract/numbers';

/** A part of Additional Request Fields that can't be sent. */
export interface Unsendable {
	kind: 'file' | 'noValue' | 'objectInText' | 'inexactNumber' | 'tooDeep';
	/** Where it is, such as `pages[0].back`; empty if it is the value itself. */
	path: string;
}

/**
 * An object with `mimeType` and one of these keys is n8n's record of a file. `data` isn't enough,
 * because expressions get the record of a file in memory without it.
 */
const RECORD_KEYS = ['id', 'data', 'fileExtension', 'fileType', 'fileSize', 'bytes'];

/**
 * The name of one of n8n's storages, which expressions get in place of a file's content, or the ID
 * of a file, which begins with it.
 */
const OF_STORAGE = /^(filesystem|filesystem-v2|s3|azure|database)(:|$)/;

/**
 * Finds what JSON can't contain, numbers that may have been rounded, and n8n's files, at any depth.
 */
export function findUnsendable(value: unknown, path = '', depth = 0): Unsendable | undefined {
	const kind = depth > MAX_DEPTH ? 'tooDeep' : problemOf(value);
	if (kind) return { kind, path };
	if (typeof value !== 'object' || value === null) return undefined;
	for (const [key, child] of Object.entries(value)) {
		const name = path ? `${path}.${key}` : key;
		const place = Array.isArray(value) ? `${path}[${key}]` : name;
		const found = findUnsendable(child, place, depth + 1);
		if (found) return found;
	}
	return undefined;
}

function problemOf(value: unknown): Unsendable['kind'] | undefined {
	switch (typeof value) {
		case 'string':
			// What JavaScript writes for an object in a text, such as a file's record in quotes.
			if (value.includes('[object Object]')) return 'objectInText';
			return OF_STORAGE.test(value) ? 'file' : undefined;
		case 'number':
			return keepsDigits(value) ? undefined : 'inexactNumber';
		case 'boolean':
			return undefined;
		case 'object':
			return isFileRecord(value) ? 'file' : undefined;
		default:
			return 'noValue';
	}
}

function isFileRecord(value: object | null): boolean {
	return isRecord(value) && 'mimeType' in value && RECORD_KEYS.some((key) => key in value);
}
