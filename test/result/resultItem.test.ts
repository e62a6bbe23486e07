import type { IDataObject } from 'n8n-workflow';

import { IdentityVerification } from '../../nodes/IdentityVerification/IdentityVerification.node';
import { IdentityVerificationTrigger } from '../../nodes/IdentityVerification/IdentityVerificationTrigger.node';
import { PERSONAL_FIELDS, resultItem } from '../../nodes/IdentityVerification/result/resultItem';
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
		const data = JSON.parse('['.repeat(101) + ']'.repeat(101)) as IDataObject[];
		const changes = { data, warning: ['x'], credit: Infinity };
		const rest = fixture('scan-accept', { data: 'as below', warning: ['x'], credit: null });

		const { data: kept, ...raw } = shape(fixture('scan-accept', changes), 'raw');

		expect({ ...raw, data: 'as below' }).toEqual({ ...rest, unreadable: ['data', 'credit'] });
		expect(JSON.stringify(kept)).toBe(
			`${'['.repeat(99)}"Left out: nested too deeply"${']'.repeat(99)}`,
		);
	});

	it('keeps the numbers that the others leave out, and lists as they were sent', () => {
		const body = fixture('webhook-accept', {
			transactionId: 8202522731445526000,
			warning: { 1: { code: 'A' } },
		});

		expect(shape(structuredClone(body), 'raw')).toEqual(body);
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

	it.each(FIXTURES)('has the first reading of each field of %s', (name) => {
		const body = fixture(name);
		const data = body.data as Record<string, { value: string }[]>;
		const first = Object.entries(data).map(([key, [entry]]) => [key, entry?.value]);
		const read = first.filter(([key, value]) => value || !AREAS.includes(key ?? ''));

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

	it.each(['', 'unknown', '3.5', '0x1f', '1e3', ' 7', '9'.repeat(20)])(
		'keeps %j of a numeric field as text',
		(value) => {
			expect(simplified({ data: { age: entries(value) } }).fields).toEqual({ age: value });
		},
	);

	it('takes the first entry, also when it is empty, and no field without an entry', () => {
		const data = { sex: entries('', 'second'), dob: entries('a', 'b'), expiry: [] };

		expect(simplified({ data }).fields).toEqual({ sex: '', dob: 'a' });
	});

	it('leaves out an area of the image that has no text', () => {
		const data = { document: entries(''), face: entries('', 'second'), signature: entries('x') };

		expect(simplified({ data }).fields).toEqual({ face: 'second', signature: 'x' });
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

	it('parses no more addresses of images than a result has', () => {
		const address = 'https://files.example.com/x';
		const longest = `https://${'é.'.repeat(50_000)}example.com/`;
		const outputImage = { front: address, back: longest, face: address };

		expect(simplified({ outputImage, outputFile: [] }).files).toEqual([
			{ image: 'front', fileUrl: address },
			{ image: 'back', value: longest },
			{ image: 'face', value: address },
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
		'has a number that JSON does not have, which is null in Raw: %p',
		(changes) => {
			const [key = ''] = Object.keys(changes);
			const body = () => fixture('webhook-accept', changes);

			expect(shape(body(), 'simplified')).toMatchObject({
				decision: null,
				unrecognizedDecision: true,
			});
			expect(shape(body(), 'raw')).toMatchObject({
				decision: 'accept',
				[key]: null,
				unrecognizedDecision: true,
			});
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

		expect(sanctions).toEqual([{ ...(record as object), documentnumber: IDENTIFIERS }, second]);
		expect(warnings).toEqual(
			(fixture('scan-aml').warning as IDataObject[]).map((all) => ({ ...all, data: undefined })),
		);
		expect(JSON.stringify(warnings)).not.toContain('Varkov');
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

	it('are lists also where PHP sends them as objects', () => {
		const alias = { 1: 'Ivo', 3: 'Ivan' };

		expect(sanctionOf({ alias, note: { text: 'x' }, documentnumber: '[{"a":1}]' })).toEqual({
			alias: ['Ivo', 'Ivan'],
			note: { text: 'x' },
			documentnumber: [{ a: 1 }],
		});
	});

	// Read as JSON, its digits would be others.
	it.each(['[{"number":8202522731445525542}]', '[1e400]'])(
		'keep a document number with such numbers as text: %s',
		(documentnumber) => {
			expect(sanctionOf({ documentnumber })).toEqual({ documentnumber });
		},
	);

	it('keep document numbers as text that are longer than a quarter of a megabyte in all', () => {
		const documentnumber = `[${'[],'.repeat(40_000)}[]]`;
		const warning = Array.from({ length: 3 }, () => ({
			code: 'AML_SANCTION',
			data: { documentnumber },
		}));

		const sanctions = simplified({ warning }).sanctions as IDataObject[];

		const parsed = JSON.parse(documentnumber) as IDataObject;
		expect(sanctions.map((sanction) => sanction.documentnumber)).toEqual([
			parsed,
			parsed,
			documentnumber,
		]);
	});

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
			reference: 'Zk4xv0T1bQ',
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

	it('names the warning codes that are missing or not written like one, and leaves them out', () => {
		const codes = ['FAKE_ID', 'Name differs: Ivo Varkov', 'Ivo', '', 'X2', 'varkov', 'A\nIVO', 'Z'];
		const warning = ['x', ...codes.map((code) => ({ code })), { severity: 'high' }];
		const body = fixture('webhook-accept', { warning });
		const left = [2, 3, 4, 6, 7, 9].map((index) => `warning[${index}].code`);
		const expected = {
			details: { warningCodes: ['FAKE_ID', 'X2', 'Z'] },
			unreadable: ['warning[0]', ...left],
		};

		expect(shape(body, 'decisionOnly')).toMatchObject(expected);
		// Its `warnings` have them all, and who looks at the codes alone learns that there are more.
		expect(shape(body, 'simplified')).toMatchObject({
			...expected,
			warnings: [...codes.map((code) => ({ code })), { severity: 'high' }],
		});
	});

	it('names them by the keys of a list of PHP, and beside all else', () => {
		const bad = Array.from({ length: 99 }, () => 'x');
		const codes = { 1: { code: 'A' }, 7: { code: 'a name' }, 9: { code: 'a name' } };
		const body = fixture('webhook-accept', { warning: codes, missingFields: [] });

		expect(shape(body, 'decisionOnly').unreadable).toEqual(['warning[7].code', 'warning[9].code']);
		const { unreadable } = shape({ ...body, outputFile: bad }, 'decisionOnly');
		expect((unreadable as string[]).slice(98)).toEqual([
			'outputFile[98]',
			'warning[7].code',
			'and at least 1 more',
		]);
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

it.each(['simplified', 'raw'] as const)('declares all personal fields of %s', (output) => {
	const item = shape(fixture('webhook-reject-aml'), output);

	const others = Object.keys(item).filter((key) => !PERSONAL_FIELDS.includes(key));
	const rest = JSON.stringify(others.map((key) => item[key]));

	expect(
		tellingValues(fixture('webhook-reject-aml')).filter((value) => rest.includes(value)),
	).toEqual([]);
});

it.each([IdentityVerification, IdentityVerificationTrigger])(
	'n8n is told of the personal fields by %p',
	(Node) => {
		expect(new Node().description.sensitiveOutputFields).toEqual(PERSONAL_FIELDS);
	},
);

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

const AREAS = ['document', 'face', 'signature'];

const IDENTIFIERS = [
	{ type: 'Passport', number: 'E771200', country: 'Eastmark' },
	{ type: 'National ID', number: '55-1971-23' },
];
