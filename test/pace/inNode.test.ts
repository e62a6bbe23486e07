import { BinaryDataService } from 'n8n-core';
import type { INodeParameters } from 'n8n-workflow';

import { listen } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import {
	actionRunner,
	documentItem,
	documentItems,
	failureOf,
	jsonOf,
	picture,
} from '../kit/engine/action';
import { Container } from '../kit/engine/container';
import { CONTINUE } from '../kit/settings';
import { until } from '../kit/until';

// What the runs of a node share of the pace of a service. The other files here test the pace itself.

const sandbox = useSandbox();
const { run, start } = actionRunner(sandbox);

const single = () => ({ items: [documentItem()] });
const fileOf = (host: string) => ({
	json: { outputFile: [{ name: 'a', fileUrl: `${host}/files/large?bytes=9` }] },
});
const download: INodeParameters = { operation: 'downloadFiles' };
const goOn = CONTINUE;

describe('a pause that the service asks for', () => {
	it('holds for the other executions with the credential', async () => {
		// Twice as long as a node waits where a service doesn't say when to come again.
		await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', retryAfter: 2 });
		const first = await start(single());
		await sandbox.untilAnswered(429);

		const others = [await start(single()), await start(single())];
		for (const { result } of [first, ...others]) expect((await result).error).toBeUndefined();

		const [refused = 0, ...later] = await sandbox.arrivalTimes();
		expect(later).toHaveLength(3);
		expect(Math.min(...later) - refused).toBeGreaterThanOrEqual(1_900);
	});

	it('does not hold for another credential', async () => {
		await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', retryAfter: 600 });
		await run(single());

		const { error } = await run({ ...single(), credentialId: 'another' });

		expect(error).toBeUndefined();
		expect(await sandbox.statuses()).toEqual([429, 200]);
	});

	it('of hours ends the run at once; a later run asks with a single request whether it still holds', async () => {
		await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', retryAfter: 7_200, times: 2 });
		const { items } = documentItems(6);
		const settings = goOn;
		const one = { options: { maxParallelRequests: 1 } };

		const refused = await run({ items, parameters: one, settings });
		const stillRefused = await run({ items, settings });
		const taken = await run({ items });

		const messages = jsonOf(refused).map(({ error }) => String(error));
		expect(messages[0]).toMatch(
			/^The service answered with status 429.*Nothing was charged.*\[item 0\]$/,
		);
		for (const message of messages.slice(1)) {
			expect(message).toMatch(/refusing all requests.*Nothing was charged/);
		}
		expect(jsonOf(stillRefused).filter(({ error }) => error)).toHaveLength(6);
		expect(jsonOf(taken)).toHaveLength(6);
		expect(await sandbox.statuses()).toEqual([429, 429, 200, 200, 200, 200, 200, 200]);
	});
});

it('a file host that refuses a download is asked again when it says so', async () => {
	await sandbox.fault({ on: 'files', kind: 'tooManyRequests', retryAfter: 1 });

	const { outputs } = await run({
		parameters: download,
		items: [fileOf(sandbox.filesUrl)],
		credential: { fileHosts: new URL(sandbox.filesUrl).host },
	});

	expect(outputs[0]?.[0]?.files.file_0?.content).toHaveLength(9);
	expect((await sandbox.state()).fileRequests).toHaveLength(2);
});

it('a profile over its quota holds up no other one, and neither do links the scans', async () => {
	await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', retryAfter: 3_600 });
	const over = await run({ ...single(), settings: goOn });
	const link = { operation: 'createHostedLink', mode: 1 };

	const other = await run({ ...single(), parameters: { profile: 'sandbox-low-confidence' } });
	const created = await run({ items: [{ json: {} }], parameters: link });

	expect(jsonOf(over)[0]?.error).toMatch(/status 429/);
	expect(jsonOf(other)[0]?.decision).toBe('review');
	expect(jsonOf(created)[0]?.url).toBeTruthy();
	expect(await sandbox.statuses()).toEqual([429, 200, 200]);
});

it('a pause holds for one account, not for another one behind the same credential', async () => {
	const requests: unknown[] = [];
	const { url } = await listen((request, response) => {
		const key = request.headers['x-api-key'];
		requests.push(key);
		request.resume().on('end', () => {
			response.writeHead(key === 'first' ? 429 : 200, { 'Retry-After': '3600' });
			response.end(JSON.stringify({ decision: 'accept' }));
		});
	});

	const first = await run({ ...single(), credential: { baseUrl: url, apiKey: 'first' } });
	const second = await run({ ...single(), credential: { baseUrl: url, apiKey: 'second' } });

	expect(first.error).toBeDefined();
	expect(second.error).toBeUndefined();
	expect(requests).toEqual(['first', 'second']);
});

