import type { NamingRules } from './distinctNames';

/**
 * In UTF-8. File systems allow 255 bytes; the rest is left for a prefix that a workflow adds, as
 * the example *Audit file* does.
 */
const MAX_NAME_BYTES = 180;

/**
 * Characters that file systems refuse, and invisible ones, such as marks that reverse the direction
 * of text.
 */
const REFUSED = /[\p{C}<>:"|?*]/gu;

/**
 * Removed at both ends: a leading dot hides a file, and Windows drops dots and spaces at the end.
 */
const DOT_OR_BLANK = /[.\s]/;

/** Anything longer, or with other characters, counts as part of the name. */
const EXTENSION = /\.[a-z0-9]{1,10}$/i;

/**
 * Splits a text into what people see as characters, so a cut never separates a letter from its
 * accent or breaks an emoji.
 */
const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * A file name that any file system can store: without a path or invisible characters, and shortened
 * before its extension if it is too long. Never empty.
 */
export function safeFileName(given: string): string {
	const lastPart = given.split(/[\\/]/).at(-1) ?? '';
	return fitting(withoutOuterDots(lastPart.replace(REFUSED, '')));
}

/** Keeps the files of an item apart on any file system: `report.pdf`, `report (2).pdf`. */
export const FILE_NAMING: NamingRules = {
	// Windows and macOS ignore case, and macOS ignores how an accent is encoded.
	keyOf: (name) => name.normalize().toUpperCase(),
	numbered: (name, number) => fitting(name, ` (${number})`),
};

/** A name of at most `MAX_NAME_BYTES`, with `addition` before its extension. */
function fitting(name: string, addition = ''): string {
	const extension = EXTENSION.exec(name)?.[0] ?? '';
	const ending = `${addition}${extension}`;
	const stem = name.slice(0, name.length - extension.length);
	const fits = beginning(stem, MAX_NAME_BYTES - Buffer.byteLength(ending));
	return `${withoutOuterDots(fits) || 'file'}${ending}`;
}

/**
 * Checks one character at a time, because a regular expression overflows the stack at millions of
 * dots.
 */
function withoutOuterDots(text: string): string {
	let start = 0;
	let end = text.length;
	while (start < end && DOT_OR_BLANK.test(text.charAt(start))) start++;
	while (end > start && DOT_OR_BLANK.test(text.charAt(end - 1))) end--;
	return text.slice(start, end);
}

/** As many complete characters as fit into this many bytes. */
function beginning(text: string, maxBytes: number): string {
	let end = 0;
	let bytes = 0;
	// Nothing beyond this cut can fit, because each code unit takes at least one byte.
	for (const { segment } of CHARACTERS.segment(text.slice(0, maxBytes + 1))) {
		bytes += Buffer.byteLength(segment);
		if (bytes > maxBytes) break;
		end += segment.length;
	}
	return text.slice(0, end);
}
