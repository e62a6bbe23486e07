import { CREATE_HOSTED_LINK, SCAN } from '../../nodes/IdentityVerification/contract/endpoints';
import { parseBody } from '../../nodes/IdentityVerification/contract/parseBody';
import { readWebhookResult } from '../../nodes/IdentityVerification/contract/result';
import type { LenientReading } from '../../nodes/IdentityVerification/contract/read';
import { fixture } from '../kit/data/fixtures';
import { plain } from '../kit/data/readResult';

const scanOf = (changes: object) => SCAN.parse({ decision: 'accept', ...changes });

const webhookOf = (changes: object) =>
	readWebhookResult({ event: 'hosted_conclusive', decision: 'accept', ...changes });

const readScan = (changes: object) => plain(scanOf(changes));
const readWebhook = (changes: object) => plain(webhookOf(changes));

/** Paths of what was left out; of a reading that failed, the ones that it failed for. */
const pathsOf = (reading: LenientReading<object>) =>
	reading.ok ? reading.unreadable.list() : reading.problems.map(({ path }) => `fatal: ${path}`);

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
		expect(readScan(changes)).toEqual(whole({ decision: 'accept', ...changes }));
	});

	it.each([
		['an entry', entry({ chip: true })],
		['a warning', warningOf({ link: 'x' })],
		['an AML record', amlOf({ score: 0.9 })],
		['an output file', { outputFile: [{ size: 10 }] }],
		['the output images', { outputImage: { signature: 'x' } }],
	])('keeps an unknown key of %s', (_, changes) => {
		expect(readScan(changes)).toEqual(whole({ decision: 'accept', ...changes }));
		expect(readWebhook(changes)).toMatchObject({ value: changes, unreadable: [] });
	});

	it('keeps an unknown key of the result in its body', () => {
		const body = { decision: 'accept', extra: { a: [1] } };

		expect(plain(SCAN.parse(body))).toEqual({
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
		expect(pathsOf(webhookOf({ ...rest, [key]: null }))).toEqual([]);
		expect(pathsOf(webhookOf(rest))).toEqual([]);
		expect(pathsOf(scanOf({ ...rest, [key]: null }))).toEqual([]);
		expect(pathsOf(scanOf(rest))).toEqual([]);
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
		expect(pathsOf(scanOf(changes))).toEqual([]);
	});
});

describe('a value of another type', () => {
	const texts = ['transactionId', 'hosted'];
	const trusted = ['profileId', 'customData'];
	const others = ['success', 'reviewScore', 'rejectScore', 'quota', 'credit'];

	it.each([...texts, ...others])('is left out in %s', (key) => {
		for (const value of [{ a: 1 }, [1]]) {
			expect(readScan({ [key]: value })).toEqual(leaving(key));
			expect(pathsOf(webhookOf({ [key]: value }))).toEqual([key]);
		}
	});

	it.each(trusted)('is left out in %s of a scan, and refused in that of a webhook', (key) => {
		for (const value of [{}, [], true]) {
			expect(readScan({ [key]: value })).toEqual(leaving(key));
			expect(pathsOf(webhookOf({ [key]: value, credit: 'x' }))).toEqual([`fatal: ${key}`]);
		}
	});

	it.each([
		['an entry', entry({ confidence: 98.2, source: {}, index: 0.5, inputBox: [] })],
		['a warning', warningOf({ description: {}, confidence: '0.9' })],
		['an AML record', amlOf({ ...sanction, alias: 'Ivo', documentnumber: { a: 1 }, time: {} })],
		['an output file', { outputFile: [{ name: {}, fileName: [], fileUrl: 7 }] }],
	])('is handed on where nothing reads it: in %s', (_, changes) => {
		expect(readScan(changes)).toEqual(whole({ decision: 'accept', ...changes }));
	});

	it('is named by its place in the body, all at once, and changes nothing in it', () => {
		const record = { alias: 'Ivo', entity: 'person' };
		const aml = { code: 'AML_SANCTION', severity: 'critical', decision: 7, data: record };
		const body = { decision: 'reject', warning: ['x', aml, 'y', { severity: '' }], credit: '731' };
		const received = structuredClone(body);

		expect(plain(SCAN.parse(body))).toEqual({
			value: {
				decision: 'reject',
				warning: [{ code: 'AML_SANCTION', data: record }, {}],
			},
			unreadable: [
				'credit',
				'warning[0]',
				'warning[1].severity',
				'warning[1].decision',
				'warning[2]',
				'warning[3].severity',
			],
			body: received,
		});
	});
});

