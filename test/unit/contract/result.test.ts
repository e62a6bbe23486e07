import { SCAN } from '../../../nodes/IdentityVerification/contract/endpoints';
import { readWebhookResult } from '../../../nodes/IdentityVerification/contract/result';
import type { LenientReading } from '../../../nodes/IdentityVerification/contract/read';
import type { Envelope } from '../../../nodes/IdentityVerification/contract/result';
import { resultItem } from '../../../nodes/IdentityVerification/resultItem';
import { fixture } from '../../kit/fixtures';

const readScan = (changes: Record<string, unknown>) =>
	SCAN.parse({ decision: 'accept', ...changes });

const readWebhook = (changes: Record<string, unknown>) =>
	readWebhookResult({ event: 'hosted_conclusive', decision: 'accept', ...changes } as Envelope);

/** Paths of what was left out; of a reading that failed, the ones that it failed for. */
const pathsOf = (reading: LenientReading<unknown>) =>
	reading.ok ? reading.unreadable : reading.problems.map(({ path }) => `fatal: ${path}`);

const whole = (value: unknown) => ({ ok: true, value, unreadable: [], body: value });
const leaving = (value: unknown, ...unreadable: string[]) =>
	expect.objectContaining({
		ok: true,
		value: { decision: 'accept', ...(value as object) },
		unreadable,
	});

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
		['the result', { extra: { a: [1] } }],
		['an entry', entry({ chip: true })],
		['a warning', warningOf({ link: 'x' })],
		['an AML record', amlOf({ score: 0.9 })],
		['an output file', { outputFile: [{ size: 10 }] }],
		['the output images', { outputImage: { signature: 'x' } }],
	])('keeps an unknown key of %s', (_, changes) => {
		expect(readScan(changes)).toEqual(whole({ decision: 'accept', ...changes }));
		expect(readWebhook(changes)).toMatchObject({ ok: true, value: changes, unreadable: [] });
	});
});

describe('tolerance', () => {
	const full = fixture('webhook-reject-aml', { missingFields: [] });
	const optional = Object.keys(full).filter((key) => !['decision', 'event'].includes(key));

	it.each(optional)('takes null for %s, and its absence', (key) => {
		const { [key]: removed, ...rest } = full;

		expect(removed).toBeDefined();
		expect(pathsOf(readWebhook({ ...rest, [key]: null }))).toEqual([]);
		expect(pathsOf(readWebhook(rest))).toEqual([]);
		expect(pathsOf(readScan({ ...rest, [key]: null }))).toEqual([]);
		expect(pathsOf(readScan(rest))).toEqual([]);
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
		expect(pathsOf(readScan(changes))).toEqual([]);
	});
});

describe('a value of another type', () => {
	const texts = ['transactionId', 'hosted'];
	const trusted = ['profileId', 'customData'];
	const others = ['success', 'reviewScore', 'rejectScore', 'quota', 'credit'];

	it.each([...texts, ...others])('is left out in %s', (key) => {
		for (const value of [{ a: 1 }, [1]]) {
			expect(readScan({ [key]: value })).toEqual(leaving({}, key));
			expect(pathsOf(readWebhook({ [key]: value }))).toEqual([key]);
		}
	});

	it.each(trusted)('is left out in %s of a scan, and refused in that of a webhook', (key) => {
		for (const value of [{}, [], true]) {
			expect(readScan({ [key]: value })).toEqual(leaving({}, key));
			expect(pathsOf(readWebhook({ [key]: value, credit: 'x' }))).toEqual([`fatal: ${key}`]);
		}
	});

	it.each([
		['an entry', entry({ confidence: 98.2, source: {}, index: 0.5, inputBox: [] })],
		['a warning', warningOf({ description: {}, confidence: '0.9' })],
		['an AML record', amlOf({ ...sanction, alias: 'Ivo', documentnumber: { a: 1 }, time: {} })],
		['an output file', { outputFile: [{ name: {}, fileName: [], fileUrl: 7 }] }],
		['the result', { executionTime: 'long' }],
	])('is handed on where nothing reads it: in %s', (_, changes) => {
		expect(readScan(changes)).toEqual(whole({ decision: 'accept', ...changes }));
	});

	it('is named by its place in the body, all at once, and changes nothing in it', () => {
		const record = { alias: 'Ivo', entity: 'person' };
		const aml = { code: 'AML_SANCTION', severity: 'critical', decision: 7, data: record };
		const body = { decision: 'reject', warning: ['x', aml, 'y', { severity: '' }], credit: '731' };
		const received = structuredClone(body);

		const reading = SCAN.parse(body);

		expect(reading).toEqual({
			ok: true,
			value: {
				decision: 'reject',
				warning: [{ code: 'AML_SANCTION', data: record }, {}],
			},
			unreadable: expect.arrayContaining([
				'warning[0]',
				'warning[1].severity',
				'warning[1].decision',
				'warning[2]',
				'warning[3].severity',
				'credit',
			]),
			body: received,
		});
		expect(pathsOf(reading)).toHaveLength(6);
	});
});

describe('the limits of a body', () => {
	const many = (count: number) => Array.from({ length: count }, () => 1);

	it.each([99, 100])('are 100 levels: %d below a field', (levels) => {
		const extra = JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;
		const left = [[expect.stringContaining('Left out')]];

		expect(readScan({ extra })).toMatchObject({ value: { extra: levels < 100 ? extra : left } });
	});

	it.each([
		['warning', many(200_000)],
		['data', { dob: many(200_000) }],
		['warning', [{ code: 'AML_SANCTION', data: { alias: many(2_000_000) } }]],
	])('are 10,000 values: over it, the field %s is left out, but of Raw', (key, value) => {
		const rest = { decision: 'accept', missingFields: many(9_000) };
		const body = { ...rest, [key]: value };
		const reading = SCAN.parse(body);

		expect(reading).toEqual({ ok: true, value: rest, unreadable: [key], body });
		expect(reading.ok && resultItem(reading, 'raw')).toEqual(body);
	});
});
