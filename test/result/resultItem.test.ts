import { inspect } from 'node:util';

import type { IDataObject } from 'n8n-workflow';

import { resultItem } from '../../nodes/IdentityVerification/result/resultItem';
import type { Output } from '../../nodes/IdentityVerification/result/outputField';
import { fixture, SCAN_FIXTURES, WEBHOOK_FIXTURES } from '../kit/data/fixtures';
import { personalValues, tellingValues } from '../kit/data/personalValues';
import { readResult } from '../kit/data/readResult';

const FIXTURES = [...SCAN_FIXTURES, ...WEBHOOK_FIXTURES];

function shape(body: IDataObject, output: Output): IDataObject {
	return asStored(resultItem(readResult(body), output).json);
}

const asStored = (item: object) => JSON.parse(JSON.stringify(item)) as IDataObject;

const simplified = (changes: IDataObject = {}) =>
	shape(fixture('webhook-accept', changes), 'simplified');

const entries = (...values: unknown[]) => values.map((value) => ({ value })) as IDataObject[];
const DEEP = JSON.parse('['.repeat(120) + ']'.repeat(120)) as IDataObject[];

const sanctionOf = (data: IDataObject) =>
	(simplified({ warning: [{ code: 'AML_SANCTION', data }] }).sanctions as IDataObject[])[0];

describe('Raw', () => {
	it.each(FIXTURES)('is %s as received', (name) => {
		expect(shape(fixture(name), 'raw')).toEqual(fixture(name));
	});

	it('keeps keys that the interface does not list', () => {
		const body = fixture('scan-accept', { unknown: { deep: [1] } });

		expect(shape(body, 'raw')).toEqual(body);
	});

	it('names only what it leaves out', () => {
		const { data, credit, ...rest } = fixture('scan-accept', { warning: ['x'] });
		const changes = { data: DEEP, credit: Infinity };

		expect([data, credit]).not.toContain(undefined);
		expect(shape({ ...rest, ...changes }, 'raw')).toEqual({
			...rest,
			unreadable: ['data', 'credit'],
			unrecognizedDecision: true,
		});
	});

	it('keeps what the others leave out as it was sent', () => {
		const body = fixture('webhook-accept', {
			transactionId: { a: 1 },
			credit: '42',
			warning: { 1: { code: 'A' } },
		});

		expect(shape(structuredClone(body), 'raw')).toEqual(body);
	});

	it.each<[IDataObject]>([
		[{}],
		[{ success: false }],
		[{ credit: Infinity }],
		[{ unrecognizedDecision: false, error: 'x' }],
		[{ data: DEEP }],
	])('changes nothing in the body, with %p beside it', (changes) => {
		const body = fixture('webhook-accept', changes);
		const received = inspect(body, { depth: 200 });

		for (const output of ['raw', 'simplified', 'decisionOnly'] as const) shape(body, output);

		expect(inspect(body, { depth: 200 })).toBe(received);
	});

	it('keeps a key __proto__, and is marked beside it', () => {
		const text = '{"event":"hosted_conclusive","decision":"?","__proto__":{"decision":"accept"}}';

		const { json } = resultItem(readResult(JSON.parse(text) as object), 'raw');

		expect(JSON.stringify(json)).toBe(text.replace(/}$/, ',"unrecognizedDecision":true}'));
	});
});

