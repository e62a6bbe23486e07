import type { Logger } from 'n8n-workflow';

import { Progress } from '../../nodes/IdentityVerification/progress';

const logged: string[] = [];
const logger = { info: (message: string) => logged.push(message) } as unknown as Logger;

beforeEach(() => {
	logged.length = 0;
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

function answer(progress: Progress, isRefused = false) {
	progress.sent();
	progress.answer(isRefused ? 429 : 200);
	progress.ended();
}

it('is logged every 30 seconds of a long run, by counts alone', () => {
	const progress = new Progress(logger);
	for (let second = 1; second <= 65; second++) {
		jest.advanceTimersByTime(1_000);
		answer(progress, second % 20 === 0);
	}

	expect(logged).toEqual([
		'Identity Verification: 29 requests in 30.0 s, up to 1 at a time; the service asked once to slow down',
		'Identity Verification: 57 requests in 60.0 s, up to 1 at a time; the service asked 3 times to slow down',
	]);
});

it('says how many requests were open at once', () => {
	const progress = new Progress(logger);
	progress.sent();
	progress.sent();
	progress.answer(200);
	progress.ended();
	answer(progress);
	progress.answer(200);
	progress.ended();

	expect(progress.summary).toBe('3 requests in 0.0 s, up to 2 at a time');
});

it('is worth a summary after several requests, or after one that was refused', () => {
	const isWorthIt = (...refusals: boolean[]) => {
		const progress = new Progress(logger);
		for (const isRefused of refusals) answer(progress, isRefused);
		return progress.hasSummary;
	};

	expect([isWorthIt(), isWorthIt(false)]).toEqual([false, false]);
	expect([isWorthIt(false, false), isWorthIt(true, false)]).toEqual([true, true]);
});
