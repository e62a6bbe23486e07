import { CREATE_HOSTED_LINK } from '../../nodes/IdentityVerification/contract/endpoints';
import type { LenientReading } from '../../nodes/IdentityVerification/contract/read';
import { readWebhookResult } from '../../nodes/IdentityVerification/contract/result';
import { fixture } from '../kit/data/fixtures';
import { asArrived, parseText, plain, readScan, readWebhook } from '../kit/data/readResult';

const scanOf = (changes: object) => readScan({ decision: 'accept', ...changes });

const webhookOf = (changes: object) =>
	readWebhook({ event: 'hosted_conclusive', decision: 'accept', ...changes });

/** Names of the fields that lack something; of a reading that failed, the ones that it failed for. */
const namesOf = (reading: LenientReading<object>) =>
	reading.ok ? reading.unreadable : reading.problems.map(({ path }) => `fatal: ${path}`);

const whole = (value: object) => ({ value, unreadable: [], body: value });
const leaving = (...unreadable: string[]) =>
	expect.objectContaining({ value: { decision: 'accept' }, unreadable });

const entry = (changes: Record<string, unknown>) => ({
	data: { dob: [{ value: '', ...changes }] },
});
const warningOf = (changes: Record<string, unknown>) => ({ warning: [{ code: 'X', ...changes }] });
const [{ data: sanction }] = fixture('scan-aml').warning as [{ data: object }];

const amlOf = (data: unknown) => warningOf({ code: 'AML_SANCTION', data });

describe('open values', () => {
	it.each([
		['a warning code', warningOf({ code: 'NEW_CODE' })],
		['a key of data', { data: { eyeColor: [{ value: 'BRN' }] } }],
		['a document type', { data: { documentType: [{ value: 'ZZ' }] } }],
		['a source', entry({ source: 'chip' })],
		['data of another warning', warningOf({ data: { alias: 'no list' } })],
	])('takes %s that is not documented', (_, changes) => {
		expect(plain(scanOf(changes))).toEqual(whole({ decision: 'accept', ...changes }));
	});

	it.each([
		['an entry', entry({ chip: true })],
		['a warning', warningOf({ link: 'x' })],
		['an AML record', amlOf({ score: 0.9 })],
		['an output file', { outputFile: [{ size: 10 }] }],
		['the output images', { outputImage: { signature: 'x' } }],
	])('keeps an unknown key of %s', (_, changes) => {
		expect(plain(scanOf(changes))).toEqual(whole({ decision: 'accept', ...changes }));
		expect(plain(webhookOf(changes))).toMatchObject({ value: changes, unreadable: [] });
	});

	it('keeps an unknown key of the result in its body', () => {
		const body = { decision: 'accept', extra: { a: [1] } };

		expect(plain(readScan(body))).toEqual({
			value: { decision: 'accept' },
			unreadable: [],
			body,
		});
	});
});

describe('tolerance', () => {
	const full = fixture('webhook-reject-aml', { missingFields: [] });
	const optional = Object.keys(full).filter((key) => !['decision', 'event'].includes(key));

	it.each(optional)('takes null for %s, and its absence', (key) => {
		const { [key]: removed, ...rest } = full;

		expect(removed).toBeDefined();
		expect(namesOf(webhookOf({ ...rest, [key]: null }))).toEqual([]);
		expect(namesOf(webhookOf(rest))).toEqual([]);
		expect(namesOf(scanOf({ ...rest, [key]: null }))).toEqual([]);
		expect(namesOf(scanOf(rest))).toEqual([]);
	});

	it.each([
		['an entry', entry({ confidence: null, source: null, index: null, inputBox: null })],
		['a warning', warningOf({ description: null, severity: null, decision: null, data: null })],
		['an AML record', amlOf({ address: null, documentnumber: null, alias: null, time: null })],
		['an output file', { outputFile: [{ name: null, fileName: null, fileUrl: null }] }],
		['the output images', { outputImage: { front: null, back: null, face: null } }],
		['data', { data: {} }],
		['every list', { warning: [], outputFile: [], missingFields: [], data: { face: [] } }],
	])('takes empty values in %s', (_, changes) => {
		expect(namesOf(scanOf(changes))).toEqual([]);
	});
});

