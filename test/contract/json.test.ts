import { idInText } from '../../nodes/IdentityVerification/contract/ids';
import { parseText } from '../kit/data/readResult';

const readable = (json: unknown) => ({ ok: true, value: { json, isRepaired: false } });
const repaired = (json: unknown) => ({ ok: true, value: { json, isRepaired: true } });
const NO_JSON = { ok: false, problems: [{ path: '', problem: 'is not a JSON object' }] };

describe('the JSON of a service', () => {
	it.each(['{"a":1}', '[]', '"NaN"', 'null', '7', '{"a":"[NaN,1]"}', '{"customData":"null"}'])(
		'is read as it is: %s',
		(text) => {
			expect(parseText(`\ufeff\ufeff\n${text}\n`)).toEqual(readable(JSON.parse(text)));
			expect(parseText(text)).toEqual(readable(JSON.parse(text)));
		},
	);

	it('is read with numbers that are too large for it', () => {
		expect(parseText('{"a":1e400}')).toEqual(readable({ a: Infinity }));
	});

	it.each([
		['[NaN,1,Infinity ]', [null, 1, null]],
		['[NaN,NaN,-Infinity\n,NaN]', [null, null, null, null]],
		['{"a": NaN, "NaN": "NaN \\"NaN"}', { a: null, NaN: 'NaN "NaN' }],
		['{"path":"C:\\\\","score":\t-Infinity\n}', { path: 'C:\\', score: null }],
		['\ufeff{"a":NaN}', { a: null }],
		['{"a":NaN,"note":"a, NaN, b"}', { a: null, note: 'a, null, b' }],
	])('is read with null for the numbers that Python writes, and marked: %s', (text, json) => {
		expect(parseText(text)).toEqual(repaired(json));
	});

	it.each([
		'',
		'NaN',
		'Nan',
		'{"a":aNaN}',
		'{"a":NaN',
		'{"a":1NaN}',
		'{"a":--Infinity}',
		'{"a":+Infinity}',
		'{NaN:1}',
		'NaN"',
		'{"NaN',
		'{"a":"NaN\\"}',
		'[NaN]]',
		'[NaN,]',
		'[NaN NaN]',
	])('is none: %j', (text) => {
		expect(parseText(text)).toEqual(NO_JSON);
	});

	it.each([
		['spaces', `[${' '.repeat(8_000_000)}1,NaN]`],
		['commas', `["${','.repeat(8_000_000)}",NaN]`],
		['commas and spaces', `["${', '.repeat(4_000_000)}",NaN]`],
		['words', `["${'NaN '.repeat(2_000_000)}",NaN]`],
		['numbers', `[${'NaN,'.repeat(2_000_000)}NaN]`],
		['backslashes', `["${'\\\\'.repeat(4_000_000)}",NaN]`],
	])('is read in linear time, with 8 MB of %s', (_, text) => {
		const before = process.cpuUsage();

		expect(parseText(text).ok).toBe(true);
		// What isn't linear would take hours.
		const { user } = process.cpuUsage(before);
		expect(user).toBeLessThan(10_000_000);
	});
});

describe('the ID in a text that is not JSON', () => {
	it.each([
		'{"transactionId":"tx-1","data":{"dob":[{"val',
		'{"success":true, "transactionId" : "tx-1"',
		'{"customData":"\\"transactionId\\":\\"other\\"","transactionId":"tx-1",}',
		'<b>Notice</b>: in "scan.php"\n{"transactionId":"tx-1"}',
	])('is the first one with this name: %s', (text) => {
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
		'{"transactionId":"tx-',
		'{"transactionId":820252',
		'{"transactionId":820252]',
		'{"transactionId":"Ivo Varkov",',
		`{"transactionId":"${'x'.repeat(65)}",`,
		'{"transactionId":null,"a":"tx-1"',
		'{"transactionId":{"a":"tx-1"',
		'{"customData":"transactionId","x":"tx-1"',
		'{"a":"transactionId","tx-1":1',
		'{"reference":"tx-1",',
	])('is none: %s', (text) => {
		expect(idInText(text, 'transactionId')).toBe('');
	});
});
