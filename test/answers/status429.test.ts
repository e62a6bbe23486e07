import { listenJson } from '../kit/service/httpServer';
import { sha256, useSandbox } from '../kit/service/sandbox';
import { actionRunner, documentItem, documentItems, failureOf, jsonOf } from '../kit/engine/action';
import { CONTINUE } from '../kit/settings';

const sandbox = useSandbox();
const { run, start } = actionRunner(sandbox);

const oneByOne = { options: { maxParallelRequests: 1 } };

// How the waits grow, and all else of whom a 429 holds up and when it ends a request, is tested by a
// simulated clock in pace/.

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

describe('a pause that the service asks for with a 429', () => {
	it('holds for the other executions with the credential', async () => {
		// Twice as long as a node waits where a service doesn't say when to come again.
		await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', retryAfter: 2 });
		const first = await start();
		await sandbox.untilAnswered(429);

		const others = [await start(), await start()];
		for (const { result } of [first, ...others]) expect((await result).error).toBeUndefined();

		const [refused = 0, ...later] = await sandbox.arrivalTimes();
		expect(later).toHaveLength(3);
		expect(Math.min(...later) - refused).toBeGreaterThanOrEqual(1_900);
	});

	it('does not hold for another credential', async () => {
		const { items, images } = documentItems(2);
		await sandbox.hold(images[0]);
		// It begins before the pause: one that begins later asks once whether a pause still holds.
		const other = await start({ items, parameters: oneByOne, credentialId: 'another' });
		await sandbox.untilArrived(1);
		await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', retryAfter: 600 });
		await run();
		await sandbox.release();

		const { error } = await other.result;

		expect(error).toBeUndefined();
		expect(await sandbox.statuses()).toEqual([200, 429, 200]);
	});

	it('of hours ends the run at once; a later run asks with a single request whether it still holds', async () => {
		await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', retryAfter: 7_200, times: 2 });
		const { items } = documentItems(3);

		const refused = await run({ items, parameters: oneByOne, settings: CONTINUE });
		const stillRefused = await run({ items, settings: CONTINUE });
		const taken = await run({ items });

		const messages = jsonOf(refused).map(({ error }) => String(error));
		expect(messages[0]).toMatch(
			/^The service answered with status 429.*Nothing was charged.*\[item 0\]$/,
		);
		for (const message of messages.slice(1)) {
			expect(message).toMatch(/refusing all requests.*Nothing was charged/);
		}
		expect(refused.outputs[0]?.[1]?.error).toMatchObject({
			description: expect.stringMatching(/'Max Rate Limit Wait'/) as string,
			failure: { cause: 'rate-limited' },
		});
		expect(jsonOf(stillRefused).filter(({ error }) => error)).toHaveLength(3);
		expect(jsonOf(taken)).toHaveLength(3);
		expect(await sandbox.statuses()).toEqual([429, 429, 200, 200, 200]);
	});
});

it('a Retry-After that is a date is one by the clock of the service', async () => {
	// Ten minutes behind n8n's clock: by that one, the pause would be over.
	const clock = Date.now() - 600_000;
	const at = (ms: number) => new Date(clock + ms).toUTCString();
	const arrivals: number[] = [];
	const { url } = await listenJson(() => {
		arrivals.push(performance.now());
		const isFirst = arrivals.length === 1;
		const headers = { Date: at(0), ...(isFirst && { 'Retry-After': at(2_000) }) };
		return { status: isFirst ? 429 : 200, headers, body: { decision: 'accept' } };
	});

	expect((await run({ credential: { baseUrl: url } })).status).toBe('success');

	const [first = 0, second = 0] = arrivals;
	expect(second - first).toBeGreaterThan(1_900);
});

it('a pause holds for one account, not for another one behind the same credential', async () => {
	const requests: unknown[] = [];
	const { url } = await listenJson((request) => {
		const key = request.headers['x-api-key'];
		requests.push(key);
		return {
			status: key === 'first' ? 429 : 200,
			headers: { 'Retry-After': '3600' },
			body: { decision: 'accept' },
		};
	});
	const keys = ['first', 'first', 'second'];

	const result = await run({
		items: keys.map((key) => ({ ...documentItem(), json: { key } })),
		parameters: oneByOne,
		credential: { baseUrl: url, apiKey: '={{ $json.key }}' },
		settings: CONTINUE,
	});

	expect(jsonOf(result)).toMatchObject([
		{ error: expect.stringMatching(/status 429/) as string },
		{ error: expect.stringMatching(/refusing all requests/) as string },
		{ decision: 'accept' },
	]);
	expect(requests).toEqual(['first', 'second']);
});

it('a profile over its quota holds up no other one', async () => {
	await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', retryAfter: 3_600 });
	const profiles = ['sandbox-accept', 'sandbox-accept', 'sandbox-low-confidence'];

	const result = await run({
		items: profiles.map((profile) => ({ ...documentItem(), json: { profile } })),
		parameters: { ...oneByOne, profile: '={{ $json.profile }}' },
		settings: CONTINUE,
	});

	expect(jsonOf(result)).toMatchObject([
		{ error: expect.stringMatching(/status 429/) as string },
		{ error: expect.stringMatching(/refusing all requests/) as string },
		{ decision: 'review' },
	]);
	expect(await sandbox.statuses()).toEqual([429, 200]);
});

it('a scan over the quota of its profile holds up no links', async () => {
	await sandbox.fault({ on: 'hosted', kind: 'held' });
	// It begins before the pause: one that begins later asks once whether a pause still holds.
	const links = await start({
		items: [{}, {}],
		parameters: { ...oneByOne, operation: 'createHostedLink', mode: 1 },
	});
	await sandbox.untilArrived(1);
	await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', retryAfter: 3_600 });
	await run();
	await sandbox.release();

	const created = jsonOf(await links.result);

	expect(created.map(({ url }) => Boolean(url))).toEqual([true, true]);
	expect(await sandbox.statuses()).toEqual([200, 429, 200]);
});
