/**
 * JSON that is parsed as infinity. A number such as 1e400 is, too: both are read as a number that
 * can't be known.
 */
export const INFINITE = '1e999';

/**
 * How many numbers within lists and objects are written as infinity, which takes V8 seven times as
 * long to parse as null. The fields of the body itself always are, because trust depends on them.
 */
const MAX_INFINITE = 10_000;

/** What Python writes for floating-point numbers that JSON doesn't have. */
const [NAN, INFINITY] = ['NaN', 'Infinity'] as const;
const NAN_BYTES = bytesOf(NAN);
const INFINITY_BYTES = bytesOf(INFINITY);

// With spaces, so that `1NaN` isn't read as a number.
const AS_INFINITE = bytesOf(` ${INFINITE} `);
const AS_NULL = bytesOf(' null ');

/** Signs of JSON, as bytes. */
const [QUOTE, BACKSLASH, MINUS, LETTER_I, LETTER_N] = [0x22, 0x5c, 0x2d, 0x49, 0x4e] as const;
const [BRACKET, BRACKET_END, BRACE, BRACE_END] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/**
 * Replaces numbers that aren't JSON, outside of strings. In bytes, because cutting the text into
 * pieces takes many times as long as parsing it if there are millions of these numbers.
 */
export function withoutNaN(json: string): string {
	if (!json.includes(NAN) && !json.includes(INFINITY)) return json;
	const copy = new Copy(bytesOf(json));
	const { bytes } = copy;
	let depth = 0;
	let infinite = 0;
	for (let index = 0; index < bytes.length; index++) {
		const byte = bytes[index];
		if (byte === QUOTE) index = endOfString(bytes, index);
		else if (byte === BRACKET || byte === BRACE) depth++;
		else if (byte === BRACKET_END || byte === BRACE_END) depth--;
		else if (byte === LETTER_N || byte === LETTER_I) {
			const word = byte === LETTER_N ? NAN_BYTES : INFINITY_BYTES;
			if (!isAt(bytes, index, word)) continue;
			const isInfinite = depth <= 1 || ++infinite <= MAX_INFINITE;
			copy.replace(index, word.length, isInfinite ? AS_INFINITE : AS_NULL);
			index += word.length - 1;
		}
	}
	return copy.text();
}

/** The index of the quotation mark that ends the string at `start`. */
function endOfString(bytes: Uint8Array, start: number): number {
	let end = start + 1;
	while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
	return end;
}

function isAt(bytes: Uint8Array, index: number, word: Uint8Array): boolean {
	for (let at = 1; at < word.length; at++) if (bytes[index + at] !== word[at]) return false;
	return true;
}

/** Runs of more bytes than this are copied by V8; for fewer, a loop is faster. */
const MAX_LOOP = 32;

/** A copy of a text in which words are replaced, from the first to the last one. */
class Copy {
	/** Three bytes become seven at most. */
	private readonly written: Uint8Array;
	private length = 0;
	private copied = 0;

	constructor(readonly bytes: Uint8Array) {
		this.written = new Uint8Array(3 * bytes.length);
	}

	/** Replaces a word and the sign before it. */
	replace(index: number, length: number, replacement: Uint8Array): void {
		this.write(this.bytes, this.copied, index);
		if (this.written[this.length - 1] === MINUS) this.length--;
		this.write(replacement, 0, replacement.length);
		this.copied = index + length;
	}

	text(): string {
		this.write(this.bytes, this.copied, this.bytes.length);
		return new TextDecoder().decode(this.written.subarray(0, this.length));
	}

	private write(from: Uint8Array, start: number, end: number): void {
		if (end - start > MAX_LOOP) {
			this.written.set(from.subarray(start, end), this.length);
			this.length += end - start;
			return;
		}
		for (let index = start; index < end; index++) this.written[this.length++] = from[index] ?? 0;
	}
}

function bytesOf(text: string): Uint8Array {
	return new TextEncoder().encode(text);
}
