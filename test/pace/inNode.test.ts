import { BinaryDataService } from 'n8n-core';

import { listen } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { picture } from '../kit/data/picture';
import {
	actionRunner,
	documentItem,
	documentItems,
	downloadsOf,
	failureOf,
	jsonOf,
} from '../kit/engine/action';
import { Container } from '../kit/engine/container';
import { CONTINUE } from '../kit/settings';
import { until } from '../kit/until';

// What the runs of a node share of the pace of a service. The other files here test the pace itself.

const sandbox = useSandbox();
const { run, start } = actionRunner(sandbox);

it('the editor says how many requests there were at a time', async () => {
	const { items } = documentItems(3);

	const { hints } = await run({ items, parameters: { options: { maxParallelRequests: 1 } } });

	expect(hints[0]?.message).toMatch(/^3 requests in [\d.]+ s, up to 1 at a time\.$/);
});

it('many executions of one document each keep to the limit of the service together', async () => {
	await sandbox.setModel({ rate: { perSecond: 10 }, latency: { ms: 50 } });

	const runs = await Promise.all(Array.from({ length: 40 }, () => start()));
	for (const { result } of runs) expect((await result).error).toBeUndefined();

	expect(await sandbox.billed()).toBe(40);
	// Some 55, more on a busy machine, and 100 if each found out the limit by itself.
	expect((await sandbox.statuses()).length).toBeLessThan(2 * 40);
});

it('a service that fails is asked less, and its pause after 503 holds for others', async () => {
	const [image] = [picture()];
	await sandbox.faultOn(image, { kind: 'status', status: 503, retryAfter: 1 });

	const failed = await run({ items: [documentItem(image)] });
	const { error } = await run();

	expect(failureOf(failed).message).toMatch(/status 503/);
	expect(error).toBeUndefined();
	const [first = 0, second = 0] = await sandbox.arrivalTimes();
	expect(second - first).toBeGreaterThanOrEqual(900);
});

it('a Retry-After of an answer that only concerns one document holds nothing back', async () => {
	await sandbox.fault({ on: 'scan', kind: 'status', status: 422, retryAfter: 3_600 });

	const parameters = { options: { maxParallelRequests: 1 } };
	await run({ ...documentItems(3), parameters, settings: CONTINUE });

	expect(await sandbox.statuses()).toEqual([422, 200, 200]);
});

it('slow files hold back neither those of another run nor a scan from the same host', async () => {
	const ends: (() => void)[] = [];
	const server = await listen((request, response) => {
		if (request.method === 'POST') return request.resume().on('end', () => response.end('{}'));
		response.writeHead(200).write('x');
		return ends.push(() => response.end());
	});
	const credential = { baseUrl: server.url, fileHosts: new URL(server.url).host };
	const downloads = [
		await start(downloadsOf(5, `${server.url}/file`, { credential })),
		await start(downloadsOf(5, `${server.url}/file`, { credential })),
	];
	await until('four downloads of each run to begin', () => ends.length === 4 + 4);

	const { status } = await run({ credential });

	expect(status).toBe('success');
	for (const download of downloads) download.cancel();
	await Promise.all(downloads.map(async ({ result }) => await result));
});

it('files that n8n cannot store do not wait for the Timeout', async () => {
	const storage = Container.get(BinaryDataService);
	const store = jest.spyOn(storage, 'store').mockRejectedValue(new Error('no space left'));
	// Far beyond the time that Jest gives the test.
	const options = { parameters: { options: { timeout: 3_600 } }, settings: CONTINUE };
	const ended = await run(downloadsOf(12, `${sandbox.filesUrl}/files/large?bytes=9`, options));
	store.mockRestore();

	expect(jsonOf(ended).map(({ error }) => String(error))).toEqual(
		Array.from({ length: 12 }, (_, item) =>
			expect.stringContaining(
				`n8n could not store it. Nothing was charged (charge: none) [item ${item}]`,
			),
		),
	);
});
