import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

import { keyFor } from './secretKey';

// Frozen after 0.1.0, because links stay open for weeks: the version, the purpose, which is part of
// the key, the cipher, and the order of its parts. A newer form gets a version of its own.

/** Names the encryption, so that it can change without breaking links that are open. */
const VERSION = 'w1';

const PURPOSE = 'address of a waiting execution';
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * A value with an address appended. 126 characters are the 94 bytes of the shortest one: IV, an ID
 * of one digit, a colon, a token of 64 characters, and the tag. 512 leave room for longer IDs and
 * tokens. Blanks after it do no harm: a database column of fixed length appends them.
 */
const WITH_ADDRESS = new RegExp(
	`^(?<value>.*)\\.${VERSION}\\.(?<address>[\\w-]{126,512})\\s*$`,
	's',
);

/**
 * Where an address begins, in any case. 16 characters are its IV: after fewer, an own value could
 * end like this by chance.
 */
const WITH_BEGINNING = new RegExp(`^(?<value>.*)\\.${VERSION}\\.[\\w-]{16}`, 'is');

/** An execution that waits for a result. */
export interface WaitingExecution {
	executionId: string;
	/** What n8n requires to resume the execution. */
	resumeToken: string;
}

/** Custom Data of a link that an execution waits for, as it came back. */
export type AwaitedCustomData = AddressedValue | DamagedValue;

/** An address that looks whole. */
export interface AddressedValue {
	kind: 'addressed';
	/** The caller's own value. */
	value: string;
	/** Where the result belongs; only `openAddress` can read it. */
	address: string;
}

/**
 * An address that was cut off, or changed in a way that shows, such as `.W1.` or a line break in
 * the middle.
 */
export interface DamagedValue {
	kind: 'damaged';
	/** The caller's own value, as far as it came back. */
	value: string;
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

/**
 * Splits Custom Data; undefined when no address was appended, so that all of it is the caller's
 * own.
 */
export function splitAddress(customData: unknown): AwaitedCustomData | undefined {
	if (typeof customData !== 'string') return undefined;
	const whole = WITH_ADDRESS.exec(customData)?.groups;
	if (whole) return { kind: 'addressed', value: whole.value ?? '', address: whole.address ?? '' };
	const beginning = WITH_BEGINNING.exec(customData)?.groups;
	return beginning && { kind: 'damaged', value: beginning.value ?? '' };
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
