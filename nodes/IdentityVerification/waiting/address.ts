import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

/** Names the encryption, so that it can change without breaking links that are open. */
const VERSION = 'w1';

const PURPOSE = 'address of a waiting execution';
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A value with an address appended, which is so long that no value ends like this by chance. */
const WITH_ADDRESS = new RegExp(`^(?<value>.*)\\.${VERSION}\\.(?<address>[\\w-]{126,512})$`, 's');

/** An execution that waits for a result. */
export interface WaitingExecution {
	executionId: string;
	/** What n8n requires to resume the execution. */
	resumeToken: string;
}

/** Custom Data as it returns from a link that an execution waits for. */
export interface AddressedValue {
	/** The caller's own value. */
	value: string;
	/** Where the result belongs; only `openAddress` can read it. */
	address: string;
}

/**
 * Appends the address of an execution to the caller's value: `value.w1.address`. It is encrypted,
 * because the service and the end user see Custom Data, and bound to profile and value.
 * @param secret the credential's webhook secret, not empty
 * @param profile profile ID that the link is created for
 */
export function addAddress(
	secret: string,
	profile: string,
	value: string,
	{ executionId, resumeToken }: WaitingExecution,
): string {
	const iv = randomBytes(IV_BYTES);
	const cipher = createCipheriv(CIPHER, keyFor(secret, PURPOSE), iv);
	cipher.setAAD(boundTo(profile, value));
	const encrypted = Buffer.concat([
		iv,
		cipher.update(Buffer.from(`${executionId}:${resumeToken}`)),
		cipher.final(),
		cipher.getAuthTag(),
	]);
	return `${value}.${VERSION}.${encrypted.toString('base64url')}`;
}

/** Splits Custom Data; undefined when no address is appended. */
export function splitAddress(customData: unknown): AddressedValue | undefined {
	if (typeof customData !== 'string') return undefined;
	return WITH_ADDRESS.exec(customData)?.groups as AddressedValue | undefined;
}

/** Reads an address; undefined unless it was made with this secret for this profile and value. */
export function openAddress(
	secret: string,
	profile: string,
	{ value, address }: AddressedValue,
): WaitingExecution | undefined {
	const bytes = Buffer.from(address, 'base64url');
	const decipher = createDecipheriv(CIPHER, keyFor(secret, PURPOSE), bytes.subarray(0, IV_BYTES));
	decipher.setAAD(boundTo(profile, value));
	decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
	try {
		const encrypted = bytes.subarray(IV_BYTES, -TAG_BYTES);
		const text = Buffer.concat([decipher.update(encrypted), decipher.final()]).toString();
		const [executionId = '', resumeToken = ''] = text.split(':');
		return { executionId, resumeToken };
	} catch {
		return undefined;
	}
}

/** JSON keeps the parts apart, whatever they hold, and writes lone surrogates unambiguously. */
function boundTo(profile: string, value: string): Buffer {
	return Buffer.from(JSON.stringify([VERSION, profile, value]));
}

/** A key for one purpose only, so that nothing made for one passes for another. */
export function keyFor(secret: string, purpose: string): Buffer {
	return createHmac('sha256', secret)
		.update(`n8n-nodes-identity-verification: ${purpose}`)
		.digest();
}