describe('Simplified', () => {
	it.each(FIXTURES)('has the same keys for %s, but a scan none of a link', (name) => {
		const ofLink = ['customData', 'reference'];
		const keys = SIMPLIFIED_KEYS.filter(
			(key) => name.startsWith('webhook') || !ofLink.includes(key),
		);

		expect(Object.keys(shape(fixture(name), 'simplified'))).toEqual(keys);
	});

	it.each<[IDataObject, IDataObject]>([
		[{ customData: 'C-1' }, { customData: 'C-1', reference: null }],
		[{ hosted: 'r-1' }, { customData: null, reference: 'r-1' }],
	])('shows %j, of a link, in a scan as well if it is there', (sent, shown) => {
		expect(shape(fixture('scan-accept', sent), 'simplified')).toMatchObject(shown);
	});

	it.each(FIXTURES)('has the first reading of each field of %s', (name) => {
		const body = fixture(name);
		const data = body.data as Record<string, { value: string }[]>;
		const first = Object.entries(data).map(([key, [entry]]) => [key, entry?.value]);
		const read = first.filter(([, value]) => value);

		const fields = shape(body, 'simplified').fields as IDataObject;

		const asText = Object.entries(fields).map(([key, value]) => [key, String(value)]);
		expect(asText).toEqual(read);
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

	it.each(['unknown', '3.5', '0x1f', '1e3', ' 7', '9'.repeat(20)])(
		'keeps %j of a numeric field as text',
		(value) => {
			expect(simplified({ data: { age: entries(value) } }).fields).toEqual({ age: value });
		},
	);

	it('has the first entry with text, and no field without one', () => {
		const data = { sex: entries('', 'second', 'third'), dob: entries('a', 'b'), expiry: [] };
		const empty = { face: entries('', ''), height: entries([], '') };

		expect(simplified({ data: { ...data, ...empty } }).fields).toEqual({ sex: 'second', dob: 'a' });
	});

	describe('of a picture with two documents', () => {
		const of = (index: unknown, value: unknown) => ({ index, value }) as IDataObject;

		it.each([
			['in any order', { firstName: [of(1, 'Mia'), of(0, 'Ivo')], lastName: [of(1, 'Berg')] }],
			['numbered from 1', { firstName: [of(2, 'Mia'), of('1', 'Ivo')], dob: [of(1, '')] }],
			['without an index', { firstName: [of(null, 'Ivo'), of(3, 'Mia')], sex: [of(4, 'F')] }],
			['beside empty ones', { firstName: [of(1, 'Ivo'), of(2, 'Mia')], sex: [of(0, '')] }],
			['beside others', { firstName: [of(1, 'Ivo'), of(2, 'Mia')], height: [of(0, true)] }],
			['with the same index', { firstName: [of(0, 'Ivo'), of(0, 'Iwo')] }],
		])('has the fields of the lowest index that has text: %s', (_, data) => {
			expect(simplified({ data })).toMatchObject({ unreadable: ['data'], decision: 'accept' });
			expect(simplified({ data }).fields).toEqual({ firstName: 'Ivo' });
		});

		it.each([
			['the same text', { firstName: [of(0, 'Ivo'), of(1, 'Ivo')] }],
			['no text', { firstName: [of(0, 'Ivo'), of(1, '')] }],
			['a text of another field', { firstName: [of(0, 'Ivo')], lastName: [of(1, 'Berg')] }],
			['no index', { firstName: [{ value: 'Ivo' }], face: [of(0, ''), of(0, '')] }],
		])('says nothing of a reading with %s', (_, data) => {
			const item = simplified({ data });

			expect(item.fields).toEqual({ firstName: 'Ivo' });
			expect(item).not.toHaveProperty('unreadable');
		});

		it('is whole in Raw, and has no fields in Decision Only', () => {
			const body = fixture('webhook-accept', { data: { dob: [of(0, 'a'), of(1, 'b')] } });

			expect(shape(body, 'raw')).toEqual(body);
			expect(shape(body, 'decisionOnly')).not.toHaveProperty('unreadable');
		});
	});

	it('keeps missing fields, and the images of a scan beside its files', () => {
		const { missingFields, outputFile, outputImage } = fixture('scan-aml');
		const images = Object.entries(outputImage as IDataObject);

		expect(images.length).toBeGreaterThan(0);
		expect(shape(fixture('scan-aml'), 'simplified')).toMatchObject({
			missingFields,
			files: [
				...images.map(([image, fileUrl]) => ({ image, fileUrl })),
				...(outputFile as IDataObject[]),
			],
		});
	});

	it('tells an address of an image from an opaque text by how it begins', () => {
		const outputImage = {
			front: 'HTTPS://files.example.com/x',
			back: 'https',
			face: 'http:x',
			other: 'x https://files.example.com/x',
		};

		expect(simplified({ outputImage, outputFile: [] }).files).toEqual([
			{ image: 'front', fileUrl: 'HTTPS://files.example.com/x' },
			{ image: 'back', value: 'https' },
			{ image: 'face', value: 'http:x' },
			{ image: 'other', value: 'x https://files.example.com/x' },
		]);
	});

	it('shows a decision that is not documented, but for an accept', () => {
		const mark = { unrecognizedDecision: true };

		expect(simplified({ decision: 'Accepted' })).toMatchObject({ decision: 'Accepted', ...mark });
		expect(simplified({ decision: 7 })).toMatchObject({ decision: null, ...mark });
	});

	it('has the key image for images alone', () => {
		const file = { name: 'Report', fileUrl: 'https://files.example.com/r.pdf' };
		const { files } = simplified({ outputImage: {}, outputFile: [{ ...file, image: 'front' }] });

		expect(files).toEqual([file]);
	});

	it('does not treat an opaque image of a webhook as an address', () => {
		const outputImage = { front: 'aW1hZ2U', back: '', face: null };

		expect(simplified({ outputImage, outputFile: [] }).files).toEqual([
			{ image: 'front', value: 'aW1hZ2U' },
		]);
	});

	it.each([
		['a missing list', {}],
		['null', { data: null, warning: null, outputFile: null, outputImage: null, customData: null }],
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
			sanctions: [],
			files: [],
			details: NO_DETAILS,
		});
	});
});