describe('a value of another type', () => {
	const texts = ['transactionId', 'profileId', 'customData', 'hosted'];
	const numbers = ['reviewScore', 'rejectScore', 'quota', 'credit'];

	it.each([...texts, 'success', ...numbers])('is left out in %s', (key) => {
		for (const value of [{ a: 1 }, [1], '0x1F', '']) {
			if (typeof value === 'string' && texts.includes(key)) continue;
			expect(plain(scanOf({ [key]: value }))).toEqual(leaving(key));
			expect(namesOf(webhookOf({ [key]: value }))).toEqual([key]);
		}
	});

	it.each(texts)('is left out in %s, also if it is a boolean or lacks characters', (key) => {
		for (const value of [true, 'M\ufffdller']) {
			expect(plain(scanOf({ [key]: value }))).toEqual(leaving(key));
		}
	});

	it.each([
		['an entry', entry({ confidence: '98.2', source: {}, index: 0.5, inputBox: [] })],
		['a warning', warningOf({ description: {} })],
		['an AML record', amlOf({ ...sanction, alias: 'Ivo', documentnumber: { a: 1 }, time: {} })],
		['an output file', { outputFile: [{ name: {}, fileName: [], fileUrl: 7 }] }],
	])('is handed on where nothing reads it: in %s', (_, changes) => {
		expect(plain(scanOf(changes))).toEqual(whole({ decision: 'accept', ...changes }));
	});

	it('is named by its field, once, and changes nothing in the body', () => {
		const record = { alias: 'Ivo', entity: 'person' };
		const aml = { code: 'AML_SANCTION', severity: 'critical', decision: 7, data: record };
		const body = { decision: 'reject', warning: ['x', aml, 'y', { severity: '' }], credit: 'x' };
		const received = structuredClone(body);

		expect(plain(readScan(body))).toEqual({
			value: {
				decision: 'reject',
				warning: [{ code: 'AML_SANCTION', data: record }, {}],
			},
			unreadable: ['credit', 'warning'],
			body: received,
		});
		expect(body).toEqual(received);
	});

	it.each<[field: string, value: unknown]>([
		['warning', { code: 'A' }],
		['warning', { 0: { code: 'A' }, 2: { code: 'B' } }],
		['warning', {}],
		['warning', 'x'],
		['outputFile', { name: 'a' }],
		['missingFields', {}],
		['data', []],
		['data', [[]]],
		['outputImage', []],
	])('is no list or map: %s, %j', (field, value) => {
		expect(plain(scanOf({ [field]: value }))).toEqual(leaving(field));
	});

	it('leaves the keys of data and of the images beside it', () => {
		const data = { dob: { value: 'x' }, sex: [{ value: 'M' }], __proto__: 1 };
		const outputImage = { front: ['x'], back: 'y', face: 7, selfie: {} };

		expect(plain(scanOf({ data, outputImage }))).toMatchObject({
			value: { data: { sex: [{ value: 'M' }] }, outputImage: { back: 'y', face: 7 } },
			unreadable: ['outputImage', 'data'],
		});
	});
});

describe('a number that is written as text', () => {
	const numbers = ['reviewScore', 'rejectScore', 'quota', 'credit'];

	it.each([
		['731', 731],
		['-0.25', -0.25],
		['007', 7],
		['123456789012345.5', 123456789012345.5],
	])('is read: %j', (text, value) => {
		for (const key of numbers) {
			expect(plain(scanOf({ [key]: text }))).toEqual({
				...whole({ decision: 'accept', [key]: value }),
				body: { decision: 'accept', [key]: text },
			});
		}
		expect(plain(scanOf(warningOf({ confidence: text })))).toMatchObject({
			value: warningOf({ confidence: value }),
			unreadable: [],
		});
		expect(plain(scanOf(entry({ index: text })))).toMatchObject({
			value: entry({ index: value }),
			unreadable: [],
		});
	});

	it.each(['', ' ', ' 7', '7 ', '1e3', '0x1F', '.5', '5.', '+7', '1,5', 'NaN', '1'.repeat(16)])(
		'is none: %j',
		(text) => {
			for (const key of numbers) expect(plain(scanOf({ [key]: text }))).toEqual(leaving(key));
			expect(plain(scanOf(warningOf({ confidence: text })))).toMatchObject({
				value: { warning: [{ code: 'X' }] },
				unreadable: ['warning'],
			});
			expect(namesOf(scanOf(entry({ index: text })))).toEqual(['data']);
		},
	);

	it.each(['true', '1'])('is only a number where one is documented: %j', (success) => {
		expect(plain(scanOf({ success }))).toEqual(leaving('success'));
	});
});

