import type { ServerResponse } from 'node:http';

import { actionRunner, downloadOf, downloadsOf, failureOf, jsonOf } from '../kit/engine/action';
import { listen } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { CONTINUE } from '../kit/settings';
import { until } from '../kit/until';

// How many files a run fetches at a time, and what it does when a host refuses with 429.

const sandbox = useSandbox();
const { run, start } = actionRunner(sandbox);

/** A host that holds its answers until they are released, all at once. */
async function holdingHost() {
	const held: ServerResponse[] = [];
	let most = 0;
	const { url } = await listen((_, response) => {
		held.push(response);
		most = Math.max(most, held.length);
	});
	const release = () => held.splice(0).forEach((response) => response.end('file'));
	return { url: `${url}/file`, held, release, most: () => most };
}

/** A host that answers with these statuses, one after the other, and then with a file. */
async function refusingHost(statuses: number[], headers: Record<string, string> = {}) {
	const askedAt: number[] = [];
	const { url } = await listen((_, response) => {
		askedAt.push(performance.now());
		const status = statuses.shift() ?? 200;
		response.writeHead(status, status === 429 ? headers : {}).end('file');
	});
	const pauses = () => askedAt.slice(1).map((time, index) => time - (askedAt[index] ?? 0));
	return { url: `${url}/file`, askedAt, pauses };
}

it.each([
	[{}, 4],
	[{ maxParallelRequests: 2 }, 2],
	[{ maxParallelRequests: 7 }, 7],
])('fetches with the options %j at most %d at a time', async (options, expected) => {
	const host = await holdingHost();

	const running = await start(downloadsOf(14, host.url, { parameters: { options } }));
	for (let fetched = 0; fetched < 14; fetched += expected) {
		await until('the next files', () => host.held.length >= Math.min(expected, 14 - fetched));
		host.release();
	}

	expect((await running.result).error).toBeUndefined();
	expect(host.most()).toBe(expected);
});

it('asks again 1, then 2 seconds after a 429', async () => {
	const host = await refusingHost([429, 429]);

	const { outputs, hints } = await run(downloadOf(host.url));

	expect(outputs[0]?.[0]?.files.file_0?.content.toString()).toBe('file');
	const [first = 0, second = 0, ...more] = host.pauses();
	expect([Math.floor(first / 1_000), Math.floor(second / 1_000), more]).toEqual([1, 2, []]);
	expect(hints[0]?.message).toMatch(/^1 request in .*; the service asked twice to slow down\.$/);
});

it('asks again when the host says so', async () => {
	const host = await refusingHost([429], { 'Retry-After': '2' });

	await run(downloadOf(host.url));

	expect(host.pauses()).toEqual([expect.closeTo(2_000, -3)]);
	expect(host.pauses()[0]).toBeGreaterThanOrEqual(1_990);
});

it('waits as without it when the host says that it need not', async () => {
	const host = await refusingHost([429, 429], { 'Retry-After': '0' });

	await run(downloadOf(host.url));

	const [first = 0, second = 0, ...more] = host.pauses();
	expect([Math.floor(first / 1_000), Math.floor(second / 1_000), more]).toEqual([1, 2, []]);
});

it('fails at once if the host asks for a pause beyond Max Rate Limit Wait', async () => {
	const host = await refusingHost([429], { 'Retry-After': '3600' });

	const { message } = failureOf(await run(downloadOf(host.url)));

	expect(message).toMatch(/answered with status 429\. Nothing was charged/);
	expect(host.askedAt).toHaveLength(1);
});

it('asks once for each of the others when all were refused for Max Rate Limit Wait', async () => {
	const host = await refusingHost(Array<number>(50).fill(429));
	const options = { maxRateLimitWait: 1.5 / 60, maxParallelRequests: 1 };

	const { outputs } = await run(
		downloadsOf(4, host.url, { parameters: { options }, settings: CONTINUE }),
	);

	expect(outputs[0]?.map(({ json }) => String(json.error))).toEqual(
		Array<unknown>(4).fill(expect.stringMatching(/answered with status 429\. Nothing was/)),
	);
	expect(host.askedAt).toHaveLength(2 + 3);
});

it('waits again after a file was accepted', async () => {
	const host = await refusingHost([429, 200, 429, 200]);
	const options = { maxRateLimitWait: 1.5 / 60, maxParallelRequests: 1 };

	const downloaded = await run(downloadsOf(2, host.url, { parameters: { options } }));

	expect(downloaded.error).toBeUndefined();
	expect(jsonOf(downloaded)).toHaveLength(2);
});

it('ends its pause when the execution is stopped', async () => {
	const host = await refusingHost([429], { 'Retry-After': '200' });
	const running = await start(downloadOf(host.url));
	await until('a request', () => host.askedAt.length > 0);

	running.cancel();

	expect((await running.result).status).toBe('canceled');
	expect(host.askedAt).toHaveLength(1);
});

it('waits for no file more once another has failed, if that stops the workflow', async () => {
	const held: ServerResponse[] = [];
	const { url } = await listen((_, response) => held.push(response));
	const running = await start(downloadsOf(2, `${url}/file`));
	await until('both requests', () => held.length === 2);

	held[0]?.writeHead(404).end();
	await until('the failure', () => held[0]?.writableFinished === true);
	held[1]?.writeHead(429, { 'Retry-After': '200' }).end();

	expect(failureOf(await running.result).message).toMatch(/status 404/);
});

it('fetches nothing more after a file that fails, if that stops the workflow', async () => {
	const host = await refusingHost([404]);
	const parameters = { options: { maxParallelRequests: 1 } };

	const result = await run(downloadsOf(3, host.url, { parameters }));

	expect(failureOf(result).message).toMatch(/status 404/);
	expect(failureOf(result).description).toContain('2 other items were not processed');
	expect(host.askedAt).toHaveLength(1);
});
