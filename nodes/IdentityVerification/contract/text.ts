import { parseUrl } from '../parseUrl';

/**
 * Whether parsing JSON has certainly kept all digits before the point: of larger numbers, the last
 * ones are others.
 */
export function keepsDigits(number: number): boolean {
	return Number.isSafeInteger(number) || (Number.isFinite(number) && !Number.isInteger(number));
}

/** Digits that a number certainly keeps when it is parsed from its text. */
const EXACT_DIGITS = 15;

/** Whether parsing JSON has certainly kept all digits of a number. */
export function isExact(number: number): boolean {
	const isPlain = /^-?[\d.]+$/.test(String(number));
	const digits = String(number).replace(/\D/g, '').replace(/^0+/, '');
	return (
		keepsDigits(number) && isPlain && (Number.isInteger(number) || digits.length <= EXACT_DIGITS)
	);
}

/** Whether the value is a text of the interface, for which an exact number is tolerated. */
export function isTextOrNumber(value: unknown): value is string | number {
	return typeof value === 'string' || (typeof value === 'number' && isExact(value));
}

/**
 * An ID of the service, for a message; empty for what doesn't look like one, because it could be
 * anything.
 */
export function idText(value: unknown): string {
	return isTextOrNumber(value) && /^[\w.:/-]{1,64}$/.test(String(value)) ? String(value) : '';
}

/** Whether a value is a web address, which images of a webhook don't have (interface.md#result). */
export function isWebAddress(value: unknown): value is string {
	return typeof value === 'string' && /^https?:/i.test(value) && parseUrl(value) !== undefined;
}
