import { retryAfterOf } from '../../nodes/IdentityVerification/contract/answerHead';

const LONGEST_MS = 2 ** 31 - 1;

it.each<[string | undefined, number | undefined]>([
	['30', 30_000],
	['0', 0],
	['30.5', 31_000],
	['0.001', 1_000],
	['Wed, 25 Nov 2026 12:01:00 GMT', 60_000],
	['Wed, 25 Nov 2026 11:00:00 GMT', 0],
	// A point in time: a timer that is set to more rings at once.
	['1790000000', LONGEST_MS],
	['Wed, 25 Nov 2126 12:00:00 GMT', LONGEST_MS],
	['soon', undefined],
	['-1', undefined],
	['-1.5', undefined],
	['', undefined],
	['30 s', undefined],
	['Mon 5', undefined],
	['2030-01-01', undefined],
	[undefined, undefined],
])('the Retry-After %s asks to wait for %s ms', (header, ms) => {
	const headers = { 'retry-after': header, date: 'Wed, 25 Nov 2026 12:00:00 GMT' };

	expect(retryAfterOf({ statusCode: 429, headers })).toBe(ms);
});
