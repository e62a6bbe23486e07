import fc from 'fast-check';

import { objectJson } from '../../../kit/data/fuzzedJson';

/** JSON of other types than the documented one. A number may stand for a text, and null for all. */
const WRONG = {
	text: ['true', '{}', '[]', '["a"]', '{"toString":1}'],
	number: ['"1"', 'true', '[]', '{}'],
	boolean: ['"true"', '1', '[]', '{}'],
	list: ['"a"', '1', 'true', '{}', '{"0":1,"length":1}'],
	object: ['"a"', '1', 'true', '[]', '[{}]'],
	texts: ['"a"', '{}', '[null]', '[{}]', '[["a"]]', '[true]'],
};

/** Wrong JSON of each documented field (interface.md#result and interface.md#warnings). */
const fields: Record<string, string[]> = {
	success: WRONG.boolean,
	transactionId: WRONG.text,
	data: [
		...WRONG.object,
		...['null', ...WRONG.list, '[null]', '["a"]', '[1]', '[[]]'].flatMap(inData),
		...[...WRONG.text, 'null'].flatMap((value) => inEntry({ value })),
	],
	outputImage: [...WRONG.object, ...WRONG.text.map((front) => objectJson([['front', front]]))],
	outputFile: [...WRONG.list, '[1]', '[null]', '[[]]'],
	warning: [
		...WRONG.list,
		...['[1]', '[null]', '[[]]', '[{"code":null}]', '[{"code":1}]'],
		...[...WRONG.text, '"HIGH"', '""'].map((severity) => warningJson({ severity })),
		...[...WRONG.text, '"approve"', '""'].map((decision) => warningJson({ decision })),
		...WRONG.object.map((data) => warningJson({ data })),
	],
	missingFields: WRONG.texts,
	profileId: WRONG.text,
	reviewScore: WRONG.number,
	rejectScore: WRONG.number,
	customData: WRONG.text,
	quota: WRONG.number,
	credit: WRONG.number,
	hosted: WRONG.text,
};

/** A documented key with a value that can't be read. */
export const damagedMember: fc.Arbitrary<[key: string, json: string]> = fc
	.constantFrom(...Object.keys(fields))
	.chain((key) =>
		fc.constantFrom(...(fields[key] ?? [])).map((json): [string, string] => [key, json]),
	);

function inData(entries: string): string[] {
	return ['firstName', 'unknown', 'toString'].map((key) => objectJson([[key, entries]]));
}

function inEntry(member: Record<string, string>): string[] {
	return inData(`[${objectJson([['value', '"a"'], ...Object.entries(member)])}]`);
}

function warningJson(member: Record<string, string>): string {
	return `[${objectJson([['code', '"AML_SANCTION"'], ...Object.entries(member)])}]`;
}
