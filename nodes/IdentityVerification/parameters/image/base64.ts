/** Why a text isn't taken for the base64 text of a file. */
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

/** The base64 text that another text holds, or why it holds none. */
export type Base64Reading =
	| {
			kind: 'base64';
			/** In the usual alphabet, padded, without white space: the given text if it is all that. */
			text: string;
			/** Without padding, only the end of the file shows that the text is whole. */
			needsEnd: boolean;
	  }
	| { kind: 'refused'; why: Base64Refusal };

/** Shorter base64 is a word, an ID, or what a model made up. */
export const MIN_BASE64_LENGTH = 136;

/** The shortest lines that encoders write: MIME has 76 characters, PEM 64, and some have 60. */
const MIN_LINE_LENGTH = 60;

/** What is neither base64 text of either alphabet nor white space. */
const FOREIGN = /[^A-Za-z0-9+/=_\- \t\r\n]/;

const REFUSAL_BY_FOREIGN: Partial<Record<string, Base64Refusal>> = {
	'%': 'percentEncoded',
	'\\': 'escaped',
};

const LINE_BREAKS = /[\r\n]\s*/g;

/**
 * Finds the base64 text in what users have: a data URI, a quoted text, lines, the URL-safe
 * alphabet, text without padding. It goes through the text a few times at most, since that can have
 * 20 MB, and copies it only if it has to be changed.
 * @param minLength in characters, for any text that isn't empty
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

/** Without the quotation marks of JSON, JavaScript or Python (`b'…'`) around it. */
function unquoted(text: string): string {
	const start = /^b?(["'`])/.exec(text);
	if (!start || text.length < 2 || !text.endsWith(start[1] ?? '')) return text;
	return text.slice(start[0].length, -1).trim();
}

/**
 * What follows the comma of a data URI, or undefined if that isn't base64; else the text itself.
 */
function contentOfUri(text: string): string | undefined {
	if (!/^data:/i.test(text)) return text;
	const comma = text.indexOf(',');
	return /;\s*base64\s*$/i.test(text.slice(0, Math.max(comma, 0)))
		? text.slice(comma + 1).trim()
		: undefined;
}

/**
 * Takes out the white space that encoders write. Undefined if there is other white space: a form
 * that was sent without percent-encoding turns each plus sign into a space, and what is left can be
 * valid base64 text of a damaged image.
 */
function withoutWhiteSpace(text: string): string | undefined {
	if (!/\s/.test(text)) return text;
	return /[\r\n]/.test(text) ? withoutLineBreaks(text) : unfolded(text);
}

/** Lines, all but the first one indented alike. */
function withoutLineBreaks(text: string): string | undefined {
	const indentations = (text.match(LINE_BREAKS) ?? []).map((gap) => gap.replace(/^.*[\r\n]/s, ''));
	const joined = text.replace(LINE_BREAKS, '');
	return areOfAnEncoder(indentations) && !/\s/.test(joined) ? joined : undefined;
}

/** Padded lines that YAML or XML has put into one, with the same white space between all. */
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
 * Whether spaces are an encoder's, and not what is left of plus signs. They are all alike. If plus
 * signs were lost, their number is a multiple of 4, since the length of the text with them and
 * without them is one. Three equal gaps are no chance.
 */
function areOfAnEncoder(gaps: string[]): boolean {
	const spaces = gaps.join('').length;
	return new Set(gaps).size === 1 && (spaces === 0 || spaces % 4 !== 0 || gaps.length >= 3);
}

/** In the usual alphabet and padded. The text has letters of both alphabets and padding only. */
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
