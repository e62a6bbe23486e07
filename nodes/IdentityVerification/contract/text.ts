import { parseUrl } from '../parseUrl';

/**
 * Whether parsing has certainly kept all digits before the decimal point. Larger numbers lose their
 * last digits.
 */
export function keepsDigits(number: number): boolean {
	return Number.isSafeInteger(number) || (Number.isFinite(number) && !Number.isInteger(number));
}

/** How many digits a number certainly keeps when it is parsed. */
const EXACT_DIGITS = 15;

/** Whether parsing has certainly kept all digits of a number. */
export function isExact(number: number): boolean {
	const isPlain = /^-?[\d.]+$/.test(String(number));
	const digits = String(number).replace(/\D/g, '').replace(/^0+/, '');
	return (
		keepsDigits(number) && isPlain && (Number.isInteger(number) || digits.length <= EXACT_DIGITS)
	);
}

/** Whether the value is a string, or an exact number in place of one, which is tolerated. */
export function isTextOrNumber(value: unknown): value is string | number {
	return typeof value === 'string' || (typeof value === 'number' && isExact(value));
}

/**
 * An ID of the service, for a message. Empty if the value doesn't look like an ID, because it could
 * then be anything.
 */
export function idText(value: unknown): string {
	return isTextOrNumber(value) && /^[\w.:/-]{1,64}$/.test(String(value)) ? String(value) : '';
}

/** Whether a value is a web address. The images of a webhook have none (interface.md#result). */
export function isWebAddress(value: unknown): value is string {
	return typeof value === 'string' && /^https?:/i.test(value) && parseUrl(value) !== undefined;
}
