import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { fixture } from '../kit/data/fixtures';
import { JSON_TYPE, listen, listenToEnd } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { picture } from '../kit/data/picture';
import { actionRunner, documentItem, downloadOf, failureOf, jsonOf } from '../kit/engine/action';
import { Container, OutboundHttp } from '../kit/engine/container';
import { untilAnswerIsRead } from '../kit/engine/untilAnswerIsRead';
import { retryOnFail } from '../kit/settings';
import { until } from '../kit/until';
import { DOCUMENT_MAY_BE_CHARGED, serviceThatAnswers } from './support/service';

const sandbox = useSandbox();
const { run, start } = actionRunner(sandbox);

const MB = 1024 * 1024;
const LINK = { operation: 'createHostedLink', mode: 1 };
const shortTimeout = { options: { timeout: 1 } };

afterEach(() => void jest.restoreAllMocks());

describe('an answer that stops', () => {
	const options = { timeout: 1 };
	const START = '{"transactionId":"tx-1","fullName":"Ivo-Varkov-1971","decis';

	/** Begins its answer, and neither continues nor ends it. */
	const stopping = async (status: number, start: string, headers: object = {}) =>
		await serviceThatAnswers((response) =>
			response.writeHead(status, { ...JSON_TYPE, ...headers }).write(start),
		);

	it('is given up after the Timeout, and what it has told is named', async () => {
		const { credential, closed, asked } = await stopping(200, START);
		const settings = retryOnFail(2);

		const result = await run({ credential, settings, parameters: { options } });

		const { message, description } = failureOf(result);
		expect(message).toMatch(/^No answer from the service: nothing arrived for 1 s\. /);
		expect(message).toMatch(DOCUMENT_MAY_BE_CHARGED);
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
		[500, {}, DOCUMENT_MAY_BE_CHARGED],
	])('after a %d %j is judged by its status', async (status, headers, charge) => {
		const { credential } = await stopping(status, '{"message":"a person', headers);

		const { message } = failureOf(await run({ credential, parameters: { options } }));

		expect(message).toMatch(`The service answered with status ${status}. `);
		expect(message).toMatch(charge);
		expect(message).not.toContain('a person');
	});

	it('after a 429 is sent again', async () => {
		const statuses = [429, 200];
		const { credential, asked } = await serviceThatAnswers((response) => {
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

it('ends an answer that drips at ten times the Timeout, and a file that drips not at all', async () => {
	const timers: NodeJS.Timeout[] = [];
	const files: ServerResponse[] = [];
	const dripping = await listenToEnd((request, response) => {
		response.writeHead(200, JSON_TYPE);
		timers.push(setInterval(() => response.write(' '), 25));
		if (request.method === 'GET') files.push(response);
	});
	const parameters = { options: { timeout: 0.4 } };
	const downloading = await start(downloadOf(`${dripping.url}/file`, { parameters }));
	await until('a request for the file', () => files.length > 0);

	const { message } = failureOf(await run({ credential: { baseUrl: dripping.url }, parameters }));
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
	const { credential } = await serviceThatAnswers((response) =>
		response.end('{"decision":"review"}'),
	);

	const result = await run({ credential, parameters: { options: { timeout } } });

	expect(jsonOf(result)).toMatchObject([{ decision: 'review' }]);
});

it('a stored image that is handed out at once counts as moving while it is sent', async () => {
	const slow = await listen(async (request, response) => {
		// Some 2.7 s in all: only real time makes the Timeout pass.
		for await (const chunk of request) await sleep((chunk as Buffer).length / 6_000);
		response.writeHead(200, JSON_TYPE).end(JSON.stringify(fixture('scan-accept')));
	});

	const result = await run({
		binaryMode: 's3',
		items: [documentItem(picture(12_000_000))],
		chunksOf: (content) => [content],
		credential: { baseUrl: slow.url },
		parameters: { options: { timeout: 1.5 } },
	});

	expect(jsonOf(result)).toMatchObject([{ decision: 'accept' }]);
});

describe("n8n's HTTP client, if it hangs,", () => {
	/** Lets it answer a request in this way. */
	const replaceClient = (request: () => Promise<unknown>) =>
		jest.spyOn(Container.get(OutboundHttp), 'requests').mockReturnValue({ request });

	it('is given up after the Timeout, and what it brings later is closed', async () => {
		let answer: (value: unknown) => void = () => undefined;
		const sent = jest.fn(async () => await new Promise((resolve) => (answer = resolve)));
		replaceClient(sent);
		const body = new Readable({ read: () => undefined });

		const { message } = failureOf(await run({ parameters: shortTimeout }));
		answer({ statusCode: 200, headers: {}, body });

		expect(sent).toHaveBeenCalledTimes(1);
		expect(message).toMatch(/^No answer from the service: nothing arrived for 1 s\. .* charged/);
		await until('the late answer to be closed', () => body.destroyed);
	});

	it('is given up within an answer, too', async () => {
		const body = new Readable({ read: () => undefined });
		body.push('{"transactionId":"tx-1",');
		replaceClient(async () => await Promise.resolve({ statusCode: 200, headers: {}, body }));

		const { message, description } = failureOf(await run({ parameters: shortTimeout }));

		expect(message).toMatch(/^No answer from the service: nothing arrived for 1 s\. .* charged/);
		expect(description).toMatch(/^Look transaction tx-1 up/);
		await until('the late answer to be closed', () => body.destroyed);
	});

	it('is given up within a file, too', async () => {
		const body = new Readable({ read: () => undefined });
		replaceClient(async () => await Promise.resolve({ statusCode: 200, headers: {}, body }));
		const fileUrl = `${sandbox.filesUrl}/file`;

		const { message } = failureOf(await run(downloadOf(fileUrl, { parameters: shortTimeout })));

		expect(message).toMatch(/^A file could not be downloaded: nothing arrived for 1 s\./);
		await until('the late answer to be closed', () => body.destroyed);
	});
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