describe('what could not be read', () => {
	it.each(['7', '"7"'])('is what is under __proto__, beside the credit %s', (credit) => {
		const hostile = `{"toString":1,"value":{"toString":1}}`;
		const text = `{"event":"hosted_conclusive","decision":"review","credit":${credit},"__proto__":{"customData":${hostile},"error":"x"},"data":{"dob":[{"__proto__":${hostile}}],"__proto__":[{"value":"x"}]},"warning":[{"__proto__":{"code":"AML_SANCTION","data":{"alias":${hostile}}}}]}`;

		const item = shape(JSON.parse(text) as IDataObject, 'simplified');

		expect(item).toMatchObject({ decision: 'review', fields: {} });
		expect(item.customData).toBeNull();
		expect(Object.keys(item.fields as object)).toEqual([]);
		expect(item).toMatchObject({ details: { warningCodes: [] }, sanctions: [] });
	});
});

describe('an accept that is not trusted', () => {
	it.each<IDataObject>([{ success: Infinity }, { error: Infinity }])(
		'has a number that JSON does not have, which Raw leaves out: %p',
		(changes) => {
			const [key = ''] = Object.keys(changes);
			const body = () => fixture('webhook-accept', changes);

			expect(shape(body(), 'simplified')).toMatchObject({
				decision: null,
				unrecognizedDecision: true,
			});
			const raw = shape(body(), 'raw');
			expect(raw).toMatchObject({ decision: 'accept', unrecognizedDecision: true });
			expect(raw).not.toHaveProperty(key);
		},
	);

	it.each<IDataObject>([{ success: false }, { error: 'x' }])(
		'shows in Raw alone: %j',
		(changes) => {
			const body = fixture('webhook-accept', changes);

			const mark = { unrecognizedDecision: true };
			expect(shape(body, 'simplified')).toMatchObject({ decision: null, ...mark });
			expect(shape(body, 'decisionOnly')).toMatchObject({ decision: null, ...mark });
			expect(shape(body, 'raw')).toEqual({ ...body, ...mark });
		},
	);
});

describe('sanctions', () => {
	it('are the records of the AML warnings, which no longer carry them', () => {
		const [record, second] = (fixture('scan-aml').warning as IDataObject[]).map(({ data }) => data);

		const { sanctions, warnings } = shape(fixture('scan-aml'), 'simplified');

		expect(sanctions).toEqual([record, second]);
		expect(warnings).toEqual(
			(fixture('scan-aml').warning as IDataObject[]).map((all) => ({ ...all, data: undefined })),
		);
		expect(JSON.stringify(warnings)).not.toContain('Varkov');
	});

	it.each([null, 'E771200', '771200', '[{"type":"Passport","number":"E771200"}]', '', 5])(
		'keep the document number %j',
		(documentnumber) => {
			expect(sanctionOf({ documentnumber })).toEqual({ documentnumber });
		},
	);

	it('keep what is no list where one is documented', () => {
		const alias = { 1: 'Ivo', 3: 'Ivan' };

		expect(sanctionOf({ alias, note: 'x' })).toEqual({ alias, note: 'x' });
	});
});

describe('Decision Only', () => {
	it('is what a workflow needs to branch on and to find the case again', () => {
		expect(shape(fixture('webhook-reject-aml'), 'decisionOnly')).toEqual({
			decision: 'reject',
			customData: 'customer-20418',
			reference: 'Zk4xv0T1bQ',
			warnings: [{ code: 'AML_SANCTION', severity: 'high', confidence: 0.94, decision: 'reject' }],
			transactionId: '90be4410',
			details: {
				profileId: 'onboarding-standard',
				reviewScore: 0,
				rejectScore: 3,
				warningCodes: ['AML_SANCTION'],
				credit: 948,
				quota: 0,
			},
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

	it('says where warning codes are missing or not written like one, and leaves them out', () => {
		const texts = ['Name differs: Ivo Varkov', 'Ivo', '', 'varkov', 'A\nIVO', 'IVO VARKOV'];
		const codes = ['FAKE_ID', ...texts, 'X'.repeat(101), 'X2', 'Z'];
		const warning = [...codes.map((code) => ({ code })), { severity: 'high' }];
		const body = fixture('webhook-accept', { warning });
		const expected = {
			details: { warningCodes: ['FAKE_ID', 'X2', 'Z'] },
			unreadable: ['warning'],
		};

		expect(shape(body, 'decisionOnly')).toMatchObject(expected);
		// Its `warnings` have them all, and who looks at the codes alone learns that there are more.
		expect(shape(body, 'simplified')).toMatchObject({ ...expected, warnings: warning });
	});

	it.each([{ code: 'a name' }, { severity: 'low' }, 'x'])(
		'names the warnings once, whatever is wrong with them: %j',
		(finding) => {
			const warning = [finding, { code: 7 }, { code: 'A' }];
			const body = fixture('webhook-accept', { warning, hosted: [] });

			expect(shape(body, 'decisionOnly').unreadable).toEqual(['hosted', 'warning']);
		},
	);

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

const SIMPLIFIED_KEYS = [
	'decision',
	'customData',
	'reference',
	'fields',
	'warnings',
	'missingFields',
	'sanctions',
	'transactionId',
	'files',
	'details',
];

const NO_DETAILS = {
	profileId: null,
	reviewScore: null,
	rejectScore: null,
	warningCodes: [],
	credit: null,
	quota: null,
};
