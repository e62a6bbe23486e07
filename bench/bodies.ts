import { MAX_BODY_BYTES, MAX_STRUCTURE } from '../nodes/IdentityVerification/contract/limits';

/** A shape with more values than the package reads. */
export const REFUSED_SHAPE = 'more than is read';

/** Texts of bodies as large and as complex as the package reads them, each of another shape. */
export const SHAPES: Record<string, () => string> = {
	'a list of NaN': () => filled('"x":[', () => 'NaN', ']'),
	'a list of texts before one NaN': () => filled('"x":[', () => '"ab"', ',NaN]'),
	'a text after a NaN': () => filled('"x":NaN,"list":[', () => '1', ']'),
	'spaces before a NaN': () => filled('"x":[', () => `${' '.repeat(1_000)}1`, ',NaN]'),
	'a list of 1e999': () => filled('"x":[', () => '1e999', ']'),
	'a list of PHP': () => filled('"missingFields":{', (index) => `"${index}":"a"`, '}'),
	'a list of PHP with keys above 2^32': () =>
		filled('"warning":{', (index) => `"${scattered(index)}":{"code":"a"}`, '}'),
	'a list of PHP with gaps': () =>
		filled('"missingFields":{', (index) => `"${index * 3}":"a"`, '}'),
	'fields of data that are no lists': () => filled('"data":{', (index) => `"k${index}":1`, '}'),
	'readings whose value is an object': () => filled('"data":{"dob":[', () => '{"value":{}}', ']}'),
	'warnings with a code of another form': () => filled('"warning":[', () => '{"code":"a"}', ']'),
	'fields of the body': () => filled('"x":1,', (index) => `"k${index}":1`, ''),
	'lists in lists': () => filled('"x":[', () => '[[[1]]]', ']'),
	'empty objects': () => filled('"x":[', () => '{}', ']'),
	'texts of escapes': () => filled('"x":[', () => `"${'\\\\'.repeat(20)}"`, ']', '\\\\'),
	'texts of quotation marks': () => filled('"x":[', () => `"${'\\"'.repeat(20)}"`, ']'),
	[REFUSED_SHAPE]: () => `{"x":[${'1,'.repeat(MAX_BODY_BYTES / 2 - 10)}1]}`,
};

/** Leaves some structure for what is around the parts. */
const STRUCTURE = MAX_STRUCTURE - 1_000;

/** A body in which a part is repeated between these texts, and a long text follows. */
function filled(
	before: string,
	part: (index: number) => string,
	after: string,
	padding = 'a',
): string {
	const start = `{"event":"hosted_conclusive","decision":"accept",${before}`;
	const parts: string[] = [];
	let structure = 0;
	for (let next = part(0); structure < STRUCTURE; next = part(parts.length)) {
		parts.push(next);
		structure += structureOf(next) + 1;
	}
	const body = `${start}${parts.join()}${after},"pad":"`;
	return `${body}${padding.repeat((MAX_BODY_BYTES - body.length - 2) / padding.length)}"}`;
}

/** Its length without what its texts hold. */
function structureOf(json: string): number {
	return json.replaceAll(
		/"((?:\\"|[^"])*)"/g,
		(_, text: string) => text.replaceAll(/[^"]/g, '') + '""',
	).length;
}

/** Numbers above 2^32 without an order, each another one. */
function scattered(index: number): number {
	return 2 ** 33 + ((index * 7_919) % 1_000_003) * 4_096;
}
