import { MAX_BODY_BYTES, MAX_DEPTH } from '../nodes/IdentityVerification/contract/bounds';

/** Texts of bodies as large as the package reads them, each full of one thing. */
export const SHAPES: Record<string, () => string> = {
	'a list of numbers': () => filledWith('1'),
	'a list of numbers before one NaN': () => filledWith('1', 'NaN'),
	'lists as deep as they are read': () => filledWith(nested(MAX_DEPTH - 2)),
};

/** A body with a list that repeats a part up to the limit, and has something else at its end. */
function filledWith(part: string, last = part): string {
	const start = '{"event":"hosted_conclusive","decision":"accept","x":[';
	const end = `${last}]}`;
	const count = Math.floor((MAX_BODY_BYTES - start.length - end.length) / (part.length + 1));
	return start + `${part},`.repeat(count) + end;
}

/** A list in a list, and so on. */
function nested(levels: number): string {
	return '['.repeat(levels) + ']'.repeat(levels);
}
