/** Why a text isn't accepted as the base64 text of a file. */
export type Base64Refusal =
	| 'otherDataUri'
	| 'percentEncoded'
	| 'escaped'
	| 'otherCharacters'
	| 'tooShort'
	| 'spaces'
	| 'misplacedPadding'
	| 'mixedAlphabets'
	| 'wrongLength';

/** The base64 text found in another text, or why there is none. */
export type Base64Reading =
	| {
			kind: 'base64';
			/**
			 * In the usual alphabet, padded, without white space. It is the given text itself if that
			 * already has this form.
			 */
			text: string;
			/**
			 * Whether the text lacks the usual padding, so only the end of the file shows that it is
			 * complete.
			 */
			needsEnd: boolean;
	  }
	| { kind: 'refused'; why: Base64Refusal };

/** Anything shorter can't be an image: it is a word, an ID, or something that a model made up. */
export const MIN_BASE64_LENGTH = 136;

/**
 * The shortest lines that encoders write. MIME uses 76 characters, PEM 64, and some encoders 60.
 */
const MIN_LINE_LENGTH = 60;

/** Any character that is neither white space nor in one of the two base64 alphabets. */
const FOREIGN = /[^A-Za-z0-9+/=_\- \t\r\n]/;

const REFUSAL_BY_FOREIGN: Partial<Record<string, Base64Refusal>> = {
	'%': 'percentEncoded',
	'\\': 'escaped',
};

const LINE_BREAKS = /[\r\n]\s*/g;

/**
 * Finds the base64 text in what users have: a data URI, a quoted text, lines, the URL-safe
 * alphabet, text without padding. The text can have 20 MB, so it is scanned only a few times, and
 * copied only if it must be changed.
 * @param minLength the least number of characters, unless the text is empty
 */
export function readBase64(given: string, minLength: number): Base64Reading {
	const content = contentOfUri(unquoted(given.trim()));
	if (content === undefined) return refused('otherDataUri');
	const [foreign] = FOREIGN.exec(content) ?? [];
	if (foreign) return refused(REFUSAL_BY_FOREIGN[foreign] ?? 'otherCharacters');
	if (content && content.length < minLength) return refused('tooShort');
	const joined = withoutWhiteSpace(content);
	return joined === undefined ? refused('spaces') : inUsualForm(joined);
}

function refused(why: Base64Refusal): Base64Reading {
	return { kind: 'refused', why };
}

/** Removes the quotation marks of JSON, JavaScript or Python (`b'…'`). */
function unquoted(text: string): string {
	const start = /^b?(["'`])/.exec(text);
	if (!start || text.length < 2 || !text.endsWith(start[1] ?? '')) return text;
	return text.slice(start[0].length, -1).trim();
}

/**
 * The part of a data URI after its comma, or undefined if that isn't base64. Any other text is
 * returned unchanged.
 */
function contentOfUri(text: string): string | undefined {
	if (!/^data:/i.test(text)) return text;
	const comma = text.indexOf(',');
	return /;\s*base64\s*$/i.test(text.slice(0, Math.max(comma, 0)))
		? text.slice(comma + 1).trim()
		: undefined;
}

/**
 * Removes the white space that encoders write. Undefined if there is other white space: a form that
 * is sent without percent-encoding turns each plus sign into a space, and without the spaces, the
 * text could still be valid base64 of a damaged image.
 */
function withoutWhiteSpace(text: string): string | undefined {
	if (!/\s/.test(text)) return text;
	return /[\r\n]/.test(text) ? withoutLineBreaks(text) : unfolded(text);
}

/** Joins lines that, except for the first one, are all indented alike. */
function withoutLineBreaks(text: string): string | undefined {
	const indentations = (text.match(LINE_BREAKS) ?? []).map((gap) => gap.replace(/^.*[\r\n]/s, ''));
	const joined = text.replace(LINE_BREAKS, '');
	return areOfAnEncoder(indentations) && !/\s/.test(joined) ? joined : undefined;
}

/**
 * Joins padded lines that YAML or XML has folded into one, with the same white space between all of
 * them.
 */
function unfolded(text: string): string | undefined {
	const pieces = text.split(/\s+/);
	const gaps = text.match(/\s+/g) ?? [];
	const last = pieces.pop() ?? '';
	const { length = 0 } = pieces[0] ?? '';
	const isRegular =
		length >= MIN_LINE_LENGTH &&
		length % 4 === 0 &&
		pieces.every((piece) => piece.length === length) &&
		last.length <= length &&
		last.length % 4 === 0;
	return isRegular && areOfAnEncoder(gaps) ? pieces.join('') + last : undefined;
}

/**
 * Whether these gaps were written by an encoder rather than left by lost plus signs. An encoder's
 * gaps are all alike. The number of lost plus signs would be a multiple of 4, because so is the
 * length of the text with and without them. Three equal gaps can't be a coincidence.
 */
function areOfAnEncoder(gaps: string[]): boolean {
	const spaces = gaps.join('').length;
	return new Set(gaps).size === 1 && (spaces === 0 || spaces % 4 !== 0 || gaps.length >= 3);
}

/**
 * Converts to the usual alphabet, with padding. The text contains only padding and characters of
 * the two alphabets.
 */
function inUsualForm(text: string): Base64Reading {
	const end = text.indexOf('=');
	const letters = end < 0 ? text.length : end;
	const padding = text.length - letters;
	if (padding > 2 || /[^=]/.test(text.slice(letters))) return refused('misplacedPadding');
	const isUrlSafe = /[-_]/.test(text);
	if (isUrlSafe && /[+/]/.test(text)) return refused('mixedAlphabets');
	const missing = (4 - (text.length % 4)) % 4;
	if (missing > 2 || (missing > 0 && padding > 0)) return refused('wrongLength');
	const usual = isUrlSafe ? text.replaceAll('-', '+').replaceAll('_', '/') : text;
	return {
		kind: 'base64',
		text: usual + '='.repeat(missing),
		needsEnd: missing > 0 && !isUrlSafe,
	};
}
