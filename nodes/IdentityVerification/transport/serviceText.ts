import type { Endpoint } from '../contract/endpoints';
import { idInText, isRecord } from '../contract/json';
import { idText, isTextOrNumber } from '../contract/text';
import { THE_REQUEST } from '../errors/nodeErrors';
import { withoutSecrets } from '../errors/secrets';
import type { Secrets } from '../errors/secrets';

/**
 * Characters searched for secrets. The secrets among them are shorter, so a cut one isn't among the
 * first MAX_READ.
 */
const MAX_SEARCHED = 100_000;

/** Characters searched for a message. */
const MAX_READ = 10_000;

/** Characters of a message that are shown. */
const MAX_SHOWN = 200;

/**
 * Characters searched for an ID: the search takes longer than parsing. The ID is usually at the
 * beginning.
 */
const MAX_SEARCHED_FOR_ID = 1024 * 1024;

const TEXT_KEYS = ['message', 'error', 'detail', 'description', 'title', 'code'];

/**
 * The text that the service sent with an error, for a message to users. The interface doesn't show
 * the shape of an error body (interface.md#errors), so only a short text under a usual name is
 * taken, up to where data begins in it. Secrets, and all that looks like a key or an image, are
 * left out.
 * @returns empty if there is none
 */
export function serviceText(body: unknown, secrets: Secrets): string {
	const whole = withoutSecrets(textOf(body).slice(0, MAX_SEARCHED), secrets).slice(0, MAX_READ);
	return shortened(inOneLine(withoutTokens(untilData(whole))));
}

/**
 * What to look up in the service's portal, such as `transaction 4f3a`. The ID is found even in an
 * answer that is cut off or can't be parsed.
 * @param answer its text, and what was parsed from it, if anything
 */
export function subjectOf(
	{ id }: Endpoint<never, unknown>,
	{ text, body }: { text: string; body?: unknown },
	secrets: Secrets,
): string {
	// In the text, a number has all its digits.
	const found =
		(isRecord(body) && idText(body[id.field])) ||
		idInText(text.slice(0, MAX_SEARCHED_FOR_ID), id.field);
	return found && withoutSecrets(found, secrets) === found ? `${id.name} ${found}` : THE_REQUEST;
}

/** JSON in a text can hold anything. */
function untilData(text: string): string {
	return text.replace(/[{[].*/s, '');
}

/** Keys, and base64 of images. */
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

/** An HTML page says what it is in its title; broken JSON could hold anything. */
function plainText(body: string): string {
	const start = body.trimStart().slice(0, MAX_SEARCHED);
	if (start.startsWith('<')) return /<title[^<>]*>([^<]*)<\/title>/i.exec(start)?.[1] ?? '';
	return /^[[{"]/.test(start) ? '' : start;
}
