import { parseUrl } from '../parseUrl';
import { NO_TEXT } from './decode';
import { MAX_ADDRESS_LENGTH } from './bounds';

/**
 * Whether parsing has certainly kept all digits before the decimal point. Larger numbers lose their
 * last digits.
 */
export function keepsDigits(number: number): boolean {
	return Number.isSafeInteger(number) || (Number.isFinite(number) && !Number.isInteger(number));
}

/** A number as text. One with more digits before the decimal point would be rounded. */
const NUMBER = /^-?\d{1,15}(\.\d+)?$/;

/** Reads a number, also if it is written as text. */
export function numberIn(value: unknown): number | undefined {
	if (typeof value === 'number') return value;
	return typeof value === 'string' && NUMBER.test(value) ? Number(value) : undefined;
}

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

/** Whether a value is a web address. The images of a webhook have none (interface.md#result). */
export function isWebAddress(value: unknown): value is string {
	return (
		typeof value === 'string' &&
		value.length <= MAX_ADDRESS_LENGTH &&
		/^https?:/i.test(value) &&
		parseUrl(value) !== undefined
	);
}

/**
 * A stranger's text as a part of a message: in one line, so that it can't add a line of its own, and
 * without characters that change how the rest of the message is shown.
 */
export function inOneLine(text: string): string {
	return text.replace(/[\s\p{Cc}\p{Cf}\p{DI}\u2800]+/gu, ' ').trim();
}

/** Names a character for a message, in which some can't be seen. */
export function nameOfCharacter(character: string): string {
	if (character === ' ') return 'a space';
	if (/^[!-~]$/.test(character)) return `"${character}"`;
	if (/^[\n\v\f\r\u0085\u2028\u2029]$/.test(character)) return 'a line break';
	const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
	return `the character U+${code.padStart(4, '0')}`;
}
