import { KNOWN_DATA_KEYS } from '../../nodes/IdentityVerification/contract/vocabulary';
import { resultItem } from '../../nodes/IdentityVerification/result/resultItem';
import scanned from '../../nodes/IdentityVerification/__schema__/v1.0.0/verification/scan.json';
import { fixture } from '../kit/service/fixtures';
import { readResult } from '../kit/service/readResult';

// The editor offers these fields for mapping before the first real result.

const scanAml = fixture('scan-aml');
const { json: item } = resultItem(readResult(scanAml), 'simplified');

it('offers the fields of a result', () => {
	const { properties } = scanned;
	expect(Object.keys(properties).sort()).toEqual(
		[...Object.keys(item), 'unrecognizedDecision'].sort(),
	);
	expect(Object.keys(properties.fields.properties)).toEqual([...KNOWN_DATA_KEYS].sort());
	expect(Object.keys(properties.details.properties)).toEqual(Object.keys(item.details as object));
});

it('offers the fields of an AML record', () => {
	const [record] = item.sanctions as object[];
	const { properties } = scanned.properties.sanctions.items;
	expect(Object.keys(properties).sort()).toEqual(Object.keys(record ?? {}).sort());
});

it('offers the types that an item has', () => {
	const { json: marked } = resultItem(
		readResult({ ...scanAml, decision: 'perhaps', quota: 'much' }),
		'simplified',
	);
	for (const [key, { type }] of Object.entries(scanned.properties)) {
		const value = marked[key];
		if (value === null) continue;
		expect({ [key]: Array.isArray(value) ? 'array' : typeof value }).toEqual({ [key]: type });
	}
});
