import type { IDataObject } from 'n8n-workflow';

import { readWebhookResult, SCAN } from '../nodes/IdentityVerification/contract';
import type { Envelope, VerificationResult } from '../nodes/IdentityVerification/contract';
import { PERSONAL_FIELDS, resultItem } from '../nodes/IdentityVerification/resultItem';
import type { Output } from '../nodes/IdentityVerification/resultItem';
import { fixture, SCAN_FIXTURES, WEBHOOK_FIXTURES } from './support/fixtures';
import { personalValues, tellingValues } from './support/personalValues';

const FIXTURES = [...SCAN_FIXTURES, ...WEBHOOK_FIXTURES];

function shape(body: IDataObject, output: Output): IDataObject {
	const reading = 'event' in body ? readWebhookResult(body as Envelope) : SCAN.parse(body);
	if (!reading.ok) throw new Error('The test has a body that is no result');
	return asStored(resultItem(reading.value as VerificationResult, body, output));
}

const asStored = (item: object) => JSON.parse(JSON.stringify(item)) as IDataObject;

const simplified = (changes: IDataObject = {}) =>
	shape(fixture('webhook-accept', changes), 'simplified');

const entries = (...values: unknown[]) => values.map((value) => ({ value })) as IDataObject[];
const sanctionOf = (data: IDataObject) =>
	(simplified({ warning: [{ code: 'AML_SANCTION', data }] }).sanctions as IDataObject[])[0];

describe('Full', () => {
	it.each(FIXTURES)('is %s as received', (name) => {
		expect(shape(fixture(name), 'full')).toEqual(fixture(name));
	});

	it('keeps keys that the interface does not list', () => {
		const body = fixture('scan-accept', { unknown: { deep: [1] } });

		expect(shape(body, 'full')).toEqual(body);
	});

	it('marks an unrecognized decision', () => {
		const body = fixture('webhook-accept', { decision: 'postponed' });

		expect(shape(body, 'full')).toEqual({ ...body, unrecognizedDecision: true });
	});
});

describe('Simplified', () => {
	it.each(FIXTURES)('has the same keys for %s', (name) => {
		expect(Object.keys(shape(fixture(name), 'simplified')).sort()).toEqual(SIMPLIFIED_KEYS);
	});

	it('takes what a result says of itself', () => {
		expect(simplified()).toMatchObject({
			decision: 'accept',
			success: true,
			customData: 'customer-20417',
			hosted: 'Zk4xv0T1bQ',
			transactionId: '7f3c2b1e9a6d4c58b0e1',
			profileId: 'onboarding-standard',
			reviewScore: 0,
			rejectScore: 0,
			quota: 0,
			credit: 948,
			executionTime: 1.842,
		});
	});

	it.each(FIXTURES)('has the first reading of each field of %s', (name) => {
		const body = fixture(name);
		const data = body.data as Record<string, { value: string }[]>;
		const first = Object.entries(data).map(([key, [entry]]) => [key, entry?.value]);

		const fields = shape(body, 'simplified').fields as IDataObject;

		const asText = Object.entries(fields).map(([key, value]) => [key, String(value)]);
		expect(asText).toEqual(first);
	});

	it('reads age, days and the parts of dates as numbers, and nothing else', () => {
		const fields = shape(fixture('scan-aml'), 'simplified').fields as IDataObject;

		expect(fields).toMatchObject({
			age: 54,
			daysFromIssue: 1204,
			daysToExpiry: -45,
			dobDay: 23,
			dobMonth: 11,
			dobYear: 1971,
			postcode: '40210',
			internalId: '7300158842',
		});
		expect(Object.values(fields).filter((value) => typeof value === 'number')).toHaveLength(12);
	});

	it.each(['', 'unknown', '3.5', '0x1f', '1e3', ' 7', '9'.repeat(20)])(
		'keeps %j of a numeric field as text',
		(value) => {
			expect(simplified({ data: { age: entries(value) } }).fields).toEqual({ age: value });
		},
	);

	it('takes a number where a text is documented', () => {
		const data = { age: entries(37), postcode: entries(40210) };

		expect(simplified({ data }).fields).toEqual({ age: 37, postcode: '40210' });
	});

	it('takes the first entry, also when it is empty, and no field without an entry', () => {
		const data = { face: entries('', 'second'), dob: entries('a', 'b'), expiry: [] };

		expect(simplified({ data }).fields).toEqual({ face: '', dob: 'a' });
	});

	it('hands on missing fields, files and images', () => {
		const { missingFields, outputFile, outputImage } = fixture('scan-aml');

		expect(shape(fixture('scan-aml'), 'simplified')).toMatchObject({
			missingFields,
			files: outputFile,
			images: outputImage,
		});
	});

	it('lists each warning, and each code once', () => {
		const { warnings, warningCodes } = shape(fixture('webhook-text-forgery'), 'simplified');

		expect(warnings).toEqual(fixture('webhook-text-forgery').warning);
		expect(warningCodes).toEqual(['TEXT_FORGERY', 'IMAGE_FORGERY', 'IMAGE_EDITED', 'FAKE_ID']);
	});

	it.each([
		[['low', 'high', 'medium'], 'high'],
		[['low', 'medium', null], 'medium'],
		[['low'], 'low'],
		[[null], null],
		[[], null],
	])('takes of the severities %j the highest', (severities, highest) => {
		const warning = severities.map((severity) => ({ code: 'X', severity }));

		expect(simplified({ warning }).highestSeverity).toBe(highest);
	});

	it.each([
		['a missing list', {}],
		['null', { data: null, warning: null, outputFile: null, outputImage: null }],
		['nothing', { data: {}, warning: [], outputFile: [], outputImage: {} }],
	])('has empty values for %s', (_, changes) => {
		const item = shape(
			{ event: 'hosted_conclusive', decision: 'reject', ...changes },
			'simplified',
		);

		expect(item).toEqual({
			...Object.fromEntries(SIMPLIFIED_KEYS.map((key) => [key, null])),
			decision: 'reject',
			fields: {},
			missingFields: [],
			warnings: [],
			warningCodes: [],
			sanctions: [],
			files: [],
			images: {},
		});
	});

	it('keeps an unrecognized decision visible', () => {
		expect(simplified({ decision: 'postponed' })).toMatchObject({
			decision: 'postponed',
			unrecognizedDecision: true,
		});
	});
});

