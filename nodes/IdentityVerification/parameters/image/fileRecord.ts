import { isRecord, parseJson } from '../../contract/json';

/**
 * An object with `mimeType` and one of these keys is n8n's record of a file. `data` isn't enough,
 * because expressions get the record of a file in memory without it.
 */
const RECORD_KEYS = ['id', 'data', 'fileExtension', 'fileType', 'fileSize', 'bytes'];

/**
 * Matches `$binary.back.data`, or the same for another node's item, however the properties are
 * written.
 */
const CONTENT_OF_FILE =
	/\bbinary\s*(\??\.\s*[\p{ID_Continue}$]+|(\?\.)?\s*\[[^\]]*\])\s*(\??\.\s*data\b|(\?\.)?\s*\[\s*['"`]data['"`]\s*\])/u;

/** What n8n returns in place of the content of a file on disk. */
const PLACEHOLDER = /^filesystem(-v2)?$/;

/** The ID of a file in one of n8n's storages, anywhere in a text. Web addresses don't count. */
const STORED_FILE = /\b(filesystem(-v2)?|s3|azure|database):(?!\/\/)[^\s"'\\]*[\da-f-]{36}/i;

/**
 * A longer text isn't parsed: a record has hundreds of characters, and a list of them thousands.
 */
const MAX_RECORD_LENGTH = 100_000;

/**
 * Looks for n8n's record of a file in a value, at any depth and also as text, and for what n8n
 * returns in place of a file's content.
 * @returns the path to it, such as `pages[0].back`; empty if it is the value itself; undefined if
 * there is none
 */
export function pathOfFileRecord(value: unknown): string | undefined {
	if (typeof value === 'string') return isTextOfFile(value) ? '' : undefined;
	if (typeof value !== 'object' || value === null) return undefined;
	if (isFileRecord(value)) return '';
	for (const [key, child] of Object.entries(value)) {
		const path = isTextOfFile(key) ? '' : pathOfFileRecord(child);
		if (path === undefined) continue;
		const name = Array.isArray(value) ? `[${key}]` : key;
		return /^(\[|$)/.test(path) ? name + path : `${name}.${path}`;
	}
	return undefined;
}

/**
 * Whether an expression reads a file's content. It would get nothing, or the name of n8n's storage.
 */
export function readsFileContent(entered: unknown): boolean {
	return typeof entered === 'string' && entered.startsWith('=') && CONTENT_OF_FILE.test(entered);
}

function isFileRecord(value: object): boolean {
	return isRecord(value) && 'mimeType' in value && RECORD_KEYS.some((key) => key in value);
}

function isTextOfFile(text: string): boolean {
	if (PLACEHOLDER.test(text) || STORED_FILE.test(text)) return true;
	if (text.length > MAX_RECORD_LENGTH || !/^\s*[{["]/.test(text)) return false;
	const parsed = parseJson(text);
	return parsed !== undefined && parsed !== text && pathOfFileRecord(parsed) !== undefined;
}
