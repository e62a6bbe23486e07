import { CREATE_HOSTED_LINK, SCAN } from '../../../nodes/IdentityVerification/contract/endpoints';
import {
	readEnvelope,
	readWebhookResult,
} from '../../../nodes/IdentityVerification/contract/result';
import {
	DECISIONS,
	KNOWN_DATA_KEYS,
	SEVERITIES,
} from '../../../nodes/IdentityVerification/contract/vocabulary';
import { fixture, SCAN_FIXTURES, WEBHOOK_FIXTURES } from '../../kit/fixtures';

// Typed out from the interface document, so that a field which the schemas forgot is missed here.
const RESULT_FIELDS = [
	'success, transactionId, data, outputImage, outputFile, warning, missingFields, profileId',
	'reviewScore, rejectScore, decision, customData, quota, credit, hosted, executionTime, event',
	'outputImage.front, outputImage.back, outputImage.face',
	'outputFile[].name, outputFile[].fileName, outputFile[].fileUrl',
	'data.*[].value, data.*[].confidence, data.*[].source, data.*[].index',
	'data.*[].inputBox[][], data.*[].outputBox[][]',
	'warning[].code, warning[].description, warning[].severity, warning[].confidence',
	'warning[].decision, warning[].data',
];

const DATA_KEYS = [
	'address1, address2, age, countryFull, countryIso2, countryIso3, daysFromIssue, daysToExpiry',
	'dob, dobDay, dobMonth, dobYear, document, documentNumber, documentSide, documentType',
	'endorsement, expiry, expiryDay, expiryMonth, expiryYear, face, firstName, fullName, hairColor',
	'height, internalId, issued, issuedDay, issuedMonth, issuedYear, lastName, nationalityFull',
	'nationalityIso2, nationalityIso3, postcode, restrictions, sex, signature, stateFull',
	'stateShort, vehicleClass, weight',
];

const names = (lines: string[]) => lines.flatMap((line) => line.split(', '));

const results = [...SCAN_FIXTURES, ...WEBHOOK_FIXTURES].map((name) => fixture(name));
const warnings = results.flatMap(({ warning }) => warning as Record<string, unknown>[]);
const dataKeys = results.flatMap(({ data }) => Object.keys(data as object));
const valuesOf = (field: string) => new Set(warnings.map((warning) => warning[field]));

describe('fixtures hold every documented', () => {
	const resultPaths = new Set(results.flatMap((result) => pathsOf(hideDataKeys(result))));

	it.each(names(RESULT_FIELDS))('field %s', (path) => {
		expect(resultPaths).toContain(path);
	});

	it.each(names(DATA_KEYS))('key of data, %s', (key) => {
		expect(dataKeys).toContain(key);
	});

	it('decision and severity', () => {
		expect(new Set(results.map(({ decision }) => decision))).toEqual(new Set(DECISIONS));
		expect(valuesOf('decision')).toEqual(new Set(DECISIONS));
		expect(valuesOf('severity')).toEqual(new Set(SEVERITIES));
	});
});

it('the vocabulary holds exactly the documented keys of data', () => {
	expect([...KNOWN_DATA_KEYS].sort()).toEqual(names(DATA_KEYS).sort());
});

describe('the contract reads unchanged', () => {
	const whole = (body: object) => ({ ok: true, value: body, unreadable: [], body });

	it.each(SCAN_FIXTURES)('%s', (name) => {
		expect(SCAN.parse(fixture(name))).toEqual(whole(fixture(name)));
	});

	it.each(WEBHOOK_FIXTURES)('%s', (name) => {
		const envelope = readEnvelope(fixture(name));

		expect(envelope).toEqual({ ok: true, value: fixture(name) });
		if (envelope.ok) {
			expect(readWebhookResult(envelope.value)).toEqual(whole(fixture(name)));
		}
	});

	it('hosted-link', () => {
		const link = fixture('hosted-link');

		expect(Object.keys(link).sort()).toEqual(['qrCode', 'reference', 'url']);
		expect(CREATE_HOSTED_LINK.parse(link)).toEqual(whole(link));
	});
});

/** All paths of a value, with `[]` for the elements of a list. */
function pathsOf(value: unknown, path = ''): string[] {
	if (Array.isArray(value)) return value.flatMap((item) => pathsOf(item, `${path}[]`));
	if (typeof value !== 'object' || value === null) return [path];
	const children = Object.entries(value).flatMap(([key, child]) => {
		const childPath = path ? `${path}.${key}` : key;
		return [childPath, ...pathsOf(child, childPath)];
	});
	return children;
}

function hideDataKeys({ data, ...rest }: Record<string, unknown>) {
	return { ...rest, data: { '*': Object.values(data as Record<string, unknown[]>).flat() } };
}
