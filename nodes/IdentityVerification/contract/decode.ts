/** What stands in a text for bytes that aren't text in its charset. */
export const NO_TEXT = '\ufffd';

/** The text of a body. */
export interface BodyText {
	text: string;
	/** Whether all of its bytes were text. */
	isWhole: boolean;
}

/**
 * Decodes a body. It is UTF-8, as JSON is, if it can be, whatever its content type declares, and
 * else in the declared charset. Removes a byte order mark.
 * @param charset such as `iso-8859-1`. It may be missing or unknown, such as `binary`
 */
export function decode(bytes?: Uint8Array, charset?: string): BodyText {
	const utf8 = decodedIn('utf-8', bytes);
	// Text in UTF-16 can pass for UTF-8, with a character in it that JSON never contains.
	if ((utf8.isWhole && !utf8.text.includes('\0')) || !isKnown(charset)) return utf8;
	return decodedIn(charset, bytes);
}

function decodedIn(charset: string | undefined, bytes?: Uint8Array): BodyText {
	try {
		return { text: new TextDecoder(charset, { fatal: true }).decode(bytes), isWhole: true };
	} catch {
		return { text: new TextDecoder(charset).decode(bytes), isWhole: false };
	}
}

function isKnown(charset: string | undefined): boolean {
	try {
		return Boolean(new TextDecoder(charset));
	} catch {
		return false;
	}
}

/** The charset that a content type declares. */
export function charsetOf(contentType = ''): string | undefined {
	return /;\s*charset\s*=\s*"?([\w-]+)/i.exec(contentType)?.[1];
}
