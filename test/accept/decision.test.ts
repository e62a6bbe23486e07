import type { Statement } from '../../nodes/IdentityVerification/contract/read';
import { readWebhookResult } from '../../nodes/IdentityVerification/contract/result';
import { trustedDecision } from '../../nodes/IdentityVerification/result/decision';
import { parseText, readScan, readWebhook } from '../kit/data/readResult';

const decisionOf = (statement: Partial<Statement>) =>
	trustedDecision({ isRepaired: false, hasOtherStatus: false, ...statement });

const ERRORS = [true, 'x', 1, ['x'], { message: 'x' }];

/** Errors that say nothing. */
const EMPTY = [0, {}, []];

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

	it.each([...ERRORS, ...EMPTY])('is no accept beside the error %p', (error) => {
		expect(decisionOf({ decision: 'accept', success: true, error })).toBeUndefined();
	});

	it('is no accept beside another status than 200', () => {
		const body = { decision: 'accept', success: true };

		for (const [status, decision] of [[200, 'accept'], [201], [202], [299]] as const) {
			const reading = readScan(body, status);
			expect(reading.ok && trustedDecision(reading.statement)).toBe(decision);
		}
	});

	it.each(['accept', 'review', 'reject'])(
		'is no %s of a body that had to be repaired',
		(decision) => {
			expect(decisionOf({ decision, isRepaired: true })).toBeUndefined();
		},
	);

	it.each(['review', 'reject'])('is %s also where something failed', (decision) => {
		expect(decisionOf({ decision, success: false, error: 'x' })).toBe(decision);
	});
});

describe('an answer to a scan that says itself that it is none', () => {
	it.each([undefined, null, ''])('is no result with the decision %p', (decision) => {
		expect(readScan({ decision, success: false })).toEqual({
			ok: false,
			problems: [{ path: 'success', problem: 'is false' }],
		});
		for (const error of ERRORS) {
			expect(readScan({ decision, success: true, error })).toEqual({
				ok: false,
				problems: [{ path: 'error', problem: 'says that the request failed' }],
			});
		}
	});

	it.each(['accept', 'review', 'reject', 'Accept', 0])(
		'is a result with the decision %p',
		(decision) => {
			expect(readScan({ decision, success: false, error: 'x' }).ok).toBe(true);
		},
	);

	it.each([...EMPTY, undefined, null, false, ''])(
		'is a result when the error that it names is empty: %p',
		(error) => {
			const reading = readScan({ data: { dob: [{ value: 'x' }] }, error });

			expect(reading.ok && [reading.value.data, trustedDecision(reading.statement)]).toEqual([
				[['dob', [{ value: 'x' }]]],
				undefined,
			]);
		},
	);

	it.each([{}, { status: 'queued' }, { success: true }, { success: null, error: '' }])(
		'is a result when it only says nothing: %j',
		(body) => {
			expect(readScan(body).ok).toBe(true);
		},
	);
});

describe('the decision of a body', () => {
	const bodyOf = (member: string) =>
		`{"event":"hosted_conclusive","decision":"accept",${member},"data":{"dob":[{"value":"x"}]}}`;

	it.each([
		'"error":NaN',
		'"success":NaN',
		'"data":NaN',
		'"note":"a, NaN, b", "credit":NaN',
		'"x":[-Infinity]',
	])('is none when it was no JSON: %s', (member) => {
		const parsed = parseText(bodyOf(member));
		const reading = parsed.ok ? readWebhookResult(parsed.value) : parsed;

		expect(reading.ok && reading.statement.isRepaired).toBe(true);
		expect(reading.ok && trustedDecision(reading.statement)).toBeUndefined();
	});

	// In the form that n8n can store, the body lacks such a field, so nothing would be in doubt.
	it.each([
		'"error":1e400',
		'"error":{"code":1e400}',
		'"success":1e400',
		'"decision":1e400',
		'"success":false,"success":"yes"',
		'"error":null,"error":0',
	])('is none beside what it says itself, as it arrived: %s', (member) => {
		const reading = readWebhook(JSON.parse(bodyOf(member)));

		expect(reading.ok && trustedDecision(reading.statement)).toBeUndefined();
	});

	it.each([
		'"Decision":"reject"',
		'"__proto__":{"error":"x","success":false}',
		'"data":[]',
		'"warning":{}',
	])('is an accept beside what says nothing about it: %s', (member) => {
		const reading = readWebhook(
			JSON.parse(`{"event":"hosted_conclusive","decision":"accept",${member}}`),
		);

		expect(reading.ok && trustedDecision(reading.statement)).toBe('accept');
	});
});
