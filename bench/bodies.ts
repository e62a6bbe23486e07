import { MAX_BODY_BYTES } from '../nodes/IdentityVerification/contract/limits';

/** Texts of bodies as large as the package reads them, each with millions of one thing. */
export const SHAPES: Record<string, () => string> = {
	'a list of NaN': () => filled('"x":[', () => 'NaN', ']'),
	'a list of texts before one NaN': () => filled('"x":[', () => '"ab"', ',NaN]'),
	'a list of 1e999': () => filled('"x":[', () => '1e999', ']'),
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
};

/** A body in which a part is repeated between these texts. */
function filled(before: string, part: (index: number) => string, after: string): string {
	const start = `{"event":"hosted_conclusive","decision":"accept",${before}`;
	const parts: string[] = [];
	let length = start.length + after.length + 1;
	for (let next = part(0); length + next.length < MAX_BODY_BYTES; next = part(parts.length)) {
		parts.push(next);
		length += next.length + 1;
	}
	return `${start}${parts.join()}${after}}`;
}

/** Numbers above 2^32 without an order, each another one. */
function scattered(index: number): number {
	return 2 ** 33 + ((index * 7_919) % 1_000_003) * 4_096;
}