describe('a list of PHP, which is an object where it has gaps,', () => {
	it.each<[field: string, value: unknown, read: unknown]>([
		['warning', { 1: { code: 'B' }, 3: { code: 'A' } }, [{ code: 'B' }, { code: 'A' }]],
		['outputFile', { 0: { name: 'a' } }, [{ name: 'a' }]],
		['missingFields', { 10: 'ten', 9: 'nine' }, ['nine', 'ten']],
		// JavaScript sorts smaller keys only. PHP's own order is the one in which it sends them.
		['missingFields', { '20000000000': 'a', '5000000000': 'b' }, ['a', 'b']],
		['data', { dob: { 2: { value: 'x' } } }, { dob: [{ value: 'x' }] }],
	])('is read in the order of its keys: %s', (field, value, read) => {
		expect(readScan({ [field]: value })).toEqual({
			value: { decision: 'accept', [field]: read },
			unreadable: [],
			body: { decision: 'accept', [field]: value },
		});
	});

	it('has what can not be read named by its keys', () => {
		const warning = { 1: 'x', 3: { code: 'A', severity: 'critical' } };

		expect(readScan({ warning })).toMatchObject({
			value: { warning: [{ code: 'A' }] },
			unreadable: ['warning[1]', 'warning[3].severity'],
		});
	});

	it.each<[field: string, value: unknown]>([
		['warning', { code: 'A' }],
		['warning', { 0: { code: 'A' }, length: 1 }],
		['warning', { '01': { code: 'A' } }],
		['warning', { '-1': { code: 'A' } }],
		['warning', { '1.5': { code: 'A' } }],
		['warning', {}],
		['outputFile', { name: 'a' }],
		['missingFields', {}],
		['data', []],
	])('is not %s: %j', (field, value) => {
		expect(readScan({ [field]: value })).toEqual(leaving(field));
	});
});

/** As the numbers of JavaScript have it, which JSON's are parsed to. */
const BIG = JSON.parse('8202522731445525542') as number;

describe('an ID that is a number with other digits than were sent', () => {
	it.each(['customData', 'transactionId', 'hosted', 'profileId'])('is none: %s', (key) => {
		for (const value of [BIG, -BIG, 1e21, 2 ** 53, 0.1 + 0.2, Infinity]) {
			expect(plain(webhookOf({ [key]: value }))).toMatchObject({
				value: { decision: 'accept' },
				unreadable: [key],
			});
			expect(readScan({ [key]: value })).toMatchObject({ unreadable: [key] });
		}
	});

	it('is kept where its digits are exact', () => {
		for (const hosted of [0, -7, 2 ** 53 - 1, 12.5]) {
			expect(readScan({ hosted })).toEqual(whole({ decision: 'accept', hosted }));
		}
	});

	it('is no link either', () => {
		const reading = CREATE_HOSTED_LINK.parse({ reference: BIG, url: 'https://a.example' });

		expect(plain(reading as LenientReading<object>)).toMatchObject({
			value: { url: 'https://a.example' },
			unreadable: ['reference'],
		});
	});

	it('is no text in another place', () => {
		const changes = { data: { documentNumber: [{ value: BIG }, { value: 'X' }] } };

		expect(readScan(changes)).toMatchObject({
			value: { data: { documentNumber: [{}, { value: 'X' }] } },
			unreadable: ['data.documentNumber[0].value'],
		});
	});
});

describe('a number that JSON does not have', () => {
	it.each<[path: string, text: string]>([
		['credit', '"credit":NaN'],
		['executionTime', '"executionTime":Infinity'],
		['success', '"success":NaN'],
		['warning[0]', '"warning":[NaN]'],
		['warning[1].confidence', '"warning":[{},{"confidence":-Infinity}]'],
		['warning[0].data.*', '"warning":[{"data":{"score":NaN}}]'],
		['missingFields[1]', '"missingFields":["a",NaN]'],
		['data.dob[0].value', '"data":{"dob":[{"value":NaN}]}'],
		['data.dob[0].inputBox[3][1]', '"data":{"dob":[{"inputBox":[[1,2],[],[],[1,NaN]]}]}'],
		['data.*[0].confidence', '"data":{"Ivo":[{"confidence":1e400}]}'],
		['outputImage.front', '"outputImage":{"front":NaN}'],
		['outputImage.*', '"outputImage":{"1971":NaN}'],
		['*', '"holder":{"Ivo":[{"a":NaN}]}'],
	])('is null, and named: %s', (path, text) => {
		const body = parseBody(`{"decision":"review",${text}}`);
		const reading = body.ok ? SCAN.parse(body.value) : body;

		expect(plain(reading as LenientReading<object>)).toMatchObject({
			unreadable: [path],
			body: JSON.parse(`{"decision":"review",${text.replace(/-?(NaN|Infinity|1e400)/, 'null')}}`),
		});
	});
});

