import type { BodyText } from './decode';
import { isRecord, parseJson } from './json';
import { NO_OBJECT } from './read';
import type { ParsedBody, Reading } from './read';

/**
 * A number that Python writes and JSON doesn't have, where JSON has a value. It also matches within
 * a text such as `"a, NaN, b"`.
 */
const NOT_JSON = /([:[,]\s*)-?(?:NaN|Infinity)(?=\s*[,\]}])/g;

/** What identifies something, in a result or a link. Must never become something else. */
const IDS = ['transactionId', 'profileId', 'customData', 'hosted', 'reference', 'url'];

/**
 * Parses a body of the service as JSON. It may begin with a byte order mark. A text that isn't JSON
 * is read once more, with `NaN` and `Infinity` as null. The replacement can also change texts, so an
 * ID that the body doesn't contain as it is then is left out. A body with bytes that aren't text
 * counts as repaired as well.
 */
export function parseBody({ text, isWhole }: BodyText): Reading<ParsedBody> {
	const json = parseJson(text.trim());
	if (json !== undefined) return { ok: true, value: { json, isRepaired: !isWhole } };
	const repaired = parseJson(text.trim().replace(NOT_JSON, '$1null'));
	if (repaired === undefined) return NO_OBJECT;
	return { ok: true, value: { json: withoutChangedIds(repaired, text), isRepaired: true } };
}

/**
 * Parses an answer with a status of success. If it isn't an object as it is, it is read once more
 * from its first `{` to its last `}`, because a line of PHP or of a proxy can be before or after it.
 * Such an object counts as repaired, and only if it has all of the essential fields.
 */
export function parseAnswer(body: BodyText, essential: readonly string[]): Reading<ParsedBody> {
	const whole = parseBody(body);
	if (whole.ok && isRecord(whole.value.json)) return whole;
	const text = body.text.slice(body.text.indexOf('{'), body.text.lastIndexOf('}') + 1);
	const part = parseBody({ ...body, text });
	const json = part.ok ? part.value.json : undefined;
	if (!isRecord(json) || essential.some((key) => (json[key] ?? '') === '')) return NO_OBJECT;
	return { ok: true, value: { json, isRepaired: true } };
}

function withoutChangedIds(json: unknown, text: string): unknown {
	if (!isRecord(json)) return json;
	const changed = IDS.filter((key) => {
		const id = json[key];
		return typeof id === 'string' && id.includes('null') && !text.includes(JSON.stringify(id));
	});
	return { ...json, ...Object.fromEntries(changed.map((key) => [key, null])) };
}
