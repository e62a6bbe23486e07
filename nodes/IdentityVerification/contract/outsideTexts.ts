import { MAX_COMPLEX_LENGTH, MAX_STRUCTURE } from './limits';

/** A part of JSON between two of its texts, before the first or after the last one. */
interface Part {
	start: number;
	end: number;
}

/**
 * Finds the parts of JSON outside its texts, one after another; quotation marks belong to the
 * texts. It isn't a regular expression, because V8 keeps a place to return to for each escape in a
 * text, and runs out of memory for them.
 */
export function* outsideTexts(json: string): Generator<Part> {
	let end = 0;
	while (end <= json.length) {
		const start = end;
		const text = indexOrEnd(json, json.indexOf('"', start));
		yield { start, end: text };
		end = endOfText(json, text);
	}
}

/** The index after the quotation mark that ends the text at `start`. */
function endOfText(json: string, start: number): number {
	let end = start;
	do end = indexOrEnd(json, json.indexOf('"', end + 1));
	while (end < json.length && isEscaped(json, end));
	return end + 1;
}

function indexOrEnd(json: string, index: number): number {
	return index < 0 ? json.length : index;
}

const BACKSLASH = '\\'.charCodeAt(0);

/** Whether an odd number of backslashes is before the sign. */
function isEscaped(json: string, index: number): boolean {
	let backslashes = 0;
	while (json.charCodeAt(index - backslashes - 1) === BACKSLASH) backslashes++;
	return backslashes % 2 === 1;
}

/**
 * Whether a body has so many values besides texts that reading it would block n8n. Finding out
 * takes less time than parsing it, whatever it holds.
 */
export function isTooComplex(body: string): boolean {
	const json = body.trim();
	if (json.length <= MAX_COMPLEX_LENGTH) return false;
	let structure = 0;
	let outsideFrom: number | undefined = 0;
	let quote = json.indexOf('"');
	while (quote >= 0 && structure <= MAX_STRUCTURE) {
		// Those within texts count as well: each takes time.
		structure++;
		if (outsideFrom !== undefined) {
			structure += quote - outsideFrom;
			outsideFrom = undefined;
		} else if (!isEscaped(json, quote)) {
			outsideFrom = quote + 1;
		}
		quote = json.indexOf('"', quote + 1);
	}
	return structure + json.length - (outsideFrom ?? json.length) > MAX_STRUCTURE;
}
