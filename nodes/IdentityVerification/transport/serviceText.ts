import { isRecord, isTextOrNumber } from '../contract';

const MAX_LENGTH = 200;

/** Characters searched for a message. */
const MAX_READ = 10_000;

const TEXT_KEYS = ['message', 'error', 'detail', 'description', 'title', 'code'];

/** Such as `PROFILE_NOT_FOUND`. In a sentence or with digits, it could be the name of a file. */
const CODE = /^[A-Z]+(?:_[A-Z]+)+$/;

/** What n8n's HTTP client leaves out of a header. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/g;

/**
 * The text that the service sent with an error, for a message to users. The interface doesn't show
 * the shape of an error body, so only a short text under a usual name is taken, up to where data
 * begins in it. The API key and anything that looks like a key or an image is left out.
 */
export function serviceText(body: unknown, apiKey: string): string {
	return cleaned(textsOf(body)[0] ?? '', apiKey).slice(0, MAX_LENGTH);
}

/** The same without personal data: a text is taken only if all of it looks like an error code. */
export function serviceCode(body: unknown, apiKey: string): string {
	const texts = textsOf(body).map((text) => text.trim());
	const code = texts.find((text) => CODE.test(text) && cleaned(text, apiKey) === text) ?? '';
	const rest = texts.some((text) => text !== code)
		? '(its text is left out with Decision Only)'
		: '';
	return `${code} ${rest}`.trim();
}

/** Without keys, images and data. */
function cleaned(text: string, apiKey: string): string {
	// The service may show the key as it got it.
	return [apiKey, apiKey.replace(NOT_IN_HEADERS, '').trim()]
		.filter(Boolean)
		.reduce((rest, key) => rest.replaceAll(key, '…'), text.slice(0, MAX_READ))
		.replace(/[{[].*$/s, '')
		.replace(/[\w+/=-]{32,}/g, '…')
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
}

/** Texts under usual names, or within an object there. */
function textsOf(body: unknown): string[] {
	if (typeof body === 'string') return [plainText(body)].filter(Boolean);
	return usualValues(body)
		.flatMap((value) => (isRecord(value) ? usualValues(value) : [value]))
		.filter(isTextOrNumber)
		.map(String);
}

function usualValues(body: unknown): unknown[] {
	return isRecord(body) ? TEXT_KEYS.map((key) => body[key]).filter(Boolean) : [];
}

/** An HTML page says what it is in its title; broken JSON could hold anything. */
function plainText(body: string): string {
	const start = body.trimStart().slice(0, MAX_READ);
	if (start.startsWith('<')) return /<title[^>]*>([^<]*)<\/title>/i.exec(start)?.[1] ?? '';
	return /^[[{"]/.test(start) ? '' : start;
}
