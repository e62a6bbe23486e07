/** A JSON object. It is never changed, because trust depends on what was received. */
export type Body = Readonly<Record<string, unknown>>;

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
