import type { IDataObject } from 'n8n-workflow';

/** Where a result (interface.md#result) holds what is known of a person. */
const PERSONAL_KEYS = ['data', 'warning', 'outputImage', 'outputFile'];

/** Keys whose values are of a few words that say nothing about one person. */
const IMPERSONAL_KEYS = ['source', 'code', 'severity', 'decision', 'entity', 'schema', 'status'];

/** All texts of a result that tell something about a person. */
export function personalValues(body: IDataObject): string[] {
	return [...new Set(PERSONAL_KEYS.flatMap((key) => texts(body[key])))].filter(Boolean);
}

/** Those that can't be in a time, an address or an ID by chance. */
export function tellingValues(body: IDataObject): string[] {
	return personalValues(body).filter((value) => value.length > 4 && !/^-?\d{1,5}$/.test(value));
}

function texts(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value)
		.filter(([key]) => !IMPERSONAL_KEYS.includes(key))
		.flatMap(([, child]) => texts(child));
}

/**
 * The same result about a person whom nobody else has: each text that tells something about the
 * person begins with a mark, and the path of an address does.
 */
export function marked(body: IDataObject, mark: string): IDataObject {
	const members = Object.entries(body).map(([key, value]) => [
		key,
		PERSONAL_KEYS.includes(key) ? withMark(value, mark) : value,
	]);
	return Object.fromEntries(members) as IDataObject;
}

function withMark(value: unknown, mark: string): unknown {
	if (typeof value === 'string') {
		const [origin = ''] = /^https?:\/\/[^/]+\//.exec(value) ?? [];
		return value && `${origin}${mark} ${value.slice(origin.length)}`;
	}
	if (Array.isArray(value)) return value.map((entry) => withMark(entry, mark));
	if (typeof value !== 'object' || value === null) return value;
	const members = Object.entries(value).map(([key, child]) => [
		key,
		IMPERSONAL_KEYS.includes(key) ? child : withMark(child, mark),
	]);
	return Object.fromEntries(members);
}
