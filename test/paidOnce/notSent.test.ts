import { BinaryDataService } from 'n8n-core';
import { NodeOperationError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';

import { fixture } from '../kit/data/fixtures';
import { listen } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { picture } from '../kit/data/picture';
import { actionRunner, documentItem, documentItems, failureOf, jsonOf } from '../kit/engine/action';
import { Container } from '../kit/engine/container';
import { MAY_BE_CHARGED, NOT_READ_AGAIN } from '../kit/engine/messages';
import { retryOnFail } from '../kit/settings';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

const RETRY = retryOnFail(2);
const IMAGE = picture(300_000);

describe('a credential that cannot be read', () => {
	const failure = new Error('The database is away');

	it('is no reason to call an item charged: nothing was sent', async () => {
		const { message } = failureOf(await run({ credentialFailure: { failure } }));

		expect(message).toBe('The database is away. Nothing was charged (charge: none) [item 0]');
		expect(await sandbox.requests()).toEqual([]);
	});

	it('keeps what n8n advises', async () => {
		const description = 'Pick the credential again.';
		const advising = new NodeOperationError({} as INode, 'It is gone', { description });

		const failed = failureOf(await run({ credentialFailure: { failure: advising } }));

		expect(failed.description).toBe(description);
	});

	it('fails no request of a batch that has begun', async () => {
		const { items } = documentItems(4);

		const result = await run({ items, credentialFailure: { failure, failsAfter: 4 } });

		expect(jsonOf(result)).toHaveLength(4);
		expect(await sandbox.billed()).toBe(4);
	});
});

describe('a stored image that', () => {
	// It is opened once to be checked, and then for each time that it is sent.
	it.each([
		['is gone when it is sent', () => []],
		['is shorter than noted', (content: Buffer) => [content.subarray(0, 200_000)]],
		['is longer than noted', (content: Buffer) => [content, Buffer.alloc(3)]],
		// So much that the request would be complete before its end.
		['is far longer than noted', (content: Buffer) => [content, Buffer.alloc(30_000_000)]],
		[
			'breaks in the middle',
			function* (content: Buffer) {
				yield content.subarray(0, 200_000);
				throw new Error('The storage broke');
			},
		],
		[
			'breaks at its end',
			function* (content: Buffer) {
				yield content;
				throw new Error('The storage broke');
			},
		],
	])('%s is not called charged, and is sent again by Retry On Fail', async (_, broken) => {
		const result = await run({
			binaryMode: 's3',
			items: [documentItem(IMAGE)],
			chunksOf: (content, time) => (time === 2 ? broken(content) : [content]),
		});
		const retried = await run({
			binaryMode: 's3',
			items: [documentItem(IMAGE)],
			chunksOf: (content, time) => (time === 2 ? broken(content) : [content]),
			settings: RETRY,
		});

		expect(failureOf(result).message).toMatch(NOT_READ_AGAIN);
		expect(failureOf(result).description).toMatch(/Check n8n's binary data storage/);
		expect(failureOf(result).message).toMatch(/Nothing was charged/);
		expect(failureOf(result).message).not.toMatch(MAY_BE_CHARGED);
		expect(retried.status).toBe('success');
		expect(await sandbox.billed()).toBe(1);
	});

	it('cannot be opened is not called charged', async () => {
		const result = await run({
			binaryMode: 's3',
			items: [documentItem(IMAGE)],
			chunksOf(content, time) {
				if (time === 2) throw new Error('The storage is away');
				return [content];
			},
		});

		expect(failureOf(result).message).toMatch(NOT_READ_AGAIN);
		expect(await sandbox.requests()).toEqual([]);
	});
});

it('an image from slow storage is no longer sent after another item has failed', async () => {
	const { items, images } = documentItems(2);
	await sandbox.refuse(images[0]);
	const storage = Container.get(BinaryDataService);
	const open = storage.getAsStream.bind(storage);
	let opened = 0;
	const slow = jest.spyOn(storage, 'getAsStream').mockImplementation(async (...file) => {
		// Both are opened once to be checked; the fourth time, the second one is to be sent.
		if (++opened === 4) {
			await sandbox.untilAnswered(400);
			// When another execution has its answer, this one has seen its own.
			await run();
		}
		return await open(...file);
	});

	const failed = await run({ binaryMode: 'filesystem', items });
	slow.mockRestore();

	expect(failureOf(failed)).toMatchObject({ itemIndex: 0 });
	expect(opened).toBe(4);
	expect(await sandbox.statuses()).toEqual([400, 200]);
});

it('base64 text of an expression is sent as it was checked, also after a 429', async () => {
	const json = { image: picture().toString('base64'), isAsked: false };
	const bodies: string[] = [];
	const { url } = await listen((request, response) => {
		let body = '';
		request.on('data', (chunk) => (body += String(chunk)));
		request.on('end', () => {
			bodies.push(body);
			if (json.isAsked) return response.end(JSON.stringify(fixture('scan-accept')));
			json.isAsked = true;
			return response.writeHead(429, { 'Retry-After': '0' }).end();
		});
	});

	const result = await run({
		items: [{ json }],
		credential: { baseUrl: url },
		parameters: {
			documentSource: 'base64',
			documentBase64: "={{ $json.isAsked ? '' : $json.image }}",
		},
	});

	expect(result.error).toBeUndefined();
	expect(bodies).toEqual(Array(2).fill(expect.stringContaining(json.image)));
});

it.each(['default', 'filesystem'] as const)(
	'a connection that breaks within the upload is not blamed on the image, in binary mode %s',
	async (binaryMode) => {
		let asked = 0;
		const { url } = await listen((request) => {
			asked += 1;
			request.once('data', () => request.socket.destroy());
		});

		const { message } = failureOf(
			await run({
				binaryMode,
				items: [documentItem(picture(20_000_000))],
				credential: { baseUrl: url },
				settings: RETRY,
			}),
		);

		expect(message).toMatch(MAY_BE_CHARGED);
		expect(asked).toBe(1);
	},
);