/** As the numbers of JavaScript have it, which JSON's are parsed to. */
const BIG = JSON.parse('8202522731445525542') as number;

describe('an ID that is a number with other digits than were sent', () => {
	it.each(['customData', 'transactionId', 'hosted', 'profileId'])('is none: %s', (key) => {
		for (const value of [BIG, -BIG, 1e21, 2 ** 53, 12.5, 0.1 + 0.2, Infinity]) {
			expect(plain(webhookOf({ [key]: value }))).toMatchObject({
				value: { decision: 'accept' },
				unreadable: [key],
			});
			expect(plain(scanOf({ [key]: value }))).toMatchObject({ unreadable: [key] });
		}
	});

	it('is kept where its digits are exact', () => {
		for (const hosted of [0, -7, 2 ** 53 - 1]) {
			expect(plain(scanOf({ hosted }))).toEqual(whole({ decision: 'accept', hosted }));
		}
	});

	it('is named in Raw, too, which has it as it was parsed', () => {
		const reading = webhookOf({ customData: BIG, hosted: 12.5, profileId: {}, transactionId: 7 });

		expect(reading).toMatchObject({
			raw: { value: { customData: BIG }, unreadable: ['customData', 'hosted'] },
		});
	});

	it('is named in Raw wherever it is', () => {
		const reading = webhookOf({ data: { documentNumber: [{ value: BIG }], dob: [{ value: 5 }] } });

		expect(reading).toMatchObject({ raw: { unreadable: ['data'] } });
	});

	it('is no link either', () => {
		const reading = CREATE_HOSTED_LINK.parse(
			asArrived({ reference: BIG, url: 'https://a.example' }),
			200,
		);

		expect(plain(reading as LenientReading<object>)).toMatchObject({
			value: { url: 'https://a.example' },
			unreadable: ['reference'],
		});
	});

	it('is no text in another place', () => {
		const changes = { data: { documentNumber: [{ value: BIG }, { value: 'X' }] } };

		expect(plain(scanOf(changes))).toMatchObject({
			value: { data: { documentNumber: [{}, { value: 'X' }] } },
			unreadable: ['data'],
		});
	});
});

describe('a number that JSON does not have', () => {
	const read = (members: string) => {
		const parsed = parseText(`{"event":"hosted_conclusive","decision":"review",${members}}`);
		return plain(parsed.ok ? readWebhookResult(parsed.value) : parsed);
	};

	it.each([
		'"credit":NaN',
		'"executionTime":Infinity',
		'"success":NaN',
		'"warning":[{},{"confidence":-Infinity}]',
		'"warning":[{"data":{"score":NaN}}]',
		'"data":{"dob":[{"inputBox":[[1,2],[],[],[1,NaN]]}]}',
		'"holder":{"Ivo":[{"a":NaN}]}',
	])('is null, and the whole body is named: %s', (members) => {
		expect(read(members)).toMatchObject({
			unreadable: ['*'],
			body: JSON.parse(`{"decision":"review",${members.replace(/-?(NaN|Infinity)/, 'null')}}`),
		});
	});

	it.each([
		['credit', '"credit":1e400'],
		['customData', '"customData":1e400'],
		['warning', '"warning":[{"code":"X"},{"confidence":-1e400}]'],
		['data', '"data":{"Ivo":[{"confidence":1e400}]}'],
		['*', '"executionTime":1e400'],
	])(
		'leaves out its field, which is named, where it is only too large: %s, %s',
		(name, members) => {
			const whole = { event: 'hosted_conclusive', decision: 'review' };

			expect(read(members)).toEqual({ value: whole, unreadable: [name], body: whole });
		},
	);

	it('leaves no link where it is the url', () => {
		const reading = CREATE_HOSTED_LINK.parse(asArrived({ url: Infinity }), 200);

		expect(reading).toMatchObject({
			ok: false,
			problems: [{ path: 'url', problem: 'has an undocumented type or value' }],
		});
	});

	// The replacement can have been within the text.
	it.each(['transactionId', 'profileId', 'customData', 'hosted'])(
		'leaves no %s that it can have changed',
		(key) => {
			for (const id of ['a, NaN, b', 'x:Infinity]', 'null, NaN,']) {
				const { value } = read(`"${key}":"${id}","credit":NaN`) as { value: object };
				expect(value).toMatchObject({ [key]: null });
			}
			for (const id of ['C-NaN-Infinity', 'x-Infinity-1', 'NaN', '7', 'dev-null-1']) {
				expect(read(`"${key}":"${id}","credit":NaN`)).toMatchObject({ value: { [key]: id } });
			}
			expect(read(`"${key}":"null-1"`)).toMatchObject({ value: { [key]: 'null-1' } });
			expect(read(`"${key}":NaN`)).toMatchObject({ value: { [key]: null } });
			expect(read(`"${key}":{"toString":1},"credit":NaN`)).toBeDefined();
		},
	);

	it('leaves no url of a link that it can have changed', () => {
		const parsed = parseText('{"url":"https://a.example/?b=[NaN,1]","qrCode":NaN}');
		const reading = parsed.ok ? CREATE_HOSTED_LINK.parse(parsed.value, 200) : parsed;

		expect(reading).toMatchObject({ ok: false, problems: [{ path: 'url' }] });
	});
});

