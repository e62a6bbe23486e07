import { SCAN } from '../../nodes/IdentityVerification/contract/endpoints';
import type { Statement } from '../../nodes/IdentityVerification/contract/read';
import { trustedDecision } from '../../nodes/IdentityVerification/result/decision';

const decisionOf = (statement: Statement) => trustedDecision({ statement });

const ERRORS = [true, 'x', 0, 1, {}, [], { message: 'x' }];

describe('the decision of a result', () => {
	it.each(['accept', 'review', 'reject'])('is %s where it says so', (decision) => {
		expect(decisionOf({ decision })).toBe(decision);
	});

	it.each(['Accept', 'ACCEPT', ' accept', 'accept\n', 'approved', '', null, undefined, true, 1, 0])(
		'is not recognized: %p',
		(decision) => {
			expect(decisionOf({ decision })).toBeUndefined();
		},
	);

	it.each([[['accept']], [{ accept: true }]])('is not recognized: %j', (decision) => {
		expect(decisionOf({ decision })).toBeUndefined();
	});

	it('is not what is under the key __proto__', () => {
		const body = JSON.parse('{"__proto__":{"decision":"accept"}}') as Record<string, unknown>;

		expect(decisionOf(body)).toBeUndefined();
	});

	it.each([undefined, null, true])('is accept beside the success %p', (success) => {
		expect(decisionOf({ decision: 'accept', success })).toBe('accept');
	});

	it.each([false, 'true', 'false', 0, 1, '', {}, []])(
		'is no accept beside the success %p',
		(success) => {
			expect(decisionOf({ decision: 'accept', success })).toBeUndefined();
		},
	);

	it.each([undefined, null, false, ''])('is accept beside the error %p', (error) => {
		expect(decisionOf({ decision: 'accept', success: true, error })).toBe('accept');
	});

	it.each(ERRORS)('is no accept beside the error %p', (error) => {
		expect(decisionOf({ decision: 'accept', success: true, error })).toBeUndefined();
	});

	it('is no accept beside another status than 200', () => {
		const statement = { decision: 'accept', success: true };

		expect(trustedDecision({ statement, hasOtherStatus: true })).toBeUndefined();
		expect(trustedDecision({ statement, hasOtherStatus: false })).toBe('accept');
	});

	it.each(['review', 'reject'])('is %s also where something failed', (decision) => {
		expect(decisionOf({ decision, success: false, error: 'x' })).toBe(decision);
	});
});

describe('an answer to a scan that says itself that it is none', () => {
	it.each([undefined, null, ''])('is no result with the decision %p', (decision) => {
		expect(SCAN.parse({ decision, success: false })).toEqual({
			ok: false,
			problems: [{ path: 'success', problem: 'is false' }],
		});
		for (const error of ERRORS) {
			expect(SCAN.parse({ decision, success: true, error })).toEqual({
				ok: false,
				problems: [{ path: 'error', problem: 'says that the request failed' }],
			});
		}
	});

	it.each(['accept', 'review', 'reject', 'Accept', 0])(
		'is a result with the decision %p',
		(decision) => {
			expect(SCAN.parse({ decision, success: false, error: 'x' }).ok).toBe(true);
		},
	);

	it.each([{}, { status: 'queued' }, { success: true }, { success: null, error: '' }])(
		'is a result when it only says nothing: %j',
		(body) => {
			expect(SCAN.parse(body).ok).toBe(true);
		},
	);
});