describe('the limits of a body', () => {
	const many = <Value>(count: number, value: Value) => Array.from({ length: count }, () => value);
	const nested = (levels: number, innermost = '') =>
		JSON.parse('['.repeat(levels) + innermost + ']'.repeat(levels)) as unknown;

	it.each([99, 100, 200_000])('are 100 levels: %d below a field', (levels) => {
		const extra = levels < 100 ? nested(levels) : nested(99, '"Left out: nested too deeply"');

		expect(readScan({ extra: nested(levels) })).toEqual({
			value: { decision: 'accept' },
			unreadable: levels < 100 ? [] : ['*'],
			body: { decision: 'accept', extra },
		});
	});

	it.each<[path: string, changes: (deep: unknown) => object, value: object]>([
		['warning[1]', (deep) => ({ warning: [{ code: 'A' }, deep] }), { warning: [{ code: 'A' }] }],
		['data', (deep) => ({ data: deep }), {}],
		['data.dob[0]', (deep) => ({ data: { dob: [deep, {}] } }), { data: { dob: [{}] } }],
		['missingFields[0]', (deep) => ({ missingFields: [deep, 'a'] }), { missingFields: ['a'] }],
	])('leave out the smallest part: %s', (path, changes, value) => {
		expect(readScan(changes(nested(100)))).toMatchObject({
			value: { decision: 'accept', ...value },
			unreadable: [path],
		});
	});

	it('leave the code, the decision and the severity of a warning, whatever its record is', () => {
		const finding = { code: 'AML_SANCTION', severity: 'high', decision: 'reject' };
		const alias = many(5_000, 'Ivo Varkov');
		const warning = [
			...many(50, { ...finding, data: { alias } }),
			{ ...finding, data: { alias: nested(100) } },
			{ code: 'FAKE_ID' },
		];

		const { unreadable, value } = readScan({ warning }) as unknown as {
			unreadable: string[];
			value: { warning: object[] };
		};

		expect(unreadable).toEqual(['warning[50].data.alias[0]']);
		expect(value.warning).toHaveLength(52);
		expect(value.warning).toMatchObject([...many(51, finding), { code: 'FAKE_ID' }]);
	});

	it('are none for how much a field has', () => {
		const changes = {
			warning: many(20_000, { code: 'A' }),
			missingFields: many(20_000, 'a'),
			outputFile: many(20_000, {}),
			data: { dob: many(20_000, { value: 'x' }) },
		};

		expect(readScan(changes)).toEqual(whole({ decision: 'accept', ...changes }));
	});

	it.each([
		[100, []],
		[101, ['and at least 1 more']],
		[200_000, ['and at least 199900 more']],
	])('are 100 names of what can not be read: of %d', (count, more) => {
		const { unreadable } = readScan({ warning: many(count, 'x') }) as { unreadable: string[] };

		const names = many(100, '').map((_, index) => `warning[${index}]`);
		expect(unreadable).toEqual([...names, ...more]);
	});

	it('are counted where several have one name', () => {
		const data = { holder: [{ value: [] }], nickname: [{ value: [] }], alias: [{ value: [] }] };

		expect(readScan({ data })).toMatchObject({
			unreadable: ['data.*[0].value', 'and at least 2 more'],
		});
	});

	it('name the fields of the result first', () => {
		const data = Object.fromEntries(many(200, 1).map((wrong, index) => [`key${index}`, [wrong]]));
		const changes = { data: { ...data, dob: many(200, 1) }, warning: [1], hosted: [], credit: '7' };

		const { unreadable } = readScan(changes) as { unreadable: string[] };

		expect(unreadable.slice(0, 4)).toEqual(['hosted', 'credit', 'warning[0]', 'data.*[0]']);
		expect(unreadable).toHaveLength(101);
	});
});
