import type { NamingRules } from './distinctNames';

/**
 * In UTF-8. Disks take 255 bytes; the rest is for what a workflow puts before a name, as
 * *Audit file* does.
 */
const MAX_NAME_BYTES = 180;

/** What disks refuse, and what can't be seen, such as a mark that reverses the writing. */
const REFUSED = /[\p{C}<>:"|?*]/gu;

/** A file that begins with a dot is hidden, and Windows drops dots and blanks at the end. */
const DOT_OR_BLANK = /[.\s]/;

/** Anything longer, or with other letters, is part of the name. */
const EXTENSION = /\.[a-z0-9]{1,10}$/i;

/** Splits a text where it can be cut: never between a letter and its accent, or in an emoji. */
const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * A file name that any disk can store: without a path, visible, and cut before its extension if
 * it is too long. Never empty.
 */
export function safeFileName(given: string): string {
	const lastPart = given.split(/[\\/]/).at(-1) ?? '';
	return fitting(withoutOuterDots(lastPart.replace(REFUSED, '')));
}

/** A disk must not take one file of an item for another: `report.pdf`, `report (2).pdf`. */
export const FILE_NAMING: NamingRules = {
	// Windows and macOS don't tell capitals apart; macOS doesn't tell how an accent is encoded.
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

/** One by one: a pattern for all of them overflows the stack at millions of dots. */
function withoutOuterDots(text: string): string {
	let start = 0;
	let end = text.length;
	while (start < end && DOT_OR_BLANK.test(text.charAt(start))) start++;
	while (end > start && DOT_OR_BLANK.test(text.charAt(end - 1))) end--;
	return text.slice(start, end);
}

/** As many whole characters as fit into this many bytes. */
function beginning(text: string, maxBytes: number): string {
	let end = 0;
	let bytes = 0;
	// What is cut off here can't fit: each code unit takes at least a byte.
	for (const { segment } of CHARACTERS.segment(text.slice(0, maxBytes + 1))) {
		bytes += Buffer.byteLength(segment);
		if (bytes > maxBytes) break;
		end += segment.length;
	}
	return text.slice(0, end);
}
