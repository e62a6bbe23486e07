import { createHmac, timingSafeEqual } from 'node:crypto';

/** Names the way of signing, so that it can be changed without breaking links that are open. */
const VERSION = 'v1';

const MARK = `.${VERSION}.`;

/** Characters of a SHA-256 in base64url. */
const SIGNATURE_LENGTH = 43;

/**
 * Appends a signature to the caller's value: `value.v1.signature`. The value stays readable, and
 * is found again from the end, whatever characters it holds.
 * @param secret the credential's webhook secret, not empty
 * @param profile profile ID that the link is created for
 */
export function signCustomData(secret: string, profile: string, value: string): string {
	return value + MARK + signature(secret, profile, value);
}

/**
 * Gives back the caller's value when it was signed for this profile with this secret, otherwise
 * undefined. Takes the same time for every wrong signature of the right form.
 */
export function verifyCustomData(
	secret: string,
	profile: string,
	signed: string,
): string | undefined {
	const received = Buffer.from(signed.slice(-SIGNATURE_LENGTH));
	const rest = signed.slice(0, -SIGNATURE_LENGTH);
	if (!rest.endsWith(MARK) || received.length !== SIGNATURE_LENGTH) return undefined;
	const value = rest.slice(0, -MARK.length);
	const expected = Buffer.from(signature(secret, profile, value));
	return timingSafeEqual(expected, received) ? value : undefined;
}

/** JSON keeps the parts apart, whatever they hold, and writes lone surrogates unambiguously. */
function signature(secret: string, profile: string, value: string): string {
	return createHmac('sha256', secret)
		.update(JSON.stringify([VERSION, profile, value]))
		.digest('base64url');
}
