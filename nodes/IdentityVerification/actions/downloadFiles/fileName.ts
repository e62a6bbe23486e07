/** Bytes of UTF-8 before the extension. File systems allow 255 in all, and a workflow may add some. */
const MAX_STEM_BYTES = 100;

/** Visible letters, digits and marks of any script are safe on any disk, and so are these. */
const UNSAFE = /[^\p{L}\p{M}\p{N} ._()-]|\p{DI}/gu;

/** Anything longer, or with other characters, counts as part of the name. */
const EXTENSION = /\.[a-z0-9]{1,10}$/i;

/** Windows takes such a name for a device, also with an extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** A file name that any file system can store, without a path. Never empty. */
export function safeFileName(given: string): string {
	const lastPart = given.split(/[\\/]/).at(-1) ?? '';
	const extension = EXTENSION.exec(lastPart)?.[0] ?? '';
	const stem = Buffer.from(lastPart.slice(0, lastPart.length - extension.length));
	// Decoding replaces a character that was cut by one that isn't safe.
	const safe = stem.subarray(0, MAX_STEM_BYTES).toString().replace(UNSAFE, '');
	// A leading dot hides a file, and Windows drops dots and spaces at the end.
	const name = safe.replace(/^[. ]+/, '').replace(/(?<![. ])[. ]+$/, '');
	return `${name.replace(DEVICE, '_$&') || 'file'}${extension}`;
}

/** Such as `report (2).pdf`. */
export function numberedFileName(name: string, number: number): string {
	const extension = EXTENSION.exec(name)?.[0] ?? '';
	return `${name.slice(0, name.length - extension.length)} (${number})${extension}`;
}

/**
 * A name, with a number if it is taken: the second one gets a 2. It is taken from then on.
 * @param taken keys of names, by which Windows and macOS compare them: they ignore case, and macOS
 * how an accent is encoded
 */
export function distinctName(
	name: string,
	taken: Set<string>,
	numbered: (name: string, number: number) => string,
): string {
	let distinct = name;
	for (let number = 2; taken.has(nameKeyOf(distinct)); number++) distinct = numbered(name, number);
	taken.add(nameKeyOf(distinct));
	return distinct;
}

export function nameKeyOf(name: string): string {
	return name.normalize().toUpperCase();
}
