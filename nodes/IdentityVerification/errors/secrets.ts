import type { Service } from '../credential';

/** What no text may contain that is shown, logged or stored. */
export type Secrets = Pick<Service, 'apiKey' | 'webhookSecret'>;

/** A run of fewer can be a word, such as `identity`, that a key contains and other texts, too. */
const RUN = 12;

/**
 * Whether a text contains twelve letters or digits in a row of a secret or of its base64 text. Only
 * letters and digits are compared, in either case, because a text may show a secret wrapped, cut off
 * or in capitals. A secret that has fewer is compared whole, as it is.
 */
export function holdsSecret(text: string, { apiKey, webhookSecret }: Secrets): boolean {
	const letters = lettersOf(text);
	const isIn = (secret: string) => {
		const runs = runsOf(lettersOf(secret));
		return runs.length > 0 ? runs.some((run) => letters.includes(run)) : text.includes(secret);
	};
	return [apiKey, webhookSecret]
		.filter(Boolean)
		.some((secret) => isIn(secret) || isIn(Buffer.from(secret).toString('base64')));
}

function runsOf(letters: string): string[] {
	const count = Math.max(0, letters.length - RUN + 1);
	return Array.from({ length: count }, (_, at) => letters.slice(at, at + RUN));
}

function lettersOf(text: string): string {
	return text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}
