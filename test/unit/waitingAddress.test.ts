import fc from 'fast-check';

import {
	addAddress,
	openAddress,
	splitAddress,
} from '../../nodes/IdentityVerification/waiting/address';

const SECRET = 'webhook-secret-of-the-tests';
const PROFILE = 'sandbox-onboarding';
const EXECUTION = { executionId: '1700000017', resumeToken: 'f'.repeat(64) };

const sent = (value: string) => addAddress(SECRET, PROFILE, value, EXECUTION);

function opened(customData: string, { secret = SECRET, profile = PROFILE } = {}) {
	const addressed = splitAddress(customData);
	return addressed && openAddress(secret, profile, addressed);
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
		`a.v1.${'A'.repeat(126)}`,
		`a.w1.${'A'.repeat(10_000_000)}`,
		7,
		null,
		undefined,
		[sent('')],
	]) {
		expect(splitAddress(value)).toBeUndefined();
	}
});

// Links stay open for weeks: what cannot be read after an update never resumes its execution.
it('can be read as version 0.1.0 has written it', () => {
	const customData =
		'customer-1.w1.3A-LRKpEWRgsOicmzeKLtItfjXDMd5dBD7lsqheOd5MpEBUsJ7tqc6SyDjTw9lShCKAXhri1P7SqaWZ56668gZ7AVXg5p_AeTU-hCdtS5VqsAksS4mMR_xOI7wKa2xdvkh6MpVCTSw';
	expect(opened(customData)).toEqual(EXECUTION);
});

it('shows neither the execution nor its token', () => {
	const { address = '' } = splitAddress(sent('customer-1')) ?? {};
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
