import type { Service } from '../credential';

/** What no text may hold that a user sees, or that is logged or stored. */
export type Secrets = Pick<Service, 'apiKey' | 'webhookSecret'>;

/** A shorter secret is part of ordinary words, and the gaps that it leaves would tell it. */
const MIN_SECRET_LENGTH = 4;

/** What n8n's HTTP client leaves out of a header. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/g;

/**
 * The secret in a webhook's URL or header, whoever's it is: the URL may be encoded as a part of
 * another one.
 */
const WEBHOOK_SECRET =
	/((?:secret["']?(?:=|%(?:25)*3d)|x-webhook-secret["']?:\s*)["']?)[^\s"'&#<>]+/gi;

/**
 * Takes the secrets out of a text of the service: as they are in the credential, as they were sent,
 * and URL-encoded, and whatever a URL in it has as `secret=`.
 * @returns an empty text if it holds a secret that is too short to be taken out
 */
export function withoutSecrets(text: string, { apiKey, webhookSecret }: Secrets): string {
	const asSent = apiKey.replace(NOT_IN_HEADERS, '').trim();
	const secrets = [...new Set([apiKey, asSent, webhookSecret])].filter(Boolean);
	if (secrets.some((secret) => secret.length < MIN_SECRET_LENGTH && text.includes(secret))) {
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

/**
 * Matches a secret each of whose characters may be percent-encoded, even repeatedly, or escaped as
 * in JSON.
 */
function anyFormOf(secret: string): RegExp {
	return new RegExp([...secret].map(anyFormOfCharacter).join(''), 'giu');
}

function anyFormOfCharacter(character: string): string {
	const asItIs = character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
	const bytes = [...Buffer.from(character)];
	const encoded = bytes.map((byte) => `%(?:25)*${byte.toString(16).padStart(2, '0')}`).join('');
	// A form has + for a space.
	return `(?:\\\\?${asItIs}|${encoded}${character === ' ' ? '|\\+' : ''})`;
}
