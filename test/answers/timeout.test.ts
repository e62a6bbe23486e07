import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

import { Transfer } from '../../nodes/IdentityVerification/transport/transfer';
import { JSON_TYPE, listen, listenToEnd } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { picture } from '../kit/data/picture';
import { actionRunner, documentItem, downloadOf, failureOf, jsonOf } from '../kit/engine/action';
import { Container, OutboundHttp } from '../kit/engine/container';
import { skippableTime } from '../kit/engine/skippableTime';
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
	const options = { timeout: 2 };
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
		expect(message).toMatch(/^No answer from the service: nothing arrived for 2 s\. /);
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

		const result = await run({ credential, parameters: { options: { timeout: 3 } } });

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

describe('while no pause is as long as the Timeout,', () => {
	const parameters = { options: { timeout: 60 } };

	/** A server whose answer goes on only when the test says so, and 50 s later each time. */
	async function drippingServer() {
		const skip = skippableTime();
		const moved = jest.spyOn(Transfer.prototype, 'moved');
		let answer: ServerResponse | undefined;
		const { url } = await listenToEnd((_, response) => {
			answer = response.writeHead(200, JSON_TYPE);
			answer.write(' ');
		});
		const reading = untilAnswerIsRead();
		const drip = async (times: number) => {
			await reading;
			for (let time = 0; time < times; time++) {
				const before = moved.mock.calls.length;
				answer?.write(' ');
				await until('it to be read', () => moved.mock.calls.length > before);
				skip(50_000);
			}
		};
		return { url, drip, end: () => answer?.end('end') };
	}

	it('an answer is given up at ten times the Timeout', async () => {
		const { url, drip } = await drippingServer();
		const running = await start({ credential: { baseUrl: url }, parameters });

		await drip(12);

		const { message } = failureOf(await running.result);
		expect(message).toMatch(
			/^No answer from the service: the answer was still not complete after 600 s\. .* charged/,
		);
	});

	it('an answer may take up to that', async () => {
		const { url, drip, end } = await drippingServer();
		const running = await start({ credential: { baseUrl: url }, parameters });

		await drip(11);
		end();

		const { message } = failureOf(await running.result);
		expect(message).toMatch(/^The service answered, but not with a readable scan result/);
	});

	it('a file may take any time', async () => {
		const { url, drip, end } = await drippingServer();
		const running = await start(downloadOf(`${url}/file`, { parameters }));

		await drip(20);
		end();

		const { outputs } = await running.result;
		expect(String(outputs[0]?.[0]?.files.file_0?.content)).toMatch(/^ {21}end$/);
	});
});

it.each(['default', 'filesystem', 's3'] as const)(
	'an upload may take longer than the Timeout, in binary mode %s',
	async (binaryMode) => {
		const skip = skippableTime();
		let skippedMs = 0;
		const { url } = await listen(async (request, response) => {
			for await (const chunk of request) {
				// 6 s for 1 MB.
				const ms = (chunk as Buffer).length / 175;
				skippedMs += ms;
				skip(ms);
			}
			response.end('{"decision":"review"}');
		});

		const result = await run({
			binaryMode,
			items: [documentItem(picture(20 * MB))],
			// S3 may hand out the whole image at once.
			...(binaryMode === 's3' && { chunksOf: (content: Buffer) => [content] }),
			credential: { baseUrl: url },
			parameters: { options: { timeout: 100 } },
		});

		expect(jsonOf(result)).toMatchObject([{ decision: 'review' }]);
		expect(skippedMs).toBeGreaterThan(150_000);
	},
);

it.each([20.0005, 1e12])('an answer arrives with a timeout of %s s', async (timeout) => {
	const { credential } = await serviceThatAnswers((response) =>
		response.end('{"decision":"review"}'),
	);

	const result = await run({ credential, parameters: { options: { timeout } } });

	expect(jsonOf(result)).toMatchObject([{ decision: 'review' }]);
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
