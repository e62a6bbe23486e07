import { createHmac, timingSafeEqual } from 'node:crypto';

import { STRONG_SECRET } from '../credential';
import { keyFor } from './secretKey';

// Frozen after 0.1.0: in the middle of an update, trigger and execution can run in processes of two
// versions.

/** Last part of the path where a Wait for Result receives its result; other nodes have others. */
export const RESULT_PATH = 'identity-verification-result';

/** Holds the proof that a result went through the trigger. */
export const SIGNATURE_HEADER = 'x-identity-verification-signature';

const PURPOSE = 'delivery of a result';

export function signDelivery(secret: string, bytes: Uint8Array): string {
	return createHmac('sha256', keyFor(secret, PURPOSE)).update(bytes).digest('base64url');
}

/**
 * Whether a delivery's bytes were signed with this secret. One that can be guessed proves nothing,
 * nor does an empty one.
 */
export function isDelivery(secret: string, bytes: Uint8Array, signature: unknown): boolean {
	if (!STRONG_SECRET.test(secret) || typeof signature !== 'string') return false;
	const expected = Buffer.from(signDelivery(secret, bytes));
	const received = Buffer.from(signature);
	return received.length === expected.length && timingSafeEqual(received, expected);
}
