/** A JSON object. */
export type Body = Record<string, unknown>;

/** Whether the value is a JSON object, and neither a list nor null. */
export function isRecord(value: unknown): value is Body {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON; returns undefined if the text isn't JSON. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/** JSON that is parsed as infinity, which stands for a number that can't be known. */
export const INFINITE = '1e999';

/**
 * Writes a parsed value as JSON. An infinite number stays infinite. JSON.stringify would write
 * null, which counts as absent, so an accept beside such an `error` could be trusted.
 */
export function jsonText(value: object): string {
	// Stands for the number until all is written. It is random, so that no sender can send it.
	const placeholder = `infinite ${Math.random()}`;
	const withTexts = (_: string, part: unknown) =>
		typeof part === 'number' && !Number.isFinite(part) ? placeholder : part;
	return JSON.stringify(value, withTexts).replaceAll(`"${placeholder}"`, INFINITE);
}
