import { sha256, useSandbox } from '../kit/sandbox';
import { actionNode, documentItems, failureOf, jsonOf } from '../kit/engine/action';

const sandbox = useSandbox();
const { run } = actionNode(sandbox);

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

	it('is an error when the service refuses everything for Max Rate Limit Wait', async () => {
		await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', times: 'always' });

		const parameters = { options: { maxRateLimitWait: 4 / 60 } };
		const { message, description } = failureOf(await run({ parameters }));

		expect(message).toMatch(/status 429: Too many requests\. Try again later\./);
		expect(description).toMatch(/'Max Rate Limit Wait'/);
		expect(new Set(await sandbox.statuses())).toEqual(new Set([429]));
		// At once, and after 1 and 2 seconds; another 4 would be too long.
		expect((await sandbox.statuses()).length).toBeGreaterThan(1);
		expect((await sandbox.statuses()).length).toBeLessThanOrEqual(3);
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

	it('waits 1, 2 and 4 seconds when the service names no time', async () => {
		await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', times: 3 });

		const result = await run();

		const [first = 0, second = 0, third = 0, fourth = 0] = await sandbox.arrivalTimes();
		expect(result.error).toBeUndefined();
		expect(second - first).toBeGreaterThanOrEqual(980);
		expect(third - second).toBeGreaterThanOrEqual(1_980);
		expect(fourth - third).toBeGreaterThanOrEqual(3_980);
		// The first wait does not last as long from the start.
		expect(fourth - third).toBeGreaterThan(second - first);
	});
});
