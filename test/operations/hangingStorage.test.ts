import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { BinaryDataService } from 'n8n-core';

import { useLogs } from '../kit/engine/logs';
import { listen } from '../kit/service/httpServer';
import { sha256, useSandbox } from '../kit/service/sandbox';
import { picture } from '../kit/data/picture';
import {
	actionRunner,
	documentItem,
	documentItems,
	downloadOf,
	failureOf,
	jsonOf,
} from '../kit/engine/action';
import { Container } from '../kit/engine/container';
import { NOT_READ_AGAIN } from '../kit/engine/messages';
import { skippableTime } from '../kit/engine/skippableTime';
import { CONTINUE } from '../kit/settings';
import { until } from '../kit/until';

const sandbox = useSandbox();
const { run, start } = actionRunner(sandbox);
const logs = useLogs();

/** How many requests are sent at first, while nothing is known of the service. */
const FIRST = 4;

const shortTimeout = { options: { timeout: 1 } };

afterEach(() => void jest.restoreAllMocks());

/**
 * What n8n's storage does when a file is opened to be sent: each is opened once before, to be
 * checked.
 */
function replaceStorage(send: (open: () => Promise<Readable>) => Promise<Readable>) {
	const service = Container.get(BinaryDataService);
	const open = service.getAsStream.bind(service);
	const times = new Map<string, number>();
	const asked = { times: 0 };
	jest.spyOn(service, 'getAsStream').mockImplementation(async (...file) => {
		const [id] = file;
		const time = (times.get(id) ?? 0) + 1;
		times.set(id, time);
		if (time === 1) return await open(...file);
		asked.times += 1;
		return await send(async () => await open(...file));
	});
	return asked;
}

const hanging = async () => await new Promise<never>(() => undefined);

/** Hands out this many bytes, and then neither more nor an end. */
const stoppingAfter = (bytes: number) => async (open: () => Promise<Readable>) => {
	const content = await buffer(await open());
	const stream = new Readable({ read: () => undefined });
	stream.push(content.subarray(0, bytes));
	return stream;
};

describe('a storage that hangs while an image is checked', () => {
	const stored = { binaryMode: 'filesystem' } as const;
	const service = () => Container.get(BinaryDataService);
	const UNREADABLE =
		/^The document image cannot be read from n8n's storage\. .* Nothing was charged/;

	/** A stream with too few bytes to check, and without an end. */
	const unending = () => {
		const stream = new Readable({ read: () => undefined });
		stream.push(picture().subarray(0, 100));
		return stream;
	};

	it('is given up after the Timeout', async () => {
		jest.spyOn(service(), 'getAsStream').mockImplementation(hanging);

		const { message } = failureOf(await run({ ...stored, parameters: shortTimeout }));

		expect(message).toMatch(UNREADABLE);
		expect(await sandbox.requests()).toEqual([]);
	});

	it('is given up with its execution', async () => {
		const opened = unending();
		const open = jest.spyOn(service(), 'getAsStream').mockResolvedValue(opened);
		const running = await start(stored);
		await until('the storage to be asked', () => open.mock.calls.length > 0);

		const closed = once(opened, 'close');
		running.cancel();
		await closed;

		expect((await running.result).status).toBe('canceled');
		expect(await sandbox.requests()).toEqual([]);
	});

	it('gets its stream closed, whether it opens the image in time or later', async () => {
		let answer: (stream: Readable) => void = () => undefined;
		const [first, late] = [unending(), unending()];
		jest
			.spyOn(service(), 'getAsStream')
			.mockResolvedValueOnce(first)
			.mockImplementation(async () => await new Promise((resolve) => (answer = resolve)));

		await run({ ...stored, parameters: shortTimeout });
		await run({ ...stored, parameters: shortTimeout });
		answer(late);

		expect(first.destroyed).toBe(true);
		await until('the late stream to be closed', () => late.destroyed);
	});

	it('is waited for as long as it moves', async () => {
		const image = picture(700);
		const skip = skippableTime();
		const slowly = async function* () {
			for (const at of [0, 200, 400, 600]) {
				// Four times that is longer than the Timeout.
				skip(20_000);
				yield await Promise.resolve(image.subarray(at, at + 200));
			}
		};
		jest
			.spyOn(service(), 'getAsStream')
			.mockImplementationOnce(async () => await Promise.resolve(Readable.from(slowly())));
		const parameters = { options: { timeout: 60 } };

		await run({ ...stored, items: [documentItem(image)], parameters });

		expect(await sandbox.documents()).toEqual([sha256(image)]);
	});
});

