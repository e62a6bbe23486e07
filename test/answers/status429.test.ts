import { sha256, useSandbox } from '../kit/service/sandbox';
import { actionRunner, documentItems, failureOf, jsonOf } from '../kit/engine/action';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

// Whom a 429 holds up, and when it ends a request, is tested by a simulated clock in pace/.

describe('a 429', () => {
	it.each(['default', 'filesystem'] as const)(
		'is sent again, with the same image, in binary mode %s',
		async (binaryMode) => {
			const { items, images } = documentItems(1);
			await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', retryAfter: 0, times: 2 });

			const result = await run({ binaryMode, items });

			expect(jsonOf(result)).toMatchObject([{ decision: 'accept' }]);
			expect(await sandbox.statuses()).toEqual([429, 429, 200]);
			expect(await sandbox.documents()).toEqual(
				Array.from({ length: 3 }, () => sha256(images[0] as Buffer)),
			);
			expect(await sandbox.billed()).toBe(1);
		},
	);

	it('is an error after five refusals, and longer than Max Rate Limit Wait', async () => {
		await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', times: 'always' });

		const parameters = { options: { maxRateLimitWait: 4 / 60 } };
		const { message, description } = failureOf(await run({ parameters }));

		expect(message).toMatch(
			/status 429: Too many requests\. Try again later\..*Nothing was charged/,
		);
		expect(description).toMatch(/'Max Rate Limit Wait'/);
		expect(await sandbox.statuses()).toEqual([429, 429, 429, 429, 429]);
		const arrivals = await sandbox.arrivalTimes();
		const waits = arrivals.slice(1).map((ms, index) => ms - (arrivals[index] ?? 0));
		for (const [index, ms] of [1_000, 2_000, 4_000, 8_000].entries()) {
			expect(waits[index]).toBeGreaterThanOrEqual(ms - 20);
		}
		expect(await sandbox.billed()).toBe(0);
	});

	it('is no failure while other requests get through, however often it comes', async () => {
		const { items, images } = documentItems(8);
		await sandbox.faultOn(images[0], { kind: 'tooManyRequests', times: 3, retryAfter: 0 });

		const result = await run({ items, parameters: { options: { maxRateLimitWait: 0.5 } } });

		expect(jsonOf(result)).toHaveLength(8);
		expect((await sandbox.statuses()).filter((status) => status === 429)).toHaveLength(3);
		expect(await sandbox.billed()).toBe(8);
	});
});
