import { idInText } from '../../nodes/IdentityVerification/contract/idInText';
import { jsonText } from '../../nodes/IdentityVerification/contract/json';
import { parseBody } from '../../nodes/IdentityVerification/contract/parseBody';

const readable = (value: unknown) => ({ ok: true, value });

const unreadable = (problem: string) => ({ ok: false, problems: [{ path: '', problem }] });

describe('the JSON of a service', () => {
	it.each([
		['NaN', Infinity],
		['-Infinity', Infinity],
		['[NaN,1,Infinity ]', [Infinity, 1, Infinity]],
		['{"a": NaN, "NaN": "NaN \\"NaN"}', { a: Infinity, NaN: 'NaN "NaN' }],
		['{"path":"C:\\\\","score":NaN}', { path: 'C:\\', score: Infinity }],
		['{"a":1e400}', { a: Infinity }],
	])('is read with the numbers that Python writes: %s', (text, value) => {
		expect(parseBody(text)).toEqual(readable(value));
	});

	it.each(['{"a":1}', '[]', '"NaN"', 'null', '7'])('is read as it is: %s', (text) => {
		expect(parseBody(`\ufeff\ufeff\n${text}`)).toEqual(readable(JSON.parse(text)));
	});

	it.each([
		'',
		'Nan',
		'{"a":aNaN}',
		'{"a":NaN',
		'{"a":1NaN}',
		'NaN"',
		'{"NaN',
		'{"a":"NaN\\"}',
		'[NaN]]',
	])('is none: %j', (text) => {
		expect(parseBody(text)).toEqual(unreadable('is not a JSON object'));
	});

	it('is read whatever its texts hold, in linear time', () => {
		const texts = ['\\\\'.repeat(500_000), 'a'.repeat(2_000_000), 'NaN,'.repeat(200_000)];
		const json = `[NaN,"a",${texts.map((text) => `"${text}"`).join()},-Infinity]`;

		expect(parseBody(json)).toEqual(
			readable([Infinity, 'a', ...texts.map((text) => text.replaceAll('\\\\', '\\')), Infinity]),
		);
	});
});

describe('a body with many values', () => {
	const MB = 1024 * 1024;
	const values = (count: number, rest = '') => `{"list":[${'1,'.repeat(count)}0]${rest}}`;
	const image = (text: string, length: number) => `,"image":"${text.repeat(length / text.length)}"`;

	it.each([
		['it has up to 1 MB, whatever it holds', values(MB / 2 - 10)],
		['its size comes from its texts', values(20_000, image('a', 15 * MB))],
		['its texts have escapes', values(20_000, image('\\/', 8 * MB))],
		['its texts look like values', values(20_000, image('1,[{', 8 * MB))],
		['there are spaces before and after it', `${' '.repeat(2 * MB)}${values(9)}${' '.repeat(MB)}`],
	])('is read when %s', (_, json) => {
		const expected = JSON.stringify(readable(JSON.parse(json)));

		// Jest would take long to show how texts of this length differ.
		expect(JSON.stringify(parseBody(json)) === expected).toBe(true);
	});

	it.each([
		['of values', values(MB)],
		['of values before a text', values(30_000, image('a', 2 * MB))],
		['of values after a text', `{"a":1${image('a', 2 * MB)},${values(30_000).slice(1)}`],
		['of short texts', values(1, `,"a":[${'"a",'.repeat(MB / 2)}"a"]`)],
		['of spaces', values(1, ' '.repeat(2 * MB))],
		['of quotation marks', values(1, image('\\"', 2 * MB))],
		['of NaN', `[${'NaN,'.repeat(MB)}1]`],
		['of values, and is cut off', values(MB).slice(0, -9)],
	])('is not read when it has more than 1 MB %s', (_, json) => {
		expect(parseBody(json)).toEqual(unreadable('has too many values to be read'));
	});
});

describe('the ID in a text that is not JSON', () => {
	it.each([
		['{"transactionId":"tx-1","data":{"dob":[{"val'],
		['{"success":true, "transactionId" : "tx-1"'],
		[
			'{"data":{"transactionId":"other"},"warning":[{"transactionId":"other"}],"transactionId":"tx-1",',
		],
		['{"customData":"\\"transactionId\\":\\"other\\"","transactionId":"tx-1",}'],
		['{"customData":"{[","transactionId":"tx\\u002d1"]'],
		['<b>Notice</b>: in "scan.php"\n{"transactionId":"tx-1"}'],
	])('is the one of the object itself: %s', (text) => {
		expect(idInText(text, 'transactionId')).toBe('tx-1');
	});

	it.each(['{"transactionId":8202522731445525542,', '{"transactionId": 8202522731445525542 }]'])(
		'has the digits that are written: %s',
		(text) => {
			expect(idInText(text, 'transactionId')).toBe('8202522731445525542');
		},
	);

	it.each([
		'',
		'transactionId',
		'"transactionId":"tx-1"',
		'{"transactionId":"tx-',
		'{"transactionId":820252',
		'{"transactionId":"Ivo Varkov",',
		`{"transactionId":"${'x'.repeat(65)}",`,
		'{"transactionId":null,"a":"tx-1"',
		'{"transactionId":{"a":"tx-1"',
		'{"data":{"transactionId":"tx-1"}',
		'{"customData":"transactionId","x":"tx-1"',
		'{"a":"transactionId","tx-1":1',
		'{"reference":"tx-1",',
	])('is none: %s', (text) => {
		expect(idInText(text, 'transactionId')).toBe('');
	});
});

describe('JSON text for a delivery', () => {
	it('keeps infinite numbers, which JSON.stringify would write as null', () => {
		expect(jsonText({ error: Infinity, data: [1e999, 1] })).toBe(
			'{"error":1e999,"data":[1e999,1]}',
		);
	});

	it.each(['\0infinite', 'Say "\0infinite', 'infinite 0.5', '1e999'])(
		'keeps the text %j',
		(text) => {
			expect(JSON.parse(jsonText({ text }))).toEqual({ text });
		},
	);
});
