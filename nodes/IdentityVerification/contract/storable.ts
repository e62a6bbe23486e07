import { isRecord } from './json';
import type { Body } from './json';
import { MAX_DEPTH } from './bounds';
import { keepsDigits } from './text';

/** Stands for what is nested too deeply. No documented field contains text at this depth. */
const LEFT_OUT = 'Left out: nested too deeply';

/** A body in a form that n8n can store. */
interface StorableBody {
	body: Body;
	/** The fields in which something was replaced. */
	replaced: string[];
}

/**
 * Makes a body that n8n can store: what is nested too deeply becomes a note, and an infinite number,
 * such as `1e400`, becomes null, as JSON has none. The body itself is returned if it is storable, as nearly every one is.
 */
export function makeStorable(body: Body): StorableBody {
	if (isStorable(body)) return { body, replaced: [] };
	const replaced = Object.keys(body).filter((key) => !isStorable(body[key], MAX_DEPTH - 1));
	const parts = replaced.map((key) => [key, storable(body[key], MAX_DEPTH - 1)] as const);
	return { body: { ...body, ...Object.fromEntries(parts) }, replaced };
}

/** @param levels how many levels of lists and objects the value may have */
function storable(value: unknown, levels: number): unknown {
	if (typeof value === 'number') return Number.isFinite(value) ? value : null;
	if (typeof value !== 'object' || value === null) return value;
	if (levels === 0) return LEFT_OUT;
	if (!isRecord(value)) return (value as unknown[]).map((part) => storable(part, levels - 1));
	const parts = Object.entries(value).map(([key, part]) => [key, storable(part, levels - 1)]);
	return Object.fromEntries(parts) as Body;
}

/**
 * Whether n8n can store a value as it is.
 * @param levels how many levels of lists and objects the value may have
 */
function isStorable(value: unknown, levels = MAX_DEPTH): boolean {
	if (typeof value === 'number') return Number.isFinite(value);
	if (typeof value !== 'object' || value === null) return true;
	if (levels === 0) return false;
	if (Array.isArray(value)) {
		for (const element of value) if (!isStorable(element, levels - 1)) return false;
		return true;
	}
	// Faster than a list of its values.
	const object = value as Body;
	for (const key in object) if (!isStorable(object[key], levels - 1)) return false;
	return true;
}

/**
 * Whether a parsed value can be stored and sent as it was written, because no part of it is nested
 * too deeply or is a number that has lost digits.
 */
export function isFaithful(value: unknown, depth = 0): boolean {
	if (typeof value === 'number') return keepsDigits(value);
	if (typeof value !== 'object' || value === null) return true;
	return depth < MAX_DEPTH && Object.values(value).every((part) => isFaithful(part, depth + 1));
}
