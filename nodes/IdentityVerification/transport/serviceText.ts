import { isRecord, isText } from '../contract';

const MAX_LENGTH = 200;

/** Of a text or page, what is looked at. */
const MAX_READ = 10_000;

const TEXT_KEYS = ['message', 'error', 'detail', 'description', 'title', 'code'];

/**
 * The text that the service sent with an error status, for a message to users. The shape of an error
 * body is not shown (§7), so only short texts under usual names are taken, up to where data
 * begins in them. The API key and anything that looks like a key or an image is left out.
 */
export function serviceText(body: unknown, apiKey: string): string {
	const text = textOf(body).slice(0, MAX_READ);
	return (apiKey ? text.replaceAll(apiKey, '…') : text)
		.replace(/[{[].*$/s, '')
		.replace(/[\w+/=-]{32,}/g, '…')
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim()
		.slice(0, MAX_LENGTH);
}

function textOf(body: unknown): string {
	if (typeof body === 'string') return plainText(body);
	const text = usualText(body);
	const inner = isRecord(text) ? usualText(text) : text;
	return isText(inner) ? String(inner) : '';
}

function usualText(body: unknown): unknown {
	return isRecord(body) ? TEXT_KEYS.map((key) => body[key]).find(Boolean) : undefined;
}

/** An HTML page says what it is in its title; broken JSON could hold anything. */
function plainText(body: string): string {
	const start = body.trimStart().slice(0, MAX_READ);
	if (start.startsWith('<')) return /<title[^>]*>([^<]*)<\/title>/i.exec(start)?.[1] ?? '';
	return /^[[{"]/.test(start) ? '' : start;
}
