import { createHmac, timingSafeEqual } from 'node:crypto';

import { keyFor } from './secretKey';

const PURPOSE = 'delivery of a result';

export function signDelivery(secret: string, bytes: Uint8Array): string {
	return createHmac('sha256', keyFor(secret, PURPOSE)).update(bytes).digest('base64url');
}

/** Whether a delivery was signed with this secret. An empty one proves nothing. */
export function isSigned(secret: string, bytes: Uint8Array, signature: unknown): boolean {
	if (secret === '' || typeof signature !== 'string') return false;
	const expected = Buffer.from(signDelivery(secret, bytes));
	const received = Buffer.from(signature);
	return received.length === expected.length && timingSafeEqual(received, expected);
}
