import { NO_TEXT } from './decode';

/** Whether the value is a string, or a whole and exact number in place of one, which is tolerated. */
export function isTextOrNumber(value: unknown): value is string | number {
	return typeof value === 'string' || Number.isSafeInteger(value);
}

/**
 * Whether the value can identify something. A number that was rounded, and a text in which bytes are
 * missing, would identify something else.
 */
export function isId(value: unknown): value is string | number {
	return isTextOrNumber(value) && !String(value).includes(NO_TEXT);
}

/**
 * An ID of the service, for a message. Empty if the value doesn't look like an ID, because it could
 * then be anything.
 */
export function idText(value: unknown): string {
	return isTextOrNumber(value) && /^[\w.:/-]{1,64}$/.test(String(value)) ? String(value) : '';
}

/** How much of a text is searched for an ID, which is usually at the beginning. */
const MAX_SEARCHED_FOR_ID = 1024 * 1024;

/**
 * Finds an ID in the text of a JSON object that can't be parsed, for example because it is cut off.
 * What follows the ID proves that its end isn't missing. The first text or number of this name is
 * taken, wherever it is.
 * @returns an empty string if there is none, or if it doesn't look like an ID
 */
export function idInText(text: string, field: string): string {
	const found = new RegExp(`"${field}"\\s*:\\s*(?:"([^"]*)"|(\\d+)\\s*[,}])`).exec(
		text.slice(0, MAX_SEARCHED_FOR_ID),
	);
	return idText(found?.[1] ?? found?.[2]);
}
