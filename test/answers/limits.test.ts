import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import { fixture } from '../kit/service/fixtures';
import { listen } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { actionRunner, documentItem, failureOf, jsonOf, picture } from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import { untilAnswerIsRead } from '../kit/engine/untilAnswerIsRead';
import { retryOnFail } from '../kit/settings';
import { until } from '../kit/until';

const { run, start } = actionRunner(useSandbox());

const MB = 1024 * 1024;
const MAY_BE_CHARGED = /\. The request may have been processed and charged for "document\.jpg"/;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const LINK = { operation: 'createHostedLink', mode: 1 };

/**
 * Answers each request in this way once it has arrived, and tells when its connection is closed.
 */
async function service(answer: (response: ServerResponse) => void) {
	const closed: Promise<unknown>[] = [];
	const { url } = await listen((request, response) => {
		closed.push(once(response, 'close'));
		request.resume().on('end', () => answer(response));
	});
	return {
		credential: { baseUrl: url },
		closed: async () => await Promise.all(closed),
		asked: () => closed.length,
	};
}

/** A result that is this many bytes long, most of them in a field that isn't documented. */
function resultOf(bytes: number): Buffer {
	const start = JSON.stringify({ ...fixture('scan-accept'), transactionId: 'tx-1', more: '' });
	return Buffer.from(start.replace(/"}$/, `${'x'.repeat(bytes - start.length)}"}`));
}

const PACKED = {
	none: (content: Buffer) => content,
	gzip: gzipSync,
	deflate: deflateSync,
	br: brotliCompressSync,
};

describe.each(['none', 'gzip', 'deflate', 'br'] as const)('an answer, packed as %s', (packing) => {
	const answered = async (bytes: number, status: number, options: ActionOptions = {}) => {
		const headers = packing === 'none' ? {} : { 'Content-Encoding': packing };
		const content = PACKED[packing](resultOf(bytes));
		const { credential } = await service((response) =>
			response.writeHead(status, { ...JSON_TYPE, ...headers }).end(content),
		);
		return await run({ credential, ...options });
	};

	it('is a result up to 16 MB', async () => {
		const [item] = jsonOf(await answered(16 * MB, 200));

		expect(item).toMatchObject({ decision: 'accept', transactionId: 'tx-1' });
	});

	it('is not read beyond 16 MB, and its transaction is named', async () => {
		const { message, description } = failureOf(await answered(16 * MB + 1, 200));

		expect(message).toMatch(/^The service answered, but not with a readable scan result\. /);
		expect(message).toMatch(MAY_BE_CHARGED);
		expect(description).toBe(
			"Look transaction tx-1 up in the service's web portal. Problems in the answer: the body is larger than 16 MB.",
		);
	});

	it('costs nothing beyond 16 MB, either, if its status is a refusal', async () => {
		const { message } = failureOf(await answered(17 * MB, 422));

		expect(message).toMatch(/^The service answered with status 422\. Nothing was charged/);
	});
});

describe('an answer with so many values that reading them would block n8n', () => {
	const values = (bytes: number) => `,"list":[${'1,'.repeat(bytes / 2)}1]}`;
	const answered = async (body: object, bytes: number, options: ActionOptions = {}) => {
		const answer = JSON.stringify(body).replace(/}$/, values(bytes));
		const { credential } = await service((response) =>
			response.writeHead(200, JSON_TYPE).end(answer),
		);
		return await run({ credential, ...options });
	};
	const result = { ...fixture('scan-accept'), transactionId: 'tx-1' };

	it('is a result up to 1 MB', async () => {
		const [item] = jsonOf(await answered(result, MB - 20_000));

		expect(item).toMatchObject({ decision: 'accept', transactionId: 'tx-1' });
	});

	it.each([
		['scan result', result, {}, 'transaction tx-1'],
		['hosted link', { ...fixture('hosted-link'), reference: 'link-1' }, LINK, 'link link-1'],
	])(
		'may be charged beyond 1 MB, and says what to look up: a %s',
		async (name, body, parameters, subject) => {
			const { message, description } = failureOf(await answered(body, MB, { parameters }));

			expect(message).toMatch(`The service answered, but not with a readable ${name}. `);
			expect(message).toContain('may have been processed and charged');
			expect(description).toBe(
				`Look ${subject} up in the service's web portal. Problems in the answer: the body has too many values to be read.`,
			);
		},
	);

	it('says what to look up also if it is JSON in a text', async () => {
		const inner = JSON.stringify(result).replace(/}$/, values(MB));
		const { credential } = await service((response) =>
			response.writeHead(200, JSON_TYPE).end(JSON.stringify(inner)),
		);

		const { description } = failureOf(await run({ credential }));

		expect(description).toMatch("Look transaction tx-1 up in the service's web portal.");
	});
});

it('an answer that never ends is ended at 16 MB', async () => {
	const endless = await service((response) => {
		response.writeHead(200, JSON_TYPE);
		Readable.from(zeros()).pipe(response);
	});

	const { message, description } = failureOf(await run({ credential: endless.credential }));

	expect(message).toMatch(MAY_BE_CHARGED);
	expect(description).toContain('the body is larger than 16 MB');
	await endless.closed();
});

