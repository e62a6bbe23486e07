import fc from 'fast-check';

import {
	addAddress,
	openAddress,
	splitAddress,
} from '../../nodes/IdentityVerification/delivery/address';
import { WEBHOOK_SECRET } from '../kit/settings';
import { SECRET_OF_0_1_0 } from './support/version010';

const PROFILE = 'sandbox-onboarding';
const EXECUTION = { executionId: '1700000017', resumeToken: 'f'.repeat(64) };

const sent = (value: string) => addAddress(WEBHOOK_SECRET, PROFILE, value, EXECUTION);

function opened(customData: string, { secret = WEBHOOK_SECRET, profile = PROFILE } = {}) {
	const addressed = splitAddress(customData);
	return addressed?.kind === 'addressed' ? openAddress(secret, profile, addressed) : undefined;
}

it('comes back with the value, whatever the value holds', () => {
	fc.assert(
		fc.property(fc.string({ unit: 'binary' }), (value) => {
			const customData = sent(value);

			expect(splitAddress(customData)?.value).toBe(value);
			expect(opened(customData)).toEqual(EXECUTION);
		}),
	);
});

it('leaves a value that has no address as it is', () => {
	fc.assert(
		fc.property(fc.string({ unit: 'binary' }), (value) => {
			expect(splitAddress(value)).toBeUndefined();
		}),
	);
	for (const value of [
		'',
		'.w1.',
		'a.w1.bbbb',
		'shift.2026.w1.monday',
		'breaks.w1.漢字-😀',
		`a.w1.${'A'.repeat(15)}`,
		`a.v1.${'A'.repeat(126)}`,
		`${'.w1.'.repeat(1_000_000)}x`,
		7,
		null,
		undefined,
		[sent('')],
	]) {
		expect(splitAddress(value)).toBeUndefined();
	}
});

describe('comes back damaged, with the value alone, when a service', () => {
	const customData = sent('customer-1');
	const start = 'customer-1.w1.'.length;
	const cut = (length: number) => customData.slice(0, length);

	it('cuts it anywhere in the address', () => {
		const lengths = Array.from({ length: customData.length - start }, (_, index) => start + index);
		for (const length of lengths.filter((each) => each >= start + 16)) {
			expect(splitAddress(cut(length))?.value).toBe('customer-1');
			expect(opened(cut(length))).toBeUndefined();
		}
		expect(splitAddress(cut(100))).toEqual({ kind: 'damaged', value: 'customer-1' });
	});

	it.each<[string, string]>([
		['cuts it and adds dots', `${cut(100)}...`],
		['cuts it and adds an ellipsis', `${cut(100)}…`],
		['breaks it into lines', `${cut(76)}\r\n${customData.slice(76)}`],
		['puts something after it', `${customData}<br>`],
		['puts far too much after it', `${customData}${'A'.repeat(1_000_000)}`],
		['writes it in capitals', `customer-1${customData.slice(10).toUpperCase()}`],
	])('%s', (_, damaged) => {
		expect(splitAddress(damaged)).toEqual({ kind: 'damaged', value: 'customer-1' });
	});

	it('writes it in small letters, which only shows when it is opened', () => {
		expect(splitAddress(customData.toLowerCase())?.value).toBe('customer-1');
		expect(opened(customData.toLowerCase())).toBeUndefined();
	});
});

it.each([' ', '   '.repeat(50), '\n', '\r\n', '\u00a0'])(
	'comes back whole with %j after it, as from a column of fixed length',
	(spaces) => {
		expect(splitAddress(sent('customer-1') + spaces)?.value).toBe('customer-1');
		expect(opened(sent('customer-1') + spaces)).toEqual(EXECUTION);
	},
);

// What a service makes of the value alone: the address is bound to it.
it.each([
	['a & b', 'a &amp; b'],
	['a b', 'a%20b'],
	['a b', 'a+b'],
	['a"b', 'a\\"b'],
	['Customer-1', 'customer-1'],
	['Zoë', 'Zoë'.normalize('NFD')],
	['a  b', 'a b'],
])('cannot be read when %j comes back as %j', (value, changed) => {
	const customData = sent(value).replace(value, () => changed);

	expect(splitAddress(customData)?.value).toBe(changed);
	expect(opened(customData)).toBeUndefined();
});

// Links stay open for weeks: what cannot be read after an update never resumes its execution.
it('can be read as version 0.1.0 has written it', () => {
	const customData =
		'customer-1.w1.3A-LRKpEWRgsOicmzeKLtItfjXDMd5dBD7lsqheOd5MpEBUsJ7tqc6SyDjTw9lShCKAXhri1P7SqaWZ56668gZ7AVXg5p_AeTU-hCdtS5VqsAksS4mMR_xOI7wKa2xdvkh6MpVCTSw';
	expect(opened(customData, { secret: SECRET_OF_0_1_0 })).toEqual(EXECUTION);
});

it('shows neither the execution nor its token', () => {
	const [, address = ''] = sent('customer-1').split('.w1.');
	const text = Buffer.from(address, 'base64url').toString('latin1');

	expect(text).not.toContain('1700000017:');
	expect(text).not.toContain('ffff');
	expect(sent('customer-1')).not.toBe(sent('customer-1'));
});

it.each([
	['secret', sent('customer-1'), { secret: 'another' }],
	['profile', sent('customer-1'), { profile: 'another' }],
	['value', sent('customer-1').replace('customer-1', 'customer-2'), {}],
])('cannot be read with another %s', (_, customData, change) => {
	expect(splitAddress(customData)).toBeDefined();
	expect(opened(customData, change)).toBeUndefined();
});

it('cannot be read after any change', () => {
	const customData = sent('customer-1');
	const start = customData.indexOf('.w1.') + 4;
	for (let index = start; index < customData.length; index++) {
		const other = customData[index] === 'A' ? 'B' : 'A';
		const changed = customData.slice(0, index) + other + customData.slice(index + 1);
		// The last character of base64 holds bits that mean nothing.
		const isSame = Buffer.from(changed.slice(start), 'base64url').equals(
			Buffer.from(customData.slice(start), 'base64url'),
		);
		expect(opened(changed)).toEqual(isSame ? EXECUTION : undefined);
	}
	expect(opened(`${customData}AAAA`)).toBeUndefined();
});

it('is found behind a value of any length, and only at its end', () => {
	const value = 'x'.repeat(100_000);
	const customData = addAddress(WEBHOOK_SECRET, PROFILE, value, EXECUTION);

	expect(splitAddress(`${customData}   `)).toMatchObject({ kind: 'addressed', value });
	expect(splitAddress(customData + 'x.'.repeat(1_000_000))).toBeUndefined();
});
