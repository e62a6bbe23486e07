/**
 * A stranger's text as a part of a message: in one line, so that it can't add a line of its own, and
 * without characters that change how the rest of the message is shown.
 */
export function inOneLine(text: string): string {
	return text.replace(/[\s\p{Cc}\p{Cf}\p{DI}\u2800]+/gu, ' ').trim();
}

/** Names a character for a message, in which some can't be seen. */
export function nameOfCharacter(character: string): string {
	if (character === ' ') return 'a space';
	if (/^[!-~]$/.test(character)) return `"${character}"`;
	if (/^[\n\v\f\r\u0085\u2028\u2029]$/.test(character)) return 'a line break';
	const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
	return `the character U+${code.padStart(4, '0')}`;
}
