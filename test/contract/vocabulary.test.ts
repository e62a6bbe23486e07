import { CREATE_HOSTED_LINK } from '../../nodes/IdentityVerification/contract/endpoints';
import { KNOWN_DATA_KEYS } from '../../nodes/IdentityVerification/contract/vocabulary';
import { fixture, SCAN_FIXTURES, WEBHOOK_FIXTURES } from '../kit/data/fixtures';
import { asArrived, plain, readScan, readWebhook } from '../kit/data/readResult';

// Typed out from the interface document, so that a key which the vocabulary forgot is missed here.
const DATA_KEYS = [
	'address1, address2, age, countryFull, countryIso2, countryIso3, daysFromIssue, daysToExpiry',
	'dob, dobDay, dobMonth, dobYear, document, documentNumber, documentSide, documentType',
	'endorsement, expiry, expiryDay, expiryMonth, expiryYear, face, firstName, fullName, hairColor',
	'height, internalId, issued, issuedDay, issuedMonth, issuedYear, lastName, nationalityFull',
	'nationalityIso2, nationalityIso3, postcode, restrictions, sex, signature, stateFull',
	'stateShort, vehicleClass, weight',
];

it('the vocabulary holds exactly the documented keys of data', () => {
	const documented = DATA_KEYS.flatMap((line) => line.split(', '));

	expect([...KNOWN_DATA_KEYS].sort()).toEqual(documented.sort());
});

describe('the contract reads unchanged', () => {
	const whole = ({ executionTime, ...read }: Record<string, unknown>) => ({
		value: read,
		unreadable: [],
		body: executionTime === undefined ? read : { ...read, executionTime },
	});

	it.each(SCAN_FIXTURES)('%s', (name) => {
		expect(plain(readScan(fixture(name)))).toEqual(whole(fixture(name)));
	});

	it.each(WEBHOOK_FIXTURES)('%s', (name) => {
		expect(plain(readWebhook(fixture(name)))).toEqual(whole(fixture(name)));
	});

	it('hosted-link', () => {
		const link = fixture('hosted-link');

		expect(Object.keys(link).sort()).toEqual(['qrCode', 'reference', 'url']);
		expect(plain(CREATE_HOSTED_LINK.parse(asArrived(link), 200))).toEqual(whole(link));
	});
});