describe('sanctions', () => {
	it('are the records of the AML warnings, which no longer carry them', () => {
		const [record, second] = (fixture('scan-aml').warning as IDataObject[]).map(({ data }) => data);

		const { sanctions, warnings } = shape(fixture('scan-aml'), 'simplified');

		expect(sanctions).toEqual([{ ...(record as object), documentnumber: IDENTIFIERS }, second]);
		expect(warnings).toHaveLength(3);
		expect(JSON.stringify(warnings)).not.toContain('Varkov');
	});

	it('keep the data of other warnings with the warning', () => {
		const warning = [{ code: 'OTHER', data: { detail: 1 } }];

		expect(simplified({ warning })).toMatchObject({ warnings: warning, sanctions: [] });
	});

	it.each([null, 'E771200', '[broken', '', '00771200', 5])(
		'keep the document number %j',
		(documentnumber) => {
			expect(sanctionOf({ documentnumber })).toEqual({ documentnumber });
		},
	);

	// These are JSON by chance: read as numbers, they would lose digits.
	it.each(['771200', '12345678901234567890', '7E71200', '-0', 'null', 'true', '"E7"'])(
		'keep the document number %j as text',
		(documentnumber) => {
			expect(sanctionOf({ documentnumber })).toEqual({ documentnumber });
		},
	);

	it('keep a document number that is nested without end as text', () => {
		const documentnumber = '['.repeat(50_000) + ']'.repeat(50_000);

		expect(sanctionOf({ documentnumber })).toEqual({ documentnumber });
	});
});

describe('Decision Only', () => {
	it('is what a workflow needs to branch on and to find the case again', () => {
		expect(shape(fixture('webhook-reject-aml'), 'decisionOnly')).toEqual({
			decision: 'reject',
			customData: 'customer-20418',
			hosted: 'Zk4xv0T1bQ',
			transactionId: '90be4410',
			profileId: 'onboarding-standard',
			reviewScore: 0,
			rejectScore: 3,
			warningCodes: ['AML_SANCTION'],
			credit: 948,
			quota: 0,
		});
	});

	it.each(FIXTURES)('holds no personal value of %s', (name) => {
		const item = JSON.stringify(shape(fixture(name), 'decisionOnly'));

		const held = [
			...tellingValues(fixture(name)).filter((value) => item.includes(value)),
			...personalValues(fixture(name)).filter((value) => item.includes(JSON.stringify(value))),
		];

		expect(held).toEqual([]);
	});

	it('holds nothing that the interface does not list', () => {
		const secret = 'Ivo Varkov';
		const body = fixture('webhook-accept', {
			decision: secret,
			holder: secret,
			missingFields: [secret],
			warning: [{ code: 'X', holder: secret, description: secret, data: { holder: secret } }],
		});

		const item = shape(body, 'decisionOnly');

		expect(item).toMatchObject({ decision: null, unrecognizedDecision: true });
		expect(JSON.stringify(item)).not.toContain(secret);
	});
});

it.each(['simplified', 'full'] as const)('declares all personal fields of %s', (output) => {
	const item = shape(fixture('webhook-reject-aml'), output);

	const others = Object.keys(item).filter((key) => !PERSONAL_FIELDS.includes(key));
	const rest = JSON.stringify(others.map((key) => item[key]));

	expect(
		tellingValues(fixture('webhook-reject-aml')).filter((value) => rest.includes(value)),
	).toEqual([]);
});

const SIMPLIFIED_KEYS = [
	'credit',
	'customData',
	'decision',
	'executionTime',
	'fields',
	'files',
	'highestSeverity',
	'hosted',
	'images',
	'missingFields',
	'profileId',
	'quota',
	'rejectScore',
	'reviewScore',
	'sanctions',
	'success',
	'transactionId',
	'warningCodes',
	'warnings',
];

const IDENTIFIERS = [
	{ type: 'Passport', number: 'E771200', country: 'Eastmark' },
	{ type: 'National ID', number: '55-1971-23' },
];
