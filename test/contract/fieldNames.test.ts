import type { HostedLink } from '../../nodes/IdentityVerification/contract/endpoints';
import { Places } from '../../nodes/IdentityVerification/contract/places';
import { webhookResult } from '../../nodes/IdentityVerification/contract/result';
import type { Shape } from '../../nodes/IdentityVerification/contract/shapes';
import { FIELD_NAMES } from '../../nodes/IdentityVerification/contract/vocabulary';
import { fixture, SCAN_FIXTURES, WEBHOOK_FIXTURES } from '../kit/data/fixtures';

// Without its name there, an unreadable field reads `*` in `unreadable`, and nobody knows which it
// was.

/** The keys that a shape reads of an object, wherever the object is in what it takes. */
function keysRead(shape: Shape<unknown>, around: (object: object) => unknown): string[] {
	const keys: string[] = [];
	const watched = new Proxy(
		{},
		{
			get(_, key) {
				keys.push(String(key));
				return undefined;
			},
		},
	);
	shape(around(watched), undefined, '', Places.none());
	return keys;
}

const LINK = { qrCode: true, reference: true, url: true } satisfies Record<keyof HostedLink, true>;

it.each([
	['a result', Object.keys(webhookResult)],
	['a warning', keysRead(webhookResult.warning, (warning) => [warning])],
	['the images', keysRead(webhookResult.outputImage, (images) => images)],
	['an entry of data', keysRead(webhookResult.data, (entry) => ({ dob: [entry] }))],
	['a link', Object.keys(LINK)],
])('names each field that is read of %s', (_, keys) => {
	expect(keys).not.toEqual([]);
	expect(keys.filter((key) => !FIELD_NAMES.includes(key))).toEqual([]);
});

/** The keys of a value at any depth, except those directly in `data`, which have their own list. */
function keysIn(value: unknown): string[] {
	if (typeof value !== 'object' || value === null) return [];
	if (Array.isArray(value)) return value.flatMap(keysIn);
	return Object.entries(value).flatMap(([key, child]: [string, unknown]) => [
		key,
		...(key === 'data' && isOfResult(value) ? Object.values(child as object) : [child]).flatMap(
			keysIn,
		),
	]);
}

/** Whether this is a result, and not one of its warnings, which have `data`, too. */
function isOfResult(value: object): boolean {
	return 'outputImage' in value;
}

it.each([...SCAN_FIXTURES, ...WEBHOOK_FIXTURES, 'hosted-link' as const])(
	'names each documented field of %s',
	(name) => {
		const keys = new Set(keysIn(fixture(name)));
		expect([...keys].filter((key) => !FIELD_NAMES.includes(key))).toEqual([]);
	},
);
