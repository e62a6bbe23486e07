import { isRecord } from '../../contract/json';

/** Beside `mimeType`, one of these makes an object n8n's record of a file. */
const RECORD_KEYS = ['id', 'data', 'fileExtension', 'fileType'];

/** `$binary.back.data`, or the same of another node's item. */
const CONTENT_OF_FILE = /\bbinary(\??\.\w+|(\?\.)?\[[^\]]*\])\??\.data\b/;

/**
 * Looks for n8n's record of a file in a value, at any depth.
 * @returns its path, such as `pages[0].back`; empty if the value is one; undefined if there is none
 */
export function pathOfFileRecord(value: unknown): string | undefined {
	if (typeof value !== 'object' || value === null) return undefined;
	if (isFileRecord(value)) return '';
	for (const [key, child] of Object.entries(value)) {
		const path = pathOfFileRecord(child);
		if (path === undefined) continue;
		const name = Array.isArray(value) ? `[${key}]` : key;
		return /^(\[|$)/.test(path) ? name + path : `${name}.${path}`;
	}
	return undefined;
}

/** Whether an expression reads a file's content. n8n gives it nothing, or its storage's name. */
export function readsFileContent(entered: unknown): boolean {
	return typeof entered === 'string' && entered.startsWith('=') && CONTENT_OF_FILE.test(entered);
}

function isFileRecord(value: object): boolean {
	return isRecord(value) && 'mimeType' in value && RECORD_KEYS.some((key) => key in value);
}
