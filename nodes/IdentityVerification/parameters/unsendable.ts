import { isRecord } from '../contract/json';
import { MAX_DEPTH } from '../contract/bounds';
import { keepsDigits } from '../contract/text';
import { withoutDataUri } from './image/base64';

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
 * The names of n8n's storages. Expressions get one in place of a file's content, and the ID of a
 * file begins with it.
 */
const STORAGES = ['filesystem', 'filesystem-v2', 's3', 'azure', 'database'];

/** A longer text can't be the ID of a file. */
const MAX_ID_LENGTH = 300;

/**
 * Finds what JSON can't contain, numbers that may have been rounded, and n8n's files, at any depth.
 * Each part is judged by its type, and a text only by its beginning.
 * @param isEntered whether the user has entered the value itself, so n8n has put no file in it
 */
export function findUnsendable(
	value: unknown,
	isEntered: boolean,
	path = '',
	depth = 0,
): Unsendable | undefined {
	const kind = depth > MAX_DEPTH ? 'tooDeep' : problemOf(value);
	if (kind && !(kind === 'file' && isEntered)) return { kind, path };
	if (typeof value !== 'object' || value === null) return undefined;
	for (const [key, child] of Object.entries(value)) {
		const name = path ? `${path}.${key}` : key;
		const place = Array.isArray(value) ? `${path}[${key}]` : name;
		const found = findUnsendable(child, isEntered, place, depth + 1);
		if (found) return found;
	}
	return undefined;
}

function problemOf(value: unknown): Unsendable['kind'] | undefined {
	switch (typeof value) {
		case 'string':
			// What JavaScript writes for an object in a text, such as a file's record in quotes.
			if (value.includes('[object Object]')) return 'objectInText';
			return isOfStorage(value) ? 'file' : undefined;
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

/**
 * Also if it is in a data URI, in place of an image. Web addresses such as `s3://bucket/key` are the
 * user's own.
 */
function isOfStorage(text: string): boolean {
	if (text.length >= MAX_ID_LENGTH) return false;
	const content = withoutDataUri(text.trim()) ?? '';
	const isId = (name: string) =>
		content.startsWith(`${name}:`) && !content.startsWith(`${name}://`);
	return STORAGES.some((name) => content === name || isId(name));
}

function isFileRecord(value: object | null): boolean {
	return isRecord(value) && 'mimeType' in value && RECORD_KEYS.some((key) => key in value);
}
