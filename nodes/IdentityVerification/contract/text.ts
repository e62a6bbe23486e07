/** Digits that a number certainly keeps when it is parsed from its text. */
const EXACT_DIGITS = 15;

/** Whether a number is written as it was before JSON was parsed: of larger ones, the last digits are others. */
export function isExact(number: number): boolean {
	if (Number.isInteger(number)) return Number.isSafeInteger(number);
	const [, digits] = /^-?0*([\d.]+)$/.exec(String(number)) ?? [];
	return digits !== undefined && digits.replace('.', '').replace(/^0+/, '').length <= EXACT_DIGITS;
}

/** Whether the value is a text of the interface, for which an exact number is tolerated. */
export function isTextOrNumber(value: unknown): value is string | number {
	return typeof value === 'string' || (typeof value === 'number' && isExact(value));
}

/** An ID of the service, for a message; empty for what doesn't look like one, because it could be anything. */
export function idText(value: unknown): string {
	return isTextOrNumber(value) && /^[\w.:/-]{1,64}$/.test(String(value)) ? String(value) : '';
}

/** Whether a value is a web address, which images of a webhook don't have (interface.md#result). */
export function isWebAddress(value: unknown): value is string {
	return typeof value === 'string' && /^https?:/i.test(value) && URL.canParse(value);
}
