import { KNOWN_DATA_KEYS } from '../../nodes/IdentityVerification/contract/vocabulary';
import { resultItem } from '../../nodes/IdentityVerification/result/resultItem';
import scanned from '../../nodes/IdentityVerification/__schema__/v1.0.0/verification/scan.json';
import { fixture } from '../kit/data/fixtures';
import { readResult } from '../kit/data/readResult';

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

interface Schema {
	type: string;
	properties?: Record<string, Schema>;
	items?: Schema;
}

/** Path and type of all that a schema offers. */
function offered({ type, properties = {}, items }: Schema, path: string): string[] {
	return [
		`${path}: ${type}`,
		...(items ? offered(items, `${path}[]`) : []),
		...Object.entries(properties).flatMap(([key, part]) => offered(part, `${path}.${key}`)),
	];
}

/** The same of a value, but for what is null. */
function found(value: unknown, path: string): string[] {
	if (value === null || value === undefined) return [];
	if (Array.isArray(value)) {
		return [`${path}: array`, ...value.flatMap((entry) => found(entry, `${path}[]`))];
	}
	const parts = typeof value === 'object' ? Object.entries(value) : [];
	return [
		`${path}: ${typeof value}`,
		...parts.flatMap(([key, part]) => found(part, `${path}.${key}`)),
	];
}

it('offers all that items have, with its type, and nothing else', () => {
	const results = [
		scanAml,
		{ ...scanAml, decision: 'perhaps' },
		{ ...scanAml, outputImage: { front: 'a text, as a webhook has it' } },
		...['document', 'face', 'signature'].map((key) => ({
			...scanAml,
			data: { [key]: [{ value: 'a' }] },
		})),
	];
	const items = results.map((result) => resultItem(readResult(result), 'simplified').json);

	const types = new Set(items.flatMap((json) => found(json, 'item')));
	expect([...types].sort()).toEqual(offered(scanned, 'item').sort());
});
