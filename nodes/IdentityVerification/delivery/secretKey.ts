import { createHmac } from 'node:crypto';

/**
 * A separate key for each purpose, so that nothing made for one is accepted for another.
 * @param secret the credential's webhook secret, not empty
 */
export function keyFor(secret: string, purpose: string): Buffer {
	// Frozen after 0.1.0: open links were encrypted with it.
	return createHmac('sha256', secret)
		.update(`n8n-nodes-identity-verification: ${purpose}`)
		.digest();
}
