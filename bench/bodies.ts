import { MAX_BODY_BYTES, MAX_DEPTH } from '../nodes/IdentityVerification/contract/bounds';

/** Texts of bodies as large as the package reads them, each full of one thing. */
export const SHAPES: Record<string, () => string> = {
	'a list of numbers': () => filled('"x":[', () => '1', ']'),
	'a list of NaN': () => filled('"x":[', () => 'NaN', ']'),
	'a list of numbers before one NaN': () => filled('"x":[', () => '1', ',NaN]'),
	'spaces before a NaN': () => filled('"x":[', () => `${' '.repeat(1_000)}1`, ',NaN]'),
	'a list of 1e999': () => filled('"x":[', () => '1e999', ']'),
	'a list that never ends': () => filled('"x":[', () => '1', '').slice(0, -1),
	'lists in lists': () => filled('"x":[', () => '[[[1]]]', ']'),
	'lists as deep as they are read': () => filled('"x":[', () => nested(MAX_DEPTH - 2), ']'),
	'lists that are too deep': () => filled('"x":[', () => nested(MAX_DEPTH), ']'),
	'one list without end': () => filled(`"x":${nested(MAX_BODY_BYTES / 2 - 1_000)},"y":[`, one, ']'),
	'empty objects': () => filled('"x":[', () => '{}', ']'),
	'fields of the body': () => filled('"x":1,', (index) => `"k${index}":1`, ''),
	'fields of the body, one too deep': () =>
		filled(`"x":${nested(MAX_DEPTH)},`, (index) => `"k${index}":1`, ''),
	'fields of data that are no lists': () => filled('"data":{', (index) => `"k${index}":1`, '}'),
	'fields of data': () => filled('"data":{', (index) => `"k${index}":[1]`, '}'),
	'long fields of data': () =>
		filled('"data":{', (index) => `"k${index}":[${'1,'.repeat(9)}1]`, '}'),
	'readings whose value is an object': () => filled('"data":{"dob":[', () => '{"value":{}}', ']}'),
	'warnings with a code of another form': () => filled('"warning":[', () => '{"code":"a"}', ']'),
	'warnings that are none': () => filled('"warning":[', () => '1', ']'),
	'fields of a warning': () =>
		filled('"warning":[{"severity":1,', (index) => `"k${index}":1`, '}]'),
	'fields of a sanction': () =>
		filled('"warning":[{"code":"AML_SANCTION","data":{', (index) => `"k${index}":1`, '}}]'),
	images: () => filled('"outputImage":{', (index) => `"k${index}":"https://é"`, '}'),
	files: () => filled('"outputFile":[', () => '{"image":1}', ']'),
	'texts of escapes': () => filled('"x":[', () => `"${'\\\\'.repeat(20)}"`, ']'),
	'one text': () => filled('"x":["', () => 'a'.repeat(1_000), '"]'),
};

const one = () => '1';

/** A body in which a part is repeated between these texts, up to the limit. */
function filled(before: string, part: (index: number) => string, after: string): string {
	const start = `{"event":"hosted_conclusive","decision":"accept",${before}`;
	const end = `${after}}`;
	const parts: string[] = [];
	let length = start.length + end.length;
	for (let next = part(0); ; next = part(parts.length)) {
		length += Buffer.byteLength(next) + 1;
		if (length > MAX_BODY_BYTES) return start + parts.join() + end;
		parts.push(next);
	}
}

/** A list in a list, and so on. */
function nested(levels: number): string {
	return '['.repeat(levels) + ']'.repeat(levels);
}
