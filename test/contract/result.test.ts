import {
	CREATE_HOSTED_LINK,
	readWebhookResult,
	SCAN,
} from '../../nodes/IdentityVerification/contract';
import type { Envelope, Reading } from '../../nodes/IdentityVerification/contract';
import { fixture } from '../support/fixtures';

const readScan = (changes: Record<string, unknown>) =>
	SCAN.parse({ decision: 'accept', ...changes });

const readWebhook = (changes: Record<string, unknown>) =>
	readWebhookResult({ event: 'hosted_conclusive', decision: 'accept', ...changes } as Envelope);

const problemsOf = (reading: Reading<unknown>) => (reading.ok ? [] : reading.problems);
const pathsOf = (reading: Reading<unknown>) => problemsOf(reading).map(({ path }) => path);

const entry = (changes: Record<string, unknown>) => ({
	data: { dob: [{ value: '', ...changes }] },
});
const warningOf = (changes: Record<string, unknown>) => ({ warning: [{ code: 'X', ...changes }] });
const [{ data: sanction }] = fixture('scan-aml').warning as [{ data: object }];

const amlOf = (data: unknown) => warningOf({ code: 'AML_SANCTION', data });

describe('closed values', () => {
	it.each(['accept', 'review', 'reject'])('takes the decision %s', (decision) => {
		expect(readScan({ decision }).ok).toBe(true);
		expect(readScan(warningOf({ decision })).ok).toBe(true);
	});

	it.each(['low', 'medium', 'high'])('takes the severity %s', (severity) => {
		expect(readScan(warningOf({ severity })).ok).toBe(true);
	});

	it.each(['Accept', 'approved', '', 1, null, undefined])('refuses %p as decision', (decision) => {
		expect(pathsOf(readScan({ decision }))).toEqual(['decision']);
	});

	it.each(['critical', 'LOW', 1])('refuses %p as severity', (severity) => {
		expect(pathsOf(readScan(warningOf({ severity })))).toEqual(['warning[0].severity']);
	});

	it('refuses a webhook of another event', () => {
		expect(pathsOf(readWebhook({ event: 'hosted_started' }))).toEqual(['event']);
	});
});

describe('open values', () => {
	it.each([
		['a warning code', warningOf({ code: 'NEW_CODE' })],
		['a key of data', { data: { eyeColor: [{ value: 'BRN' }] } }],
		['a document type', { data: { documentType: [{ value: 'ZZ' }] } }],
		['a source', entry({ source: 'chip' })],
		['data of another warning', warningOf({ data: { alias: 'no list' } })],
	])('takes %s that is not documented', (_, changes) => {
		expect(readScan(changes)).toEqual({ ok: true, value: { decision: 'accept', ...changes } });
	});

	it.each(['escalate', null, undefined, 3])('leaves the decision %p of a webhook', (decision) => {
		expect(readWebhook({ decision })).toMatchObject({ ok: true });
	});

	it.each([
		['the result', { extra: { a: [1] } }],
		['an entry', entry({ chip: true })],
		['a warning', warningOf({ link: 'x' })],
		['an AML record', amlOf({ score: 0.9 })],
		['an output file', { outputFile: [{ size: 10 }] }],
		['the output images', { outputImage: { signature: 'x' } }],
	])('keeps an unknown key of %s', (_, changes) => {
		expect(readScan(changes)).toEqual({ ok: true, value: { decision: 'accept', ...changes } });
		expect(readWebhook(changes)).toMatchObject({ ok: true, value: changes });
	});
});

