/** Why a text isn't accepted as the base64 text of a file. */
export type Base64Refusal = 'otherDataUri' | 'foreign' | 'tooShort' | 'damaged' | 'incomplete';

/** The base64 text found in another text, or why there is none. */
export type Base64Reading =
	| {
			kind: 'base64';
			/** What the text stands for. */
			file: Buffer;
			/**
			 * In the usual alphabet, padded, without line breaks. It is the given text itself if that
			 * already has this form.
			 */
			text: string;
	  }
	| {
			kind: 'refused';
			why: Base64Refusal;
			/** For `foreign`: the first character that base64 text can't contain. */
			found?: string;
	  };

/** Anything shorter can't be an image: it is a word, an ID, or something that a model made up. */
export const MIN_BASE64_LENGTH = 136;

/** n8n gives expressions a shorter word, such as `database`, in place of a file's content. */
export const MIN_BASE64_LENGTH_OF_OTHERS = 16;

/** Any character that is neither a line break nor in one of the two base64 alphabets. */
const FOREIGN = /[^A-Za-z0-9+/=_\-\r\n]/u;

/** The same for text with indented lines. */
const FOREIGN_IF_INDENTED = /[^A-Za-z0-9+/=_\- \t\r\n]/u;

/** A line after the first one that isn't indented, or a blank or tab anywhere else. */
const NOT_INDENTED = /[\r\n]\S|(?<!\s)[ \t]/;

/**
 * Finds the base64 text in a data URI or in lines, in either alphabet. If all lines but the first are
 * indented, as in a vCard or in XML, blanks and tabs aren't part of it. The text can have 20 MB, so it
 * is scanned only a few times, and copied only if it must be changed.
 * @param minLength the least number of characters, unless the text is empty
 */
export function readBase64(given: string, minLength: number): Base64Reading {
	const content = withoutDataUri(given.trim());
	if (content === undefined) return { kind: 'refused', why: 'otherDataUri' };
	const foreign = NOT_INDENTED.test(content) ? FOREIGN : FOREIGN_IF_INDENTED;
	const [found] = foreign.exec(content) ?? [];
	if (found !== undefined) return { kind: 'refused', why: 'foreign', found };
	return decoded(content, minLength);
}

/**
 * The part of a data URI after its comma, or undefined if that isn't base64. Any other text is
 * returned unchanged.
 */
function withoutDataUri(text: string): string | undefined {
	if (text.slice(0, 5).toLowerCase() !== 'data:') return text;
	const comma = text.indexOf(',');
	const type = text.slice(0, Math.max(comma, 0)).toLowerCase();
	return type.endsWith(';base64') ? text.slice(comma + 1) : undefined;
}

/**
 * Decodes text of either alphabet. Only the URL-safe one may leave out the padding: in the usual one,
 * a text without it was probably cut off.
 * @param content only padding, white space and characters of the two alphabets
 */
function decoded(content: string, minLength: number): Base64Reading {
	const length = visibleLength(content);
	if (length > 0 && length < minLength) return { kind: 'refused', why: 'tooShort' };
	const end = content.indexOf('=');
	const isPadded = end >= 0;
	const isUrlSafe = /[-_]/.test(content);
	const isMixed = isUrlSafe && /[+/]/.test(content);
	if (isMixed || (isPadded && !/^=\s*=?$/.test(content.slice(end)))) {
		return { kind: 'refused', why: 'damaged' };
	}
	const isUnpadded = isUrlSafe && !isPadded && length % 4 !== 1;
	if (length % 4 !== 0 && !isUnpadded) return { kind: 'refused', why: 'incomplete' };
	// Reads both alphabets, and skips white space.
	const file = Buffer.from(content, 'base64');
	const isUsual = length === content.length && !isUrlSafe;
	return { kind: 'base64', file, text: isUsual ? content : file.toString('base64') };
}

/** How many characters of a text aren't white space. */
function visibleLength(text: string): number {
	let length = 0;
	for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x20) length++;
	return length;
}
