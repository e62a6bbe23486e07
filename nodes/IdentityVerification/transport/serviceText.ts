import type { Endpoint } from '../contract/endpoints';
import { idInText, idText, isTextOrNumber } from '../contract/ids';
import { isRecord } from '../contract/json';
import { inOneLine } from '../contract/text';
import { THE_REQUEST } from '../errors/nodeErrors';
import { holdsSecret } from '../errors/secrets';
import type { Secrets } from '../errors/secrets';

/** How many characters are searched for a message, and for secrets. */
const MAX_SEARCHED = 100_000;

/** How many characters of a message are shown. */
const MAX_SHOWN = 200;

/** What may be a key or the base64 text of an image, or begins a character in an escaped form. */
const KEY_OR_ESCAPE = /[^\s\-./_]{24}|[%&\\]/;

/** The query parameter and the header with which any webhook sends its secret contain it. */
const SECRET_WORD = /secret/i;

/** Shown in place of a text that may contain one. */
const HIDDEN = '(what the service wrote is hidden because it may contain a key or an image)';

const TEXT_KEYS = ['message', 'error', 'detail', 'description', 'title', 'code'];

/**
 * The text that the service sent with an error, for a message to users. The interface doesn't
 * document the shape of an error body (interface.md#errors), so only a short text under a usual
 * name is used, up to where JSON begins in it, which could contain personal data. A text that may
 * contain a secret is hidden as a whole.
 * @returns empty if there is none
 */
export function serviceText(body: unknown, secrets: Secrets): string {
	const text = textOf(body).slice(0, MAX_SEARCHED);
	const message = text.replace(/[{[].*/s, '');
	if (KEY_OR_ESCAPE.test(message) || SECRET_WORD.test(text) || holdsSecret(text, secrets)) {
		return HIDDEN;
	}
	return inOneLine(message.slice(0, MAX_SHOWN));
}

/**
 * What to look up in the service's portal, such as `transaction 4f3a`. The ID is found even in an
 * answer that is incomplete or can't be parsed.
 * @param answer the text of the answer, and what was parsed from it, if anything
 */
export function subjectOf(
	{ id }: Endpoint<never, unknown>,
	{ text, body }: { text: string; body?: unknown },
	secrets: Secrets,
): string {
	// A large number keeps all its digits only in the text.
	const found = (isRecord(body) && idText(body[id.field])) || idInText(text, id.field);
	return found && !holdsSecret(found, secrets) ? `${id.name} ${found}` : THE_REQUEST;
}

/** The text under a usual name, or within an object there. */
function textOf(body: unknown): string {
	if (typeof body === 'string') return plainText(body);
	const values = usualValues(body).flatMap((value) =>
		isRecord(value) ? usualValues(value) : [value],
	);
	return String(values.find(isTextOrNumber) ?? '');
}

function usualValues(body: unknown): unknown[] {
	return isRecord(body) ? TEXT_KEYS.map((key) => body[key]).filter(Boolean) : [];
}

/**
 * Uses the title of an HTML page. Text that looks like broken JSON isn't used, because it could
 * contain personal data.
 */
function plainText(body: string): string {
	const start = body.trimStart().slice(0, MAX_SEARCHED);
	if (start.startsWith('<')) return /<title[^<>]*>([^<]*)<\/title>/i.exec(start)?.[1] ?? '';
	return /^[[{"]/.test(start) ? '' : start;
}
