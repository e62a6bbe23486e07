import { setTimeout as sleep } from 'node:timers/promises';

import { sha256, useSandbox } from '../kit/sandbox';
import { actionNode, documentItems, failureOf, jsonOf } from '../kit/engine/action';

const sandbox = useSandbox();
const { run, start } = actionNode(sandbox);

/** Milliseconds between the first request and the last. */
const span = async () => {
	const times = await sandbox.arrivalTimes();
	return (times.at(-1) ?? 0) - (times[0] ?? 0);
};

const forSeconds = (seconds: number) => ({ options: { maxRateLimitWait: seconds / 60 } });

describe('a 429', () => {
	it('stops waiting when the execution is stopped, and sends nothing more', async () => {
		await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', retryAfter: 600, times: 'always' });
		const parameters = { options: { maxRateLimitWait: 15 } };
		const running = await start({ items: documentItems(2).items, parameters });
		while ((await sandbox.statuses()).filter((status) => status === 429).length < 2) await sleep(5);

		running.cancel();
		await running.result;

		expect(await sandbox.statuses()).toEqual([429, 429]);
	});

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

		const { message, description } = failureOf(await run({ parameters: forSeconds(4) }));

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

	it('waits as many seconds as Retry-After says', async () => {
		await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', retryAfter: 2 });

		await run();

		expect(await sandbox.statuses()).toEqual([429, 200]);
		expect(await span()).toBeGreaterThanOrEqual(1_980);
	});

	it('waits until the date that Retry-After says', async () => {
		const inThreeSeconds = new Date(Date.now() + 3_000).toUTCString();
		await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', retryAfter: inThreeSeconds });

		await run();

		expect(await sandbox.statuses()).toEqual([429, 200]);
		expect((await sandbox.arrivalTimes()).at(-1)).toBeGreaterThanOrEqual(
			Date.parse(inThreeSeconds) - 20,
		);
	});

	it('is an error at once when the service wants hours', async () => {
		await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', retryAfter: 7_200 });

		const { message } = failureOf(await run());

		expect(message).toMatch(/status 429/);
		expect(await sandbox.statuses()).toEqual([429]);
	});

	it('holds back the other items meanwhile', async () => {
		const { items, images } = documentItems(4);
		await sandbox.faultOn(images[0], { kind: 'tooManyRequests', retryAfter: 6 });
		await sandbox.faultOn(images[0], { kind: 'latency', ms: 500 });
		// Answered within the pause: the next item could go out then.
		await sandbox.faultOn(images[1], { kind: 'latency', ms: 4_000 });

		const result = await run({ items, parameters: { options: { maxParallelRequests: 2 } } });

		const [start = 0, together = 0, ...later] = await sandbox.arrivalTimes();
		expect(jsonOf(result)).toHaveLength(4);
		// Not after the refusal: the pause would have held it back like the others.
		expect(together - start).toBeLessThan(4_000);
		expect(later).toHaveLength(3);
		for (const time of later) expect(time - start).toBeGreaterThanOrEqual(6_480);
		expect(await sandbox.billed()).toBe(4);
	});
});