describe('a storage that does not open an image', () => {
	it('is given up after the Timeout: nothing is sent, and no place of the pace stays taken', async () => {
		const { items } = documentItems(FIRST);
		const asked = replaceStorage(hanging);

		const hung = await run({
			binaryMode: 'filesystem',
			items,
			parameters: shortTimeout,
			settings: CONTINUE,
		});
		jest.restoreAllMocks();
		const next = await run({ binaryMode: 'filesystem' });

		expect(jsonOf(hung).map(({ error }) => error)).toEqual(
			items.map(() => expect.stringMatching(NOT_READ_AGAIN)),
		);
		expect(asked.times).toBe(FIRST);
		expect(next.status).toBe('success');
		expect(await sandbox.statuses()).toEqual([200]);
	});

	it('does not slow down what is sent afterwards: it says nothing about the service', async () => {
		const { items } = documentItems(FIRST);
		replaceStorage(async () => await Promise.reject(new Error('The storage is away')));
		await run({
			binaryMode: 'filesystem',
			items,
			settings: CONTINUE,
		});
		jest.restoreAllMocks();
		await sandbox.fault({ on: 'scan', kind: 'noAnswer', times: 'always' });

		const next = await start({ binaryMode: 'filesystem', items });

		await sandbox.untilArrived(FIRST);
		next.cancel();
		await next.result;
	});

	it('gets its stream closed if it opens the image later', async () => {
		let answer: (stream: Readable) => void = () => undefined;
		replaceStorage(async () => await new Promise((resolve) => (answer = resolve)));
		const late = new Readable({ read: () => undefined });

		const { message } = failureOf(
			await run({ binaryMode: 'filesystem', parameters: shortTimeout }),
		);
		answer(late);

		expect(message).toMatch(NOT_READ_AGAIN);
		await until('the late stream to be closed', () => late.destroyed);
	});

	it('crashes nothing if it fails later', async () => {
		let fail: (error: Error) => void = () => undefined;
		replaceStorage(async () => await new Promise((_, reject) => (fail = reject)));

		await run({ binaryMode: 'filesystem', parameters: shortTimeout });
		// If nothing handles this, n8n ends, and Jest itself fails the test.
		fail(new Error('The storage is away'));
		jest.restoreAllMocks();

		expect((await run({ binaryMode: 'filesystem' })).status).toBe('success');
	});
});

describe('a storage that stops in the middle of an image', () => {
	it('is to blame, and not the service', async () => {
		const image = picture(3_000_000);
		replaceStorage(stoppingAfter(1_000_000));
		const closed: Promise<void>[] = [];
		let arrived = 0;
		const { url } = await listen((request) => {
			request.on('data', (chunk: Buffer) => (arrived += chunk.length));
			request.on('error', () => undefined);
			closed.push(new Promise((resolve) => request.socket.once('close', () => resolve())));
		});

		const { message } = failureOf(
			await run({
				binaryMode: 'filesystem',
				items: [documentItem(image)],
				credential: { baseUrl: url },
				parameters: { options: { timeout: 3 } },
			}),
		);

		expect(message).toMatch(NOT_READ_AGAIN);
		expect(arrived).toBeGreaterThan(1_000_000);
		await Promise.all(closed);
		expect(closed).toHaveLength(1);
	});

	it('takes nothing from an answer that the service has given without waiting', async () => {
		replaceStorage(stoppingAfter(1_000_000));
		const { url } = await listen((request, response) => {
			request.once('data', () => response.writeHead(413).end('{"message":"Too large"}'));
			request.on('error', () => undefined);
		});

		const { message } = failureOf(
			await run({
				binaryMode: 'filesystem',
				items: [documentItem(picture(3_000_000))],
				credential: { baseUrl: url },
				parameters: { options: { timeout: 30 } },
			}),
		);

		expect(message).toMatch(
			/^The service answered with status 413: Too large\. Nothing was charged/,
		);
	});
});

describe('a storage that hangs when something is to be stored', () => {
	const hangAt = (which: number) => {
		const service = Container.get(BinaryDataService);
		const store = service.store.bind(service);
		const asked = { times: 0 };
		jest.spyOn(service, 'store').mockImplementation(async (...file) => {
			asked.times += 1;
			return asked.times === which ? await hanging() : await store(...file);
		});
		return asked;
	};
	const link = { operation: 'createHostedLink', profile: 'sandbox-onboarding' };
	const withQrCode = { ...link, options: { timeout: 3, qrCodeBinaryField: 'qr' } };

	it('costs a link its picture, and no paid link is lost', async () => {
		hangAt(2);

		const result = await run({ items: [{}, {}, {}], parameters: withQrCode });

		expect(jsonOf(result)).toHaveLength(3);
		const [items = []] = result.outputs;
		// Any of the three can be the second to be stored.
		expect(items.flatMap(({ files }) => Object.keys(files))).toEqual(['qr', 'qr']);
		expect(result.hints).toContainEqual(
			expect.objectContaining({ message: expect.stringMatching(/^A QR code/) as string }),
		);
	});

	it('does not keep a canceled run from logging what is paid', async () => {
		const storing = hangAt(1);
		const parameters = { ...withQrCode, options: { qrCodeBinaryField: 'qr' } };
		const executionId = randomUUID();
		const running = await start({ items: [{}], parameters, executionId });
		await until('the storage to be asked', () => storing.times === 1);

		running.cancel();
		await running.result;

		await until('the log', () => logs.canceledRun(executionId).length > 0);
		expect(logs.canceledRun(executionId)[0]).toMatch(/Items paid: 1\./);
	});

	it('ends a download', async () => {
		hangAt(1);
		const fileUrl = `${sandbox.filesUrl}/files/large?bytes=100000`;
		const { message } = failureOf(await run(downloadOf(fileUrl, { parameters: shortTimeout })));

		expect(message).toMatch(/^A file could not be downloaded: .* Nothing was charged/);
	});
});
