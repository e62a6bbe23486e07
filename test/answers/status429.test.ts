import { sha256, useSandbox } from '../kit/service/sandbox';
import { actionRunner, documentItems, failureOf, jsonOf } from '../kit/engine/action';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

// Whom a 429 holds up, how the waits grow, and when it ends a request, is tested by a simulated clock in pace/.

describe('a 429', () => {
	it.each(['default', 'filesystem'] as const)(
		'is sent again a second later, with the same image, in binary mode %s',
		async (binaryMode) => {
			const { items, images } = documentItems(1);
			await sandbox.fault({ on: 'scan', kind: 'tooManyRequests' });

			const result = await run({ binaryMode, items });

			expect(jsonOf(result)).toMatchObject([{ decision: 'accept' }]);
			expect(await sandbox.statuses()).toEqual([429, 200]);
			const [first = 0, second = 0] = await sandbox.arrivalTimes();
			expect(second - first).toBeGreaterThanOrEqual(980);
			const digest = sha256(images[0] as Buffer);
			expect(await sandbox.documents()).toEqual([digest, digest]);
			expect(await sandbox.billed()).toBe(1);
		},
	);

	it('is an error when the service asks for a longer pause than Max Rate Limit Wait', async () => {
		await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', retryAfter: 60 });

		const parameters = { options: { maxRateLimitWait: 0.5 } };
		const { message, description } = failureOf(await run({ parameters }));

		expect(message).toMatch(
			/status 429: Too many requests\. Try again later\..*Nothing was charged/,
		);
		expect(description).toMatch(/'Max Rate Limit Wait'/);
		expect(await sandbox.statuses()).toEqual([429]);
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
