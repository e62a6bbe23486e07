import fc from 'fast-check';

/** JSON text of an object as its members: can hold a key twice, and `__proto__`. */
export type Members = [key: string, json: string][];

export function objectJson(members: Members): string {
	return `{${members.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
}

export function membersOf(value: object): Members {
	return Object.entries(value).map(([key, member]) => [key, JSON.stringify(member)]);
}

/** Lists or objects within each other, to a depth that few programs expect. */
export function nested(levels: number, open = '[', close = ']'): string {
	return `${open.repeat(levels)}${open === '[' ? '' : 'null'}${close.repeat(levels)}`;
}

/** Texts with any UTF-16 code units, also halves of surrogate pairs. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
	fc.string({ unit: 'binary' }),
	fc
		.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 })
		.map((units) => String.fromCharCode(...units)),
	fc.constantFrom('', '\0', '\ud800', '\udfff', '\ufeff', '={{ 1 }}', '../..', '\u202e', '🪪'),
);

/** Keys with a meaning in JavaScript. */
export const trickyKey = fc.constantFrom(
	'__proto__',
	'constructor',
	'prototype',
	'toString',
	'valueOf',
	'toJSON',
	'then',
	'length',
	'hasOwnProperty',
	'0',
	'',
);

const POLLUTION = [
	'{"polluted":true}',
	'{"__proto__":{"polluted":true}}',
	'{"prototype":{"polluted":true}}',
	'{"toString":1,"valueOf":1,"toJSON":1}',
	'{"toString":null}',
	'[[["a"]]]',
	'1e400',
	'-0',
	'[{"length":1e9}]',
];

export const anyJson: fc.Arbitrary<string> = fc.oneof(
	{ weight: 3, arbitrary: fc.json({ maxDepth: 4 }) },
	{ weight: 2, arbitrary: fc.constantFrom(...POLLUTION) },
	{ weight: 1, arbitrary: anyText.map((text) => JSON.stringify(text)) },
);
