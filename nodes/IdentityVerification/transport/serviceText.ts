import type { Endpoint } from '../contract/endpoints';
import { idInText } from '../contract/idInText';
import { isRecord } from '../contract/json';
import { idText, isTextOrNumber } from '../contract/text';
import { THE_REQUEST } from '../errors/nodeErrors';
import { withoutSecrets } from '../errors/secrets';
import type { Secrets } from '../errors/secrets';

/**
 * How many characters are searched for secrets. Secrets are much shorter than the difference to
 * MAX_READ, so one that is cut off here is never shown.
 */
const MAX_SEARCHED = 100_000;

/** How many characters are searched for a message. */
const MAX_READ = 10_000;

/** How many characters of a message are shown. */
const MAX_SHOWN = 200;

/**
 * How many characters are searched for an ID, which is usually at the beginning. There is a limit
 * because the search takes longer than parsing.
 */
const MAX_SEARCHED_FOR_ID = 1024 * 1024;

const TEXT_KEYS = ['message', 'error', 'detail', 'description', 'title', 'code'];

/**
 * The text that the service sent with an error, for a message to users. The interface doesn't
 * document the shape of an error body (interface.md#errors), so only a short text under a usual
 * name is used, up to where data begins in it. Secrets, and anything that looks like a key or an
 * image, are removed.
 * @returns empty if there is none
 */
export function serviceText(body: unknown, secrets: Secrets): string {
	const whole = withoutSecrets(textOf(body).slice(0, MAX_SEARCHED), secrets).slice(0, MAX_READ);
	return shortened(inOneLine(withoutTokens(untilData(whole))));
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
	const found =
		(isRecord(body) && idText(body[id.field])) ||
		idInText(text.slice(0, MAX_SEARCHED_FOR_ID), id.field);
	return found && withoutSecrets(found, secrets) === found ? `${id.name} ${found}` : THE_REQUEST;
}

/** Cuts a text where JSON begins in it, because that could contain personal data. */
function untilData(text: string): string {
	return text.replace(/[{[].*/s, '');
}

/** Removes anything that looks like a key or the base64 text of an image. */
function withoutTokens(text: string): string {
	return text.replace(/[\w+/=-]{32,}/g, '…');
}

function inOneLine(text: string): string {
	return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

function shortened(text: string): string {
	return text.slice(0, MAX_SHOWN).trimEnd();
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