it('the editor says how many requests there were at a time', async () => {
	const { items } = documentItems(3);

	const { hints } = await run({ items, parameters: { options: { maxParallelRequests: 1 } } });

	expect(hints[0]?.message).toMatch(/^3 requests in [\d.]+ s, up to 1 at a time\.$/);
});

it('many executions of one document each keep to the limit of the service together', async () => {
	await sandbox.setModel({ rate: { perSecond: 10 }, latency: { ms: 50 } });

	const runs = await Promise.all(Array.from({ length: 40 }, () => start(single())));
	for (const { result } of runs) expect((await result).error).toBeUndefined();

	expect(await sandbox.billed()).toBe(40);
	expect((await sandbox.statuses()).length).toBeLessThan(1.5 * 40);
});

it('a service that fails is asked less, and its pause after 503 holds for others', async () => {
	const [image] = [picture()];
	await sandbox.faultOn(image, { kind: 'status', status: 503, retryAfter: 1 });

	const failed = await run({ items: [documentItem(image)] });
	const { error } = await run(single());

	expect(failureOf(failed).message).toMatch(/status 503/);
	expect(error).toBeUndefined();
	const [first = 0, second = 0] = await sandbox.arrivalTimes();
	expect(second - first).toBeGreaterThanOrEqual(900);
});

it('a Retry-After that is a date is one by the clock of the service', async () => {
	// Ten minutes behind n8n's clock: by that one, the pause would be over.
	const clock = Date.now() - 600_000;
	const at = (ms: number) => new Date(clock + ms).toUTCString();
	const arrivals: number[] = [];
	const { url } = await listen((request, response) => {
		request.resume().on('end', () => {
			arrivals.push(performance.now());
			const isFirst = arrivals.length === 1;
			const headers = { Date: at(0), ...(isFirst && { 'Retry-After': at(2_000) }) };
			response.writeHead(isFirst ? 429 : 200, headers).end(JSON.stringify({ decision: 'accept' }));
		});
	});

	expect((await run({ credential: { baseUrl: url } })).status).toBe('success');

	const [first = 0, second = 0] = arrivals;
	expect(second - first).toBeGreaterThan(1_900);
});

it('a Retry-After of an answer that only concerns one document holds nothing back', async () => {
	await sandbox.fault({ on: 'scan', kind: 'status', status: 422, retryAfter: 3_600 });

	const parameters = { options: { maxParallelRequests: 1 } };
	await run({ ...documentItems(3), parameters, settings: goOn });

	expect(await sandbox.statuses()).toEqual([422, 200, 200]);
});

it('slow files hold back neither each other nor a scan from the same host', async () => {
	const ends: (() => void)[] = [];
	const server = await listen((request, response) => {
		if (request.method === 'POST') return request.resume().on('end', () => response.end('{}'));
		response.writeHead(200).write('x');
		return ends.push(() => response.end());
	});
	const credential = { baseUrl: server.url, fileHosts: new URL(server.url).host };
	const files = Array.from({ length: 8 }, () => fileOf(server.url));
	const downloads = await start({ items: files, parameters: download, credential });
	// More than may be open at first: a file counts as open only until its headers are here.
	await until('all downloads to begin', () => ends.length === files.length);

	const { status } = await run({ ...single(), credential });

	expect(status).toBe('success');
	downloads.cancel();
	await downloads.result;
});

it('files that n8n cannot store do not wait for the Timeout', async () => {
	const items = Array.from({ length: 12 }, () => fileOf(sandbox.filesUrl));
	const credential = { fileHosts: new URL(sandbox.filesUrl).host };
	const storage = Container.get(BinaryDataService);
	const store = jest.spyOn(storage, 'store').mockRejectedValue(new Error('no space left'));
	// Far beyond the time that Jest gives the test.
	const parameters = { ...download, options: { timeout: 3_600 } };
	const ended = await run({ items, parameters, credential, settings: goOn });
	store.mockRestore();

	expect(jsonOf(ended).map(({ error }) => String(error))).toEqual(
		items.map((_, item) =>
			expect.stringContaining(`n8n could not store it. Nothing was charged [item ${item}]`),
		),
	);
});
