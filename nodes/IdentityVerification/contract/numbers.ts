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
