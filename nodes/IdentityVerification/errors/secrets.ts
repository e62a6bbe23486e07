import type { Service } from '../credential';

/** What no text may contain that is shown, logged or stored. */
export type Secrets = Pick<Service, 'apiKey' | 'webhookSecret'>;

/** Fewer letters and digits occur in any text by chance. */
const MIN_COMPARED = 4;

/** A run of fewer can be a word, such as `identity`, that a key contains and other texts, too. */
const RUN = 12;

/** How often a text is decoded, because it may be encoded as part of an encoded one. */
const MAX_ROUNDS = 5;

/** Characters that n8n's HTTP client removes from headers. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/g;

const HTML_CHARACTERS: Partial<Record<string, string>> = {
	amp: '&',
	lt: '<',
	gt: '>',
	quot: '"',
	apos: "'",
};

/**
 * Whether a text contains a secret of the credential, or the secret of any webhook as a URL or a
 * header has it. Letters and digits are compared, after decoding, because a text may show a secret
 * escaped, wrapped or in capitals. Twelve in a row are enough, of the secret or of its base64 text,
 * because it may be cut off, or escaped in a way that isn't decoded.
 */
export function holdsSecret(text: string, { apiKey, webhookSecret }: Secrets): boolean {
	const plain = decoded(text);
	const letters = lettersOf(plain);
	const isIn = (secret: string) => {
		const wanted = lettersOf(decoded(secret));
		if (wanted.length < MIN_COMPARED) return text.includes(secret) || plain.includes(secret);
		const base64 = lettersOf(Buffer.from(secret).toString('base64'));
		return sharesRun(letters, wanted) || sharesRun(letters, base64);
	};
	const asSent = apiKey.replace(NOT_IN_HEADERS, '');
	return (
		/x-webhook-secret|secret["'\s]*=/i.test(plain) ||
		[...new Set([apiKey, asSent, webhookSecret])].filter(Boolean).some(isIn)
	);
}

/** Whether a text has a run of the wanted one, or all of it if it is shorter than that. */
function sharesRun(text: string, wanted: string): boolean {
	const length = Math.min(RUN, wanted.length);
	const runs = Array.from({ length: wanted.length - length + 1 }, (_, at) =>
		wanted.slice(at, at + length),
	);
	return runs.some((run) => text.includes(run));
}

function lettersOf(text: string): string {
	return text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}

/** Decodes `%41`, `&#65;`, `&amp;` and `\u0041` until nothing changes. */
function decoded(text: string): string {
	let result = text;
	for (let round = 0; round < MAX_ROUNDS; round++) {
		const before = result;
		result = decodedOnce(before);
		if (result === before) break;
	}
	return result;
}

function decodedOnce(text: string): string {
	return text
		.replace(/(?:%[\da-f]{2})+/gi, (bytes) =>
			Buffer.from(bytes.replaceAll('%', ''), 'hex').toString(),
		)
		.replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
		.replace(/&#0*(\d{1,7});/g, (_, code: string) => characterOf(Number(code)))
		.replace(/&#x0*([\da-f]{1,6});/gi, (_, code: string) => characterOf(parseInt(code, 16)))
		.replace(/&([a-z]{2,4});/g, (entity, name: string) => HTML_CHARACTERS[name] ?? entity);
}

function characterOf(code: number): string {
	return code <= 0x10_ffff ? String.fromCodePoint(code) : '';
}
