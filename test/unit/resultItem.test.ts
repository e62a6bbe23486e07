import type { IDataObject } from 'n8n-workflow';

import { PERSONAL_FIELDS, resultItem } from '../../nodes/IdentityVerification/resultItem';
import type { Output } from '../../nodes/IdentityVerification/resultItem';
import { fixture, SCAN_FIXTURES, WEBHOOK_FIXTURES } from '../kit/fixtures';
import { personalValues, tellingValues } from '../kit/personalValues';
import { received } from '../kit/received';

const FIXTURES = [...SCAN_FIXTURES, ...WEBHOOK_FIXTURES];

function shape(body: IDataObject, output: Output): IDataObject {
	return asStored(resultItem(received(body), output));
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

describe('what could not be read', () => {
	const data = { dob: null, age: [{ value: {} }, { value: '37' }], sex: [{ confidence: 1 }] };

	it.each(['simplified', 'decisionOnly'] as const)('is named in %s', (output) => {
		expect(shape(fixture('webhook-accept', { data, credit: '7' }), output)).toMatchObject({
			decision: 'accept',
			credit: null,
			unreadable: ['data.dob', 'data.age[0].value', 'credit'],
		});
	});

	it('leaves the first reading that could be read, and no field without one', () => {
		expect(simplified({ data }).fields).toEqual({ age: 37 });
	});

	it('leaves the other parts of a warning', () => {
		const warning = ['x', { severity: 'critical', description: 'd' }, { code: 'Y' }];

		expect(simplified({ warning })).toMatchObject({
			warnings: [{ description: 'd' }, { code: 'Y' }],
			warningCodes: ['Y'],
			highestSeverity: null,
			unreadable: ['warning[0]', 'warning[1].severity'],
		});
	});

	it.each(['7', '"7"'])('is what stands under __proto__, beside the credit %s', (credit) => {
		const hostile = `{"toString":1,"value":{"toString":1}}`;
		const text = `{"event":"hosted_conclusive","decision":"review","credit":${credit},"__proto__":{"customData":${hostile},"error":"x"},"data":{"dob":[{"__proto__":${hostile}}],"__proto__":[{"value":"x"}]},"warning":[{"__proto__":{"code":"AML_SANCTION","data":{"alias":${hostile}}}}]}`;

		const item = shape(JSON.parse(text) as IDataObject, 'simplified');

		expect(item).toMatchObject({ decision: 'review', customData: null, fields: {} });
		expect(Object.keys(item.fields as object)).toEqual([]);
		expect(item).toMatchObject({ warningCodes: [], sanctions: [] });
	});
});

describe('an accept that is not trusted', () => {
	it.each<IDataObject>([{ success: false }, { error: 'x' }])(
		'shows in Full alone: %j',
		(changes) => {
			const body = fixture('webhook-accept', changes);

			const mark = { unrecognizedDecision: true };
			expect(shape(body, 'simplified')).toMatchObject({ decision: null, ...mark });
			expect(shape(body, 'decisionOnly')).toMatchObject({ decision: null, ...mark });
			expect(shape(body, 'full')).toEqual({ ...body, ...mark });
		},
	);
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

	it('names the warning codes that are not written like one, and leaves them out', () => {
		const codes = ['FAKE_ID', 'Name differs: Ivo Varkov', 'Ivo', '', 'X2', 'varkov', 'A\nIVO', 'Z'];
		const warning = ['x', ...codes.map((code) => ({ code }))];
		const body = fixture('webhook-accept', { warning });

		expect(shape(body, 'decisionOnly')).toMatchObject({
			warningCodes: ['FAKE_ID', 'X2', 'Z'],
			unreadable: ['warning[0]', ...[2, 3, 4, 6, 7].map((index) => `warning[${index}].code`)],
		});
		expect(shape(body, 'simplified')).toMatchObject({
			warningCodes: codes,
			unreadable: ['warning[0]'],
		});
	});

	it('names a hundred warning codes at most', () => {
		const warning = Array.from({ length: 300 }, () => ({ code: 'Ivo' }));

		const { unreadable } = shape(fixture('webhook-accept', { warning }), 'decisionOnly');

		expect(unreadable).toHaveLength(100);
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