describe('an answer that stops', () => {
	const options = { timeout: 1 };
	const START = '{"transactionId":"tx-1","fullName":"Ivo-Varkov-1971","decis';

	/** Begins its answer, and neither continues nor ends it. */
	const stopping = async (status: number, start: string, headers: object = {}) =>
		await service((response) =>
			response.writeHead(status, { ...JSON_TYPE, ...headers }).write(start),
		);

	it('is given up after the Timeout, and what it has told is named', async () => {
		const { credential, closed, asked } = await stopping(200, START);
		const settings = retryOnFail(2);

		const result = await run({ credential, settings, parameters: { options } });

		const { message, description } = failureOf(result);
		expect(message).toMatch(/^No answer from the service: nothing arrived for 1 s\. /);
		expect(message).toMatch(MAY_BE_CHARGED);
		expect(description).toMatch(/^Look transaction tx-1 up in the service's web portal before/);
		expect(JSON.stringify(result.stored)).not.toContain('Varkov');
		expect(asked()).toBe(1);
		await closed();
	});

	it('names a link, too', async () => {
		const { credential } = await stopping(200, '{"reference":"link-1","url":"https://hos');

		const result = await run({ credential, parameters: { ...LINK, options } });

		expect(failureOf(result).description).toMatch(/^Look link link-1 up/);
	});

	it.each<[number, object, RegExp]>([
		[400, {}, /Nothing was charged/],
		[503, { 'Retry-After': '1' }, /Nothing was charged/],
		[500, {}, MAY_BE_CHARGED],
	])('after a %d %j is judged by its status', async (status, headers, charge) => {
		const { credential } = await stopping(status, '{"message":"a person', headers);

		const { message } = failureOf(await run({ credential, parameters: { options } }));

		expect(message).toMatch(`The service answered with status ${status}. `);
		expect(message).toMatch(charge);
		expect(message).not.toContain('a person');
	});

	it('after a 429 is sent again', async () => {
		const statuses = [429, 200];
		const { credential, asked } = await service((response) => {
			const status = statuses.shift() ?? 200;
			response.writeHead(status, { ...JSON_TYPE, 'Retry-After': '0' });
			if (status === 429) response.write('{"message":');
			else response.end('{"decision":"review"}');
		});

		const result = await run({ credential, parameters: { options } });

		expect(jsonOf(result)).toMatchObject([{ decision: 'review' }]);
		expect(asked()).toBe(2);
	});

	it('ends with its execution', async () => {
		const { credential, closed } = await stopping(200, START);
		const reading = untilAnswerIsRead();
		const running = await start({ credential });
		await reading;

		running.cancel();

		expect((await running.result).status).toBe('canceled');
		await closed();
	});
});

it('names the transaction of an answer that breaks off', async () => {
	const { credential } = await service((response) => {
		response.writeHead(200, { ...JSON_TYPE, 'Content-Length': 500 });
		response.write('{"transactionId":"tx-1",', () => response.destroy());
	});

	const { message, description } = failureOf(await run({ credential }));

	expect(message).toMatch(/^No answer from the service: the connection was lost\..* charged/);
	expect(description).toMatch(/^Look transaction tx-1 up/);
});

it('ends an answer that drips at ten times the Timeout, and a file that drips not at all', async () => {
	const timers: NodeJS.Timeout[] = [];
	const files: ServerResponse[] = [];
	const dripping = await listen((request, response) => {
		request.resume().on('end', () => {
			response.writeHead(200, JSON_TYPE);
			timers.push(setInterval(() => response.write(' '), 25));
			if (request.method === 'GET') files.push(response);
		});
	});
	const credential = { baseUrl: dripping.url, fileHosts: new URL(dripping.url).host };
	const options = { timeout: 0.4 };
	const file = { json: { outputFile: [{ fileUrl: `${dripping.url}/file` }] } };
	const parameters = { operation: 'downloadFiles', options };
	const downloading = await start({ credential, items: [file], parameters });
	await until('a request for the file', () => files.length > 0);

	const { message } = failureOf(await run({ credential, parameters: { options } }));
	timers.forEach(clearInterval);
	files.forEach((response) => response.end('end'));
	const { outputs } = await downloading.result;

	expect(message).toMatch(
		/^No answer from the service: the answer was still not complete after 4 s\. .* charged/,
	);
	expect(String(outputs[0]?.[0]?.files.file_0?.content)).toMatch(/^ +end$/);
});

it.each(['default', 'filesystem'] as const)(
	'an upload may take longer than the Timeout, in binary mode %s',
	async (binaryMode) => {
		const { url } = await listen((request, response) => {
			request.on('end', () => response.end('{"decision":"review"}'));
			void readSlowly(request);
		});

		const result = await run({
			binaryMode,
			items: [documentItem(picture(20 * MB))],
			credential: { baseUrl: url },
			parameters: { options: { timeout: 1 } },
		});

		expect(jsonOf(result)).toMatchObject([{ decision: 'review' }]);
	},
);

it.each([20.0005, 1e12])('an answer arrives with a timeout of %s s', async (timeout) => {
	const { credential } = await service((response) => response.end('{"decision":"review"}'));

	const result = await run({ credential, parameters: { options: { timeout } } });

	expect(jsonOf(result)).toMatchObject([{ decision: 'review' }]);
});

/** Takes at least 1.5 s for the base64 text of 20 MB: only real time makes the Timeout pass. */
async function readSlowly(request: IncomingMessage): Promise<void> {
	let bytes = 0;
	for await (const chunk of request) {
		bytes += (chunk as Buffer).length;
		if (bytes < MB) continue;
		bytes = 0;
		await sleep(60);
	}
}

function* zeros(): Generator<Buffer> {
	for (;;) yield Buffer.alloc(MB);
}
