import { idInText, jsonText, parseServiceJson } from '../../../nodes/IdentityVerification/contract/json';

describe('the JSON of a service', () => {
	it.each([
		['NaN', Infinity],
		['-Infinity', Infinity],
		['[NaN,1,Infinity ]', [Infinity, 1, Infinity]],
		['{"a": NaN, "NaN": "NaN \\"NaN"}', { a: Infinity, NaN: 'NaN "NaN' }],
		['{"path":"C:\\\\","score":NaN}', { path: 'C:\\', score: Infinity }],
		['{"a":1e400}', { a: Infinity }],
	])('is read with the numbers that Python writes: %s', (text, value) => {
		expect(parseServiceJson(text)).toEqual(value);
	});

	it.each(['{"a":1}', '[]', '"NaN"', 'null', '7'])('is read as it is: %s', (text) => {
		expect(parseServiceJson(`\ufeff\ufeff\n${text}`)).toEqual(JSON.parse(text));
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
		expect(parseServiceJson(text)).toBeUndefined();
	});

	it('is read whatever its strings hold, in linear time', () => {
		const strings = ['\\"'.repeat(4_000_000), 'a'.repeat(8_000_000), 'NaN,'.repeat(1_000_000)];
		const text = `[NaN,${strings.map((string) => `"${string}"`).join()}]`;

		expect(parseServiceJson(text)).toEqual([
			Infinity,
			...strings.map((string) => string.replaceAll('\\', '')),
		]);
	});
});

describe('thousands of NaN', () => {
	const text = `{"list":[${'NaN,'.repeat(20_000)}0],"error":NaN}`;

	it('are numbers that can not be known, or missing', () => {
		const { list } = parseServiceJson(text) as { list: unknown[] };

		expect(list).toHaveLength(20_001);
		expect(list.slice(0, 10_000).every((part) => part === Infinity)).toBe(true);
		expect(list.slice(10_000, -1).every((part) => part === null)).toBe(true);
	});

	it('hide none in a field of the body, on which trust depends', () => {
		expect(parseServiceJson(text)).toMatchObject({ error: Infinity });
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
		expect(jsonText({ error: Infinity, data: [1e999, 1] })).toBe('{"error":1e999,"data":[1e999,1]}');
	});

	it.each(['\0infinite', 'Say "\0infinite', 'infinite 0.5', '1e999'])('keeps the text %j', (text) => {
		expect(JSON.parse(jsonText({ text }))).toEqual({ text });
	});
});