describe('the limits of a body', () => {
	const many = <Value>(count: number, value: Value) => Array.from({ length: count }, () => value);
	const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;

	it.each([99, 100, 200_000])('are 100 levels: %d below a field', (levels) => {
		const extra = nested(levels);

		expect(plain(scanOf({ extra }))).toEqual({
			value: { decision: 'accept' },
			unreadable: levels < 100 ? [] : ['*'],
			body: { decision: 'accept', ...(levels < 100 && { extra }) },
		});
	});

	it.each<[name: string, changes: (deep: unknown) => object]>([
		['warning', (deep) => ({ warning: [{ code: 'A' }, { code: 'B', data: { alias: deep } }] })],
		['data', (deep) => ({ data: { dob: [deep, {}], sex: [] } })],
		['missingFields', (deep) => ({ missingFields: [deep, 'a'] })],
	])('leave out a field as a whole: %s', (name, changes) => {
		expect(plain(scanOf({ ...changes(nested(100)), credit: 7 }))).toEqual({
			value: { decision: 'accept', credit: 7 },
			unreadable: [name],
			body: { decision: 'accept', credit: 7 },
		});
	});

	it.each([
		['warning', { code: 'A' }],
		['missingFields', 'a'],
		['outputFile', {}],
	])('are 10,000 elements of a list: %s', (field, element) => {
		const list = many(10_000, element);

		expect(plain(scanOf({ [field]: list }))).toEqual(whole({ decision: 'accept', [field]: list }));
		expect(plain(scanOf({ [field]: [...list, { code: 'reject', decision: 'reject' }] }))).toEqual({
			value: { decision: 'accept', [field]: list },
			unreadable: [field],
			body: { decision: 'accept', [field]: [...list, { code: 'reject', decision: 'reject' }] },
		});
	});

	it('are 10,000 keys of data, and 10,000 readings of each', () => {
		const entries = many(10_001, { value: 'x' });
		const keys = Object.fromEntries(many(10_001, []).map((list, index) => [`key${index}`, list]));

		expect(plain(scanOf({ data: { dob: entries } }))).toMatchObject({
			value: { data: { dob: entries.slice(1) } },
			unreadable: ['data'],
		});
		const { key10000, ...others } = keys;
		expect(key10000).toBeDefined();
		expect(plain(scanOf({ data: keys }))).toMatchObject({
			value: { data: others },
			unreadable: ['data'],
		});
		expect(namesOf(scanOf({ data: others }))).toEqual([]);
	});

	it('are 50,000 elements in all, those of warnings first', () => {
		const data = Object.fromEntries(
			['a', 'b', 'c', 'd', 'e'].map((key) => [key, many(10_000, {})]),
		);

		const reading = plain(scanOf({ data, warning: many(10_000, { code: 'A' }) }));

		const { value, unreadable } = reading as unknown as {
			value: { warning: object[]; data: Record<string, object[]> };
			unreadable: string[];
		};
		expect(unreadable).toEqual(['data']);
		expect(value.warning).toHaveLength(10_000);
		expect(Object.values(value.data).map(({ length }) => length)).toEqual([
			...many(3, 10_000),
			9_995,
			0,
		]);
	});

	it('are far beyond a result of 2 MB with 300 records of sanctions', () => {
		const finding = fixture('scan-aml').warning as object[];
		const note = many(20, 'x'.repeat(300));
		const warning = many(300, { ...finding[0], data: { ...sanction, note } });
		const body = fixture('scan-aml', { warning });

		expect(JSON.stringify(body).length).toBeGreaterThan(2_000_000);
		expect(plain(readScan(body))).toMatchObject({ value: { warning }, unreadable: [] });
	});
});
