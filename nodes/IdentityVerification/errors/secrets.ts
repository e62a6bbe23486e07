import type { Service } from '../credential';

/** What no text may contain that is shown, logged or stored. */
export type Secrets = Pick<Service, 'apiKey' | 'webhookSecret'>;

/** A shorter secret occurs in ordinary words, and the gaps that it leaves would reveal it. */
const MIN_REMOVABLE_LENGTH = 4;

/** Characters that n8n's HTTP client removes from headers. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/g;

/** The HTML entities of the characters that are usually escaped. */
const HTML_NAMES: Partial<Record<string, string>> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": 'apos',
};

/**
 * Any secret in the URL or header of a webhook, not only the credential's. The URL may be escaped,
 * or encoded as part of another one.
 */
const WEBHOOK_SECRET = new RegExp(
	`((?:secret["']?${anyFormOfCharacter('=')}|x-webhook-secret["']?:\\s*)[["'\\\\]*)[^\\s"'&#<>]+`,
	'giu',
);

/**
 * Removes the secrets from a text of the service: as they are in the credential, as they were sent,
 * URL-encoded, and escaped as in HTML or JSON. It also removes the value of `secret=` in any URL.
 * @returns an empty text if the text contains a secret that is too short to be removed
 */
export function withoutSecrets(text: string, { apiKey, webhookSecret }: Secrets): string {
	const asSent = apiKey.replace(NOT_IN_HEADERS, '').trim();
	const secrets = [...new Set([apiKey, asSent, webhookSecret])].filter(Boolean);
	if (secrets.some((secret) => secret.length < MIN_REMOVABLE_LENGTH && text.includes(secret))) {
		return '';
	}
	return (
		secrets
			// The longest first, because one secret can begin with another.
			.sort((a, b) => b.length - a.length)
			.reduce((rest, secret) => rest.replace(anyFormOf(secret), '…'), text)
			.replace(WEBHOOK_SECRET, '$1…')
	);
}

/** Matches a secret in which each character may be encoded or escaped. */
function anyFormOf(secret: string): RegExp {
	return new RegExp([...secret].map(anyFormOfCharacter).join(''), 'giu');
}

/**
 * A pattern for one character: as it is, with a backslash, percent-encoded even repeatedly, escaped
 * as in JSON, or as an HTML entity.
 */
function anyFormOfCharacter(character: string): string {
	const bytes = [...Buffer.from(character)].map((byte) => hexadecimal(byte, 2));
	const units = [...Buffer.from(character, 'utf16le').swap16().toString('hex').matchAll(/.{4}/g)];
	const code = character.codePointAt(0) ?? 0;
	const name = HTML_NAMES[character];
	const forms = [
		`\\\\?${character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')}`,
		bytes.map((byte) => `%(?:25)*${byte}`).join(''),
		units.map(([unit]) => `\\\\u${unit}`).join(''),
		`&#(?:0*${code}|x0*${hexadecimal(code)});`,
		...(name ? [`&${name};`] : []),
		// Forms encode a space as +.
		...(character === ' ' ? ['\\+'] : []),
	];
	return `(?:${forms.join('|')})`;
}

function hexadecimal(value: number, digits = 1): string {
	return value.toString(16).padStart(digits, '0');
}
