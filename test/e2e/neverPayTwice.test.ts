import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod/v4';

import { itemsOf } from '../../dev/stack/execution';
import type { Execution } from '../../dev/stack/execution';
import { poll } from '../../dev/stack/poll';
import { listen } from '../kit/httpServer';
import { picture } from '../kit/imageBytes';
import { sha256 } from '../kit/sandbox';
import { openStack } from '../kit/n8n/handle';
import { SCAN, bodyOf, startScans } from '../kit/n8n/scans';
import { useService } from '../kit/n8n/service';
import type { NodeOptions } from '../kit/n8n/workflow';

const scannedFile = z.object({ image: z.string().optional(), fileUrl: z.string() });

const COUNT = 10;
const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };

const stack = openStack();
const { api } = stack;
const service = useService(stack, '');
const { sandbox } = service;

// The sandbox keeps a JPEG as the front image of its result.
const images = Array.from({ length: COUNT }, () => picture(10_000));
const digests = images.map(sha256);
const body = bodyOf(images);

async function scanAll(options: NodeOptions): Promise<Execution> {
	const workflow = await startScans(api, { credentialId: service.credentialId, ...options });
	await workflow.send('Start', body);
	return await workflow.newExecution();
}

/** Numbers of the documents that were sent, in the order of their arrival. */
async function sentDocuments(): Promise<number[]> {
	return (await sandbox.documents()).map((digest) => digests.indexOf(digest));
}

function countOf(document: number, sent: number[]): number {
	return sent.filter((number) => number === document).length;
}

describe('Retry On Fail', () => {
	it('sends only the failed one of ten scans again, and puts ten items out in order', async () => {
		await sandbox.faultOn(images[6], { times: 2 });

		const execution = await scanAll({ settings: RETRY });

		expect(execution.status).toBe('success');
		const sent = await sentDocuments();
		expect(sent).toHaveLength(12);
		expect(await sandbox.billed()).toBe(COUNT);
		expect(digests.map((_, document) => countOf(document, sent))).toEqual([
			1, 1, 1, 1, 1, 1, 3, 1, 1, 1,
		]);
		expect(await frontImagesOf(execution)).toEqual(digests);
	});

	it.each(['broken', 'truncated', 'wrongShape'])(
		'does not send a document again whose answer was %s',
		async (kind) => {
			await sandbox.faultOn(images[6], { kind });

			const execution = await scanAll({ settings: RETRY });

			expect(execution.status).toBe('error');
			expect(errorOf(execution)).toContain(
				'may have been processed and charged for "document.jpg" [item 6]',
			);
			const sent = await sentDocuments();
			expect(sent).toContain(6);
			expect(new Set(sent).size).toBe(sent.length);
			expect(await sandbox.billed()).toBe(sent.length);
		},
	);

	it('does not send a document again that ran into the Timeout', async () => {
		await sandbox.faultOn(images[0], { kind: 'noAnswer' });
		const parameters = { options: { timeout: 20, maxParallelRequests: 1 } };
		const { credentialId } = service;
		const workflow = await startScans(api, { credentialId, settings: RETRY, parameters });
		const started = Date.now();

		await workflow.send('Start', body);
		const execution = await workflow.newExecution();

		expect(execution.status).toBe('error');
		expect(errorOf(execution)).toContain('nothing came within 20 s');
		expect(errorOf(execution)).toContain(
			'may have been processed and charged for "document.jpg" [item 0]',
		);
		expect(await sentDocuments()).toEqual([0]);
		// It would be two minutes without the Timeout.
		expect(Date.now() - started).toBeLessThan(100_000);
	});
});

describe('Stop of a running execution', () => {
	it.each(['stopWorkflow', 'continueRegularOutput'])(
		'ends the open requests and sends no new one, with On Error %s',
		async (onError) => {
			let [opened, ended] = [0, 0];
			const { url: baseUrl } = await listen((request, response) => {
				opened += 1;
				response.on('close', () => (ended += 1));
				request.resume();
			});
			const credentialId = await service.saveCredential({ baseUrl });
			const parameters = { options: { maxParallelRequests: 2 } };
			const settings = { ...RETRY, onError };
			const workflow = await startScans(api, { credentialId, parameters, settings }, 'onReceived');
			await workflow.send('Start', body);
			const timeoutMs = 60_000;
			await poll(async () => opened === 2 || undefined, { what: 'two requests', timeoutMs });

			const [running] = await workflow.list();
			await api.post(`/executions/${running?.id}/stop`, {}, z.unknown());

			await poll(async () => ended === 2 || undefined, { what: 'their end', timeoutMs });
			const { status } = await workflow.newExecution();
			expect(status).toBe('canceled');
			await sleep(1_000);
			expect(opened).toBe(2);
		},
	);
});

function errorOf({ data }: Execution): string | undefined {
	return data[SCAN]?.at(-1)?.error?.message;
}

/** Digests of the documents that the items are about. */
async function frontImagesOf(execution: Execution): Promise<string[]> {
	const headers = { 'x-api-key': sandbox.apiKey };
	return await Promise.all(
		itemsOf(execution, SCAN).map(async (json) => {
			const files = z.array(scannedFile).parse(json.files);
			const url = files.find(({ image }) => image === 'front')?.fileUrl ?? '';
			return sha256(Buffer.from(await (await fetch(url, { headers })).arrayBuffer()));
		}),
	);
}
