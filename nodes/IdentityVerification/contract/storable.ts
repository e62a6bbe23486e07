import type { Body } from './json';
import { MAX_DEPTH } from './bounds';

/** A body in a form that n8n can store. */
interface StorableBody {
	body: Body;
	/** The fields that were left out. */
	leftOut: string[];
}

/**
 * Leaves out the fields that n8n can't store, each as a whole: what is nested too deeply, or
 * contains an infinite number, such as `1e400`, which JSON doesn't have. Nearly every body is
 * storable, and then returned itself.
 */
export function makeStorable(body: Body): StorableBody {
	if (isStorable(body)) return { body, leftOut: [] };
	const isKept = ([, value]: [string, unknown]) => isStorable(value, MAX_DEPTH - 1);
	const entries = Object.entries(body);
	return {
		body: Object.fromEntries(entries.filter(isKept)),
		leftOut: entries.filter((entry) => !isKept(entry)).map(([key]) => key),
	};
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
