import type { ServerResponse } from 'node:http';

import { actionRunner, downloadOf, downloadsOf, failureOf } from '../kit/engine/action';
import { listen } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { until } from '../kit/until';

// How many files a run fetches at a time, and that it asks for none again.

const { run, start } = actionRunner(useSandbox());

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
	let requests = 0;
	const { url } = await listen((_, response) => {
		requests++;
		response.writeHead(statuses.shift() ?? 200, headers).end('file');
	});
	return { url: `${url}/file`, requests: () => requests };
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

it('fails an item whose host answers with 429, which costs nothing, and does not ask again', async () => {
	const host = await refusingHost([429], { 'Retry-After': '1' });

	const { message } = failureOf(await run(downloadOf(host.url)));

	expect(message).toMatch(
		/answered with status 429\. Run the item again later, or set 'Max Parallel Requests' in the options to 1\. Nothing was charged/,
	);
	expect(host.requests()).toBe(1);
});

it('fetches nothing more after a file that fails, if that stops the workflow', async () => {
	const host = await refusingHost([404]);
	const parameters = { options: { maxParallelRequests: 1 } };

	const result = await run(downloadsOf(3, host.url, { parameters }));

	expect(failureOf(result).message).toMatch(/status 404/);
	expect(failureOf(result).description).toContain('2 other items were not processed');
	expect(host.requests()).toBe(1);
});
