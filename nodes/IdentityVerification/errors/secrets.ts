import type { Service } from '../credential';

/** What no text may hold that a user sees, or that is logged or stored. */
export type Secrets = Pick<Service, 'apiKey' | 'webhookSecret'>;

/** A shorter secret is part of ordinary words, and the gaps that it leaves would tell it. */
const MIN_REMOVABLE_LENGTH = 4;

/** What n8n's HTTP client leaves out of a header. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/g;

/** The names that HTML has for characters that it escapes. */
const HTML_NAMES: Partial<Record<string, string>> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": 'apos',
};

/**
 * The secret in a webhook's URL or header, whoever's it is: the URL may be encoded as a part of
 * another one, or escaped.
 */
const WEBHOOK_SECRET = new RegExp(
	`((?:secret["']?${anyFormOfCharacter('=')}|x-webhook-secret["']?:\\s*)["']?)[^\\s"'&#<>]+`,
	'giu',
);

/**
 * Takes the secrets out of a text of the service: as they are in the credential, as they were sent,
 * URL-encoded, and escaped as in HTML or JSON, and whatever a URL in it has as `secret=`.
 * @returns an empty text if it holds a secret that is too short to be taken out
 */
export function withoutSecrets(text: string, { apiKey, webhookSecret }: Secrets): string {
	const asSent = apiKey.replace(NOT_IN_HEADERS, '').trim();
	const secrets = [...new Set([apiKey, asSent, webhookSecret])].filter(Boolean);
	if (secrets.some((secret) => secret.length < MIN_REMOVABLE_LENGTH && text.includes(secret))) {
		return '';
	}
	return (
		secrets
			// One secret can begin with another one.
			.sort((a, b) => b.length - a.length)
			.reduce((rest, secret) => rest.replace(anyFormOf(secret), '…'), text)
			.replace(WEBHOOK_SECRET, '$1…')
	);
}

/** Matches a secret each of whose characters may be encoded or escaped. */
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
		// A form has + for a space.
		...(character === ' ' ? ['\\+'] : []),
	];
	return `(?:${forms.join('|')})`;
}

function hexadecimal(value: number, digits = 1): string {
	return value.toString(16).padStart(digits, '0');
}