describe('tolerance', () => {
	const full = fixture('webhook-reject-aml', { missingFields: [] });
	const optional = Object.keys(full).filter((key) => !['decision', 'event'].includes(key));

	it.each(optional)('takes null for %s, and its absence', (key) => {
		const { [key]: removed, ...rest } = full;

		expect(removed).toBeDefined();
		expect(readWebhook({ ...rest, [key]: null }).ok).toBe(true);
		expect(readWebhook(rest).ok).toBe(true);
		expect(readScan({ ...rest, [key]: null }).ok).toBe(true);
		expect(readScan(rest).ok).toBe(true);
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
		expect(readScan(changes).ok).toBe(true);
	});

	it.each([
		['transactionId', { transactionId: 42 }],
		['customData', { customData: 42 }],
		['a value', entry({ value: 37 })],
		['documentnumber', amlOf({ documentnumber: 771200 })],
		['an alias', amlOf({ alias: [7] })],
		['a missing field', { missingFields: [1] }],
	])('takes a number for the text of %s', (_, changes) => {
		expect(readScan(changes)).toEqual({ ok: true, value: { decision: 'accept', ...changes } });
	});
});

describe('a value of another type', () => {
	const texts = ['transactionId', 'profileId', 'customData', 'hosted'];
	const others = ['success', 'reviewScore', 'rejectScore', 'quota', 'credit', 'executionTime'];
	const parents = ['data', 'outputImage', 'outputFile', 'warning', 'missingFields'];

	it.each([...texts, ...others])('is refused in %s', (key) => {
		for (const value of [{}, []]) expect(pathsOf(readScan({ [key]: value }))).toEqual([key]);
	});

	it.each([...others, ...parents])('is refused in %s: a text', (key) => {
		expect(pathsOf(readWebhook({ [key]: 'text' }))).toEqual([key]);
	});

	it.each(Object.keys(sanction))('is refused in %s of an AML record', (key) => {
		expect(pathsOf(readScan(amlOf({ [key]: {} })))).toEqual([`warning[0].data.${key}`]);
	});
});

describe('ranges', () => {
	it.each([0, 0.5, 1])('takes the confidence %d', (confidence) => {
		expect(readScan(entry({ confidence })).ok).toBe(true);
		expect(readScan(warningOf({ confidence })).ok).toBe(true);
	});

	it.each([-0.01, 1.01, '0.5', NaN])('refuses the confidence %p', (confidence) => {
		expect(pathsOf(readScan(entry({ confidence })))).toEqual(['data.dob[0].confidence']);
		expect(pathsOf(readScan(warningOf({ confidence })))).toEqual(['warning[0].confidence']);
	});

	const square = [
		[0, 0],
		[9, 0],
		[9, 9],
		[0, 9],
	];

	it('takes boxes of four integer points', () => {
		expect(readScan(entry({ inputBox: square, outputBox: square, index: 3 })).ok).toBe(true);
	});

	it.each([
		['three points', square.slice(1)],
		['five points', [...square, [0, 0]]],
		['a point of three', [[0, 0, 0], ...square.slice(1)]],
		['half a pixel', [[0.5, 0], ...square.slice(1)]],
		['texts', [['0', '0'], ...square.slice(1)]],
		['no points', [0, 0, 9, 9]],
		['no list', { 0: [0, 0] }],
	])('refuses a box of %s', (_, inputBox) => {
		expect(pathsOf(readScan(entry({ inputBox })))).toEqual(['data.dob[0].inputBox']);
	});

	it('refuses half an index', () => {
		expect(pathsOf(readScan(entry({ index: 0.5 })))).toEqual(['data.dob[0].index']);
	});
});

describe('hosted link', () => {
	const link = { reference: 'r', url: 'https://hosted.example.com/r' };

	it.each([link, { ...link, qrCode: null }, { ...link, qrCode: 'q', expiresAt: 'later' }])(
		'takes %j',
		(body) => {
			expect(CREATE_HOSTED_LINK.parse(body)).toEqual({ ok: true, value: body });
		},
	);

	it('refuses one without reference or url', () => {
		expect(pathsOf(CREATE_HOSTED_LINK.parse({ qrCode: 'q' }))).toEqual(['reference', 'url']);
	});
});
