import type { Body } from './json';
import { MAX_DEPTH } from './limits';
import { Places } from './places';
import type { Place } from './places';
import { keepsDigits } from './text';

/** Stands for what is nested too deeply. No documented field contains text at this depth. */
export const LEFT_OUT = 'Left out: nested too deeply';

/**
 * Changes a body so that n8n can store it: what is nested too deeply becomes a note, and an
 * infinite number becomes null.
 * @returns what was replaced
 */
export function makeStorable(body: Body): Places {
	const replaced = Places.none();
	// Nearly every body is storable as it is, which is quick to see.
	if (!isStorable(body)) replaceWithin(body, MAX_DEPTH - 1, undefined, replaced);
	return replaced;
}

/** @param levels how many levels of lists and objects the container may contain */
function replaceWithin(
	container: Body | unknown[],
	levels: number,
	place: Place | undefined,
	replaced: Places,
): void {
	const values = container as Record<string | number, unknown>;
	for (const key of Array.isArray(container) ? container.keys() : Object.keys(container)) {
		const value = values[key];
		const isContainer = typeof value === 'object' && value !== null;
		if (isContainer && levels > 0) {
			replaceWithin(value as Body, levels - 1, { parent: place, key }, replaced);
		} else if (isContainer || (typeof value === 'number' && !Number.isFinite(value))) {
			values[key] = isContainer ? LEFT_OUT : null;
			replaced.add(place, key);
		}
	}
}

/**
 * Whether n8n can store a value as it is.
 * @param levels how many levels of lists and objects the value may have
 */
export function isStorable(value: unknown, levels = MAX_DEPTH): boolean {
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
