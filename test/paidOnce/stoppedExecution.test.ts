import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import { listen } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { useLogs } from '../kit/engine/logs';
import {
	actionRunner,
	documentItems,
	downloadOf,
	downloadsOf,
	failureOf,
} from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import type { NodeSettings } from '../kit/engine';
import { CONTINUE, retryOnFail } from '../kit/settings';
import { until } from '../kit/until';

const sandbox = useSandbox();
const { run, start } = actionRunner(sandbox);
const logs = useLogs();

/** How many files were asked for. */
const asked = async () => (await sandbox.state()).fileRequests.length;

/** Also when the connection breaks off within the request, which Node.js reports as an error. */
async function connectionClosed({ socket }: IncomingMessage): Promise<void> {
	await new Promise<void>((resolve) => socket.once('close', () => resolve()));
}

it('stopping an execution aborts the open requests and starts no others', async () => {
	const received: IncomingMessage[] = [];
	const server = await listen((request, response) => {
		// The first two are never answered.
		if (received.push(request.resume()) > 2) response.end('{"decision":"accept"}');
	});
	const credential = { baseUrl: server.url };
	const running = await start({
		items: documentItems(6).items,
		parameters: { options: { maxParallelRequests: 2 } },
		credential,
	});
	await until('two requests', () => received.length === 2);
	const closed = received.map(connectionClosed);

	running.cancel();

	await Promise.all(closed);
	await running.result;
	await run({ credential });
	expect(received).toHaveLength(3);
});

describe('what n8n throws away of a stopped execution', () => {
	/**
	 * Stops the execution when it has sent these requests, of which the last one is never answered.
	 */
	async function stopAfter(answered: number, options: ActionOptions): Promise<string[]> {
		const on = options.parameters ? 'hosted' : 'scan';
		const executionId = randomUUID();
		await sandbox.fault({ on, kind: 'noAnswer', skip: answered });
		const running = await start({
			...options,
			executionId,
			parameters: { ...options.parameters, options: { maxParallelRequests: 1 } },
		});
		await sandbox.untilArrived(answered + 1);
		running.cancel();
		await running.result;
		await until('the log', () => logs.canceledRun(executionId).length > 0);
		await run();
		return logs.canceledRun(executionId);
	}

	it.each(['continueRegularOutput', 'stopWorkflow'] as const)(
		'shows in its log: the transactions that are paid, with On Error %s',
		async (onError) => {
			const { items } = documentItems(4);
			const lines = await stopAfter(2, { items, settings: { onError } });

			expect(lines).toHaveLength(1);
			expect(lines[0]).toMatch(
				/Requests sent: 3\. Items paid: 2 \(transactions \w{32}, \w{32}\)\./,
			);
		},
	);

	it('shows in its log: what an earlier try of Retry On Fail has paid, which its error does not deny', async () => {
		const { items, images } = documentItems(3);
		const executionId = randomUUID();
		await sandbox.refuse(images[2]);
		const running = await start({
			items,
			executionId,
			parameters: { options: { maxParallelRequests: 1 } },
			settings: { ...retryOnFail(3), waitBetweenTries: 1_000 },
		});
		await sandbox.untilAnswered(400);
		running.cancel();
		const { message, description } = failureOf(await running.result);

		await until('the log', () => logs.canceledRun(executionId).length > 0);
		expect(logs.canceledRun(executionId)[0]).toMatch(/Items paid: 2 \(transactions/);
		expect(message).toMatch(/Nothing was charged \(charge: none\) \[item 2\]$/);
		expect(description).toMatch(/2 items are done and paid for \([^)]+\)\./);
	});

	it('shows in its log: how many links are paid, and not by what they open', async () => {
		const parameters = { operation: 'createHostedLink', mode: 1 };
		const lines = await stopAfter(1, { items: [{}, {}], parameters });

		expect(lines).toEqual([expect.stringMatching(/Requests sent: 2\. Items paid: 1\. /)]);
		const { links } = await sandbox.state();
		for (const { reference } of links) expect(lines[0]).not.toContain(reference);
	});

	it('shows in its log: a first request that was still open', async () => {
		const lines = await stopAfter(0, documentItems(1));

		expect(lines).toEqual([expect.stringMatching(/Requests sent: 1\. Items paid: 0\. /)]);
	});

	it('is nothing where no request was sent yet', async () => {
		await sandbox.fault({ on: 'scan', kind: 'noAnswer', times: 'always' });
		const busy = await start(documentItems(4));
		await sandbox.untilArrived(4);
		const executionId = randomUUID();
		const waiting = await start({ ...documentItems(1), executionId });
		// Another key has a pace of its own: when this has its answer, the one before waits for its turn.
		await run({ credential: { apiKey: 'another' } });
		waiting.cancel();
		await waiting.result;
		busy.cancel();
		await busy.result;

		expect(logs.canceledRun(executionId)).toEqual([]);
		await sandbox.reset();
		await run();
		expect(await sandbox.requests()).toHaveLength(1);
	});

	it('is nothing where only files were fetched, or where nothing was canceled', async () => {
		await sandbox.fault({ on: 'files', kind: 'noAnswer' });
		const fileUrl = `${sandbox.filesUrl}/files/large?bytes=9`;
		const executionId = randomUUID();
		const running = await start({ ...downloadOf(fileUrl), executionId });
		await until('the file to be asked for', async () => (await asked()) === 1);
		running.cancel();
		await running.result;
		await run({ executionId });

		expect(logs.canceledRun(executionId)).toEqual([]);
	});
});

describe('stopping an execution', () => {
	// n8n tells a stopped execution from a failed one by the word in the error's message.
	it.each<NodeSettings>([{}, CONTINUE, retryOnFail(3)])(
		'is recorded as canceled, and sends no other item, with %j',
		async (settings) => {
			await sandbox.fault({ on: 'scan', kind: 'noAnswer' });
			const running = await start({
				items: documentItems(4).items,
				parameters: { options: { maxParallelRequests: 1 } },
				settings,
			});
			await sandbox.untilArrived(1);
			running.cancel();

			expect((await running.result).status).toBe('canceled');
			await run();
			expect(await sandbox.requests()).toHaveLength(2);
		},
	);

	it('fetches no other file with Continue', async () => {
		await sandbox.fault({ on: 'files', kind: 'noAnswer' });
		const parameters = { options: { maxParallelRequests: 1 } };
		const options = { parameters, settings: CONTINUE };
		const fileUrl = `${sandbox.filesUrl}/files/large?bytes=10`;
		const running = await start(downloadsOf(3, fileUrl, options));
		await until('the file to be asked for', async () => (await asked()) === 1);
		running.cancel();

		expect((await running.result).status).toBe('canceled');
		await run(downloadOf(fileUrl, options));
		expect(await asked()).toBe(2);
	});
});
