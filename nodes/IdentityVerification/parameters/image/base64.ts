/** Why a text isn't accepted as the base64 text of a file. */
export type Base64Refusal = 'otherDataUri' | 'foreign' | 'tooShort' | 'damaged' | 'incomplete';

/** The base64 text found in another text, or why there is none. */
export type Base64Reading =
	| {
			kind: 'base64';
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

/**
 * Finds the base64 text in a data URI or in lines, in either alphabet. The text can have 20 MB, so it
 * is scanned only a few times, and copied only if it must be changed.
 * @param minLength the least number of characters, unless the text is empty
 */
export function readBase64(given: string, minLength: number): Base64Reading {
	const content = withoutDataUri(given.trim());
	if (content === undefined) return { kind: 'refused', why: 'otherDataUri' };
	const [found] = FOREIGN.exec(content) ?? [];
	if (found !== undefined) return { kind: 'refused', why: 'foreign', found };
	const text = content.replaceAll('\n', '').replaceAll('\r', '');
	if (text && text.length < minLength) return { kind: 'refused', why: 'tooShort' };
	return inUsualForm(text);
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
 * Converts to the usual alphabet, with padding, which only the URL-safe alphabet may leave out: in
 * the usual one, a text without it was probably cut off.
 * @param text only padding and characters of the two alphabets
 */
function inUsualForm(text: string): Base64Reading {
	const letters = text.replace(/={1,2}$/, '');
	const isUrlSafe = /[-_]/.test(letters);
	if (letters.includes('=') || (isUrlSafe && /[+/]/.test(letters))) {
		return { kind: 'refused', why: 'damaged' };
	}
	const isUnpadded = isUrlSafe && letters === text && text.length % 4 !== 1;
	if (text.length % 4 !== 0 && !isUnpadded) return { kind: 'refused', why: 'incomplete' };
	const usual = isUrlSafe ? text.replaceAll('-', '+').replaceAll('_', '/') : text;
	return { kind: 'base64', text: usual.padEnd(Math.ceil(text.length / 4) * 4, '=') };
}
