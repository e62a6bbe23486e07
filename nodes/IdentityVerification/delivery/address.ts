import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

import { keyFor } from './secretKey';

// Links stay open for weeks, so all of this is frozen after 0.1.0: the version, the purpose (which
// is part of the key), the cipher, and the order of its parts. A new form needs a new version.

/** Names the encryption, so it can change without breaking open links. */
const VERSION = 'w1';

const PURPOSE = 'address of a waiting execution';
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * A value with an address appended. The shortest address has 126 characters, for 94 bytes: IV, an
 * ID of one digit, a colon, a token of 64 characters, and the tag. 512 leave room for longer IDs
 * and tokens. Spaces after it are allowed, because a database column of fixed length appends them.
 */
const WITH_ADDRESS = new RegExp(
	`^(?<value>.*)\\.${VERSION}\\.(?<address>[\\w-]{126,512})\\s*$`,
	's',
);

/**
 * The beginning of an address, in upper or lower case. It requires the 16 characters of the IV,
 * because with fewer, a caller's own value could match by chance.
 */
const WITH_BEGINNING = new RegExp(`^(?<value>.*)\\.${VERSION}\\.[\\w-]{16}`, 'is');

/**
 * How many characters at the end of Custom Data are searched for an address. There can be much after
 * it, but to search many millions would block n8n.
 */
const END_LENGTH = 1024 * 1024;

/** An execution that waits for a result. */
export interface WaitingExecution {
	executionId: string;
	/** What n8n requires to resume the execution. */
	resumeToken: string;
}

/** The returned Custom Data of a link that an execution waits for. */
export type AwaitedCustomData = AddressedValue | DamagedValue;

/** An address that looks complete. */
export interface AddressedValue {
	kind: 'addressed';
	/** The caller's own value. */
	value: string;
	/** Says where the result belongs; only `openAddress` can read it. */
	address: string;
}

/**
 * An address that was cut off or visibly changed, for example with `.W1.` or a line break in the
 * middle.
 */
export interface DamagedValue {
	kind: 'damaged';
	/** What is left of the caller's own value. */
	value: string;
}

/**
 * Appends the address of an execution to the caller's value: `value.w1.address`. The address is
 * encrypted, because the service and the end user see Custom Data, and it is bound to the profile
 * and the value.
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

/** Splits Custom Data. Undefined if it has no address, so all of it is the caller's own value. */
export function splitAddress(customData: unknown): AwaitedCustomData | undefined {
	if (typeof customData !== 'string') return undefined;
	const endFrom = Math.max(0, customData.length - END_LENGTH);
	const end = customData.slice(endFrom);
	const before = customData.slice(0, endFrom);
	const whole = WITH_ADDRESS.exec(end)?.groups;
	if (whole) {
		return { kind: 'addressed', value: before + whole.value, address: whole.address ?? '' };
	}
	const beginning = WITH_BEGINNING.exec(end)?.groups;
	return beginning && { kind: 'damaged', value: before + beginning.value };
}

/** Reads an address. Undefined unless it was made with this secret for this profile and value. */
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

/** JSON keeps the parts apart, whatever they contain, and encodes lone surrogates unambiguously. */
function boundTo(profile: string, value: string): Buffer {
	return Buffer.from(JSON.stringify([VERSION, profile, value]));
}
