import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';

import { listen } from '../kit/service/httpServer';
import { proxyEveryHost } from '../kit/service/httpsHosts';
import { useSandbox } from '../kit/service/sandbox';
import { actionRunner, downloadOf, failureOf } from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import { untilAnswerIsRead } from '../kit/engine/untilAnswerIsRead';
import { until } from '../kit/until';

const sandbox = useSandbox();
const { run, start } = actionRunner(sandbox);

const MB = 1024 * 1024;
const FAILED = /^A file could not be downloaded: /;

const fetched = async (listener: RequestListener, options?: ActionOptions) =>
	await run(downloadOf(`${(await listen(listener)).url}/file`, options));

it('a file arrives byte for byte', async () => {
	const content = randomBytes(3 * MB + 1);

	const { outputs } = await fetched((_, response) => response.end(content));

	expect(outputs[0]?.[0]?.files.file_0?.content.equals(content)).toBe(true);
});

it('a file that never ends is broken off at the limit', async () => {
	const answering = answer((response) => void Readable.from(zeros()).pipe(response));

	const result = await fetched(answering.listener, limitOf(1));

	expect(failureOf(result).message).toMatch(/larger than 1 MB/);
	await answering.closed();
});

it('a small answer that unpacks to a large file is broken off at the limit', async () => {
	const packed = gzipSync(Buffer.alloc(50 * MB));

	const result = await fetched((_, response) => {
		response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(packed);
	}, limitOf(1));

	expect(failureOf(result).message).toMatch(/larger than 1 MB/);
});

it('a file that breaks off is an error, also when its size was not announced', async () => {
	const result = await fetched(
		(_, response) => void response.write(Buffer.alloc(50_000), () => response.destroy()),
	);

	expect(failureOf(result).message).toMatch(FAILED);
});

it('an announced size beyond the limit is refused before the file comes', async () => {
	const answering = answer((response) => {
		response.writeHead(200, { 'Content-Length': 100 * MB }).write('a');
	});

	const result = await fetched(answering.listener, limitOf(1));

	expect(failureOf(result).message).toMatch(/larger than 1 MB/);
	await answering.closed();
});

it('a file is asked for uncompressed, because its announced size is then its own', async () => {
	const encodings: unknown[] = [];

	await fetched((request, response) => {
		encodings.push(request.headers['accept-encoding']);
		response.end('file');
	});

	expect(encodings).toEqual(['identity']);
});

it('a stopped execution ends a download that hangs', async () => {
	const answering = answer((response) => void response.write('a'));
	const { url } = await listen(answering.listener);
	const reading = untilAnswerIsRead();
	const running = await start(downloadOf(`${url}/file`));

	await reading;
	running.cancel();

	expect((await running.result).status).toBe('canceled');
	await answering.closed();
});

describe('addresses', () => {
	/** A listed host that the machine can't reach: a request would fail in another way. */
	const failure = async (fileUrl: string, fileHosts = 'files.invalid, files.invalid:80') =>
		failureOf(await run(downloadOf(fileUrl, { credential: { fileHosts } }))).message;

	it.each([
		'http://files.invalid/x',
		'http://localhost:x@files.invalid/x',
		'http://127.0.0.1:80@files.invalid/x',
		'HTTP://files.invalid/x',
	])('%s is not encrypted and refused', async (fileUrl) => {
		expect(await failure(fileUrl)).toMatch(/does not begin with https/);
	});

	it.each([
		'https://files.invalid.example.com/x',
		'https://files.invalid@example.com/x',
		'https://example.com/files.invalid',
		'https://example.com\\@files.invalid/x',
		'https://files.invalid:8443/x',
		'https://xfiles.invalid/x',
	])('%s is of another host and refused', async (fileUrl) => {
		expect(await failure(fileUrl)).toMatch(/is not an allowed host/);
	});

	it.each([
		['https://files.invalid/x', 'files.invalid:443'],
		['https://files.invalid:443/x', 'files.invalid'],
		['https://files.invalid/x', 'FILES.Invalid'],
		['https://files.invalid/x', 'HTTPS://Files.invalid/a/path?query'],
		['https://files.invalid:8443/x', 'other.invalid,files.invalid:8443/'],
		['https://dateien-müller.invalid/x', 'Dateien-Müller.invalid'],
		['https://xn--dateien-mller-4ob.invalid/x', 'dateien-müller.invalid'],
		['https://files.invalid/x', 'http://, files.invalid'],
	])('%s is asked for with the File Hosts %j', async (fileUrl, fileHosts) => {
		const message = await failure(fileUrl, fileHosts);

		expect(message).toMatch(/^A file could not be downloaded/);
		expect(message).not.toContain('not an allowed host');
	});

	it.each(['ftp://files.invalid/x', 'file:///etc/passwd', 'javascript:1', 'data:,x', '', '//x/y'])(
		'%j is no web address and skipped',
		async (fileUrl) => {
			const { error, hints, outputs } = await run({
				items: [{ json: { outputFile: [{ fileUrl }], outputImage: { front: fileUrl } } }],
				parameters: { operation: 'downloadFiles' },
			});

			expect(error).toBeUndefined();
			expect(outputs[0]?.[0]?.files).toEqual({});
			expect(hints).toHaveLength(1);
		},
	);

	it.each([
		'*.com',
		'*.',
		'*',
		'files-*.invalid',
		'*.*.invalid',
		'http://',
		'*.0.0.1',
		'a!b.invalid',
	])(
		'a File Hosts entry that can match no host is named when a host is missing: %s',
		async (entry) => {
			const message = await failure('https://files.invalid/x', `files.example.com, ${entry}`);

			expect(message).toContain(
				`'File Hosts' in the credential. These entries there cannot match any host: '${entry}'`,
			);
		},
	);

	it('a redirect within the host is followed, with the key', async () => {
		const keys: unknown[] = [];

		const { outputs } = await fetched((request, response) => {
			keys.push(request.headers['x-api-key']);
			if (request.url === '/file') response.writeHead(303, { Location: 'other?a=b' }).end();
			else response.end(request.url);
		});

		expect(outputs[0]?.[0]?.files.file_0?.content.toString()).toBe('/other?a=b');
		expect(keys).toEqual([sandbox.apiKey, sandbox.apiKey]);
	});
});

describe('a wildcard in File Hosts', () => {
	const credential = (fileHosts: string) => ({ credential: { fileHosts } });
	/** Fetches a file, or fails. Returns which hosts got a request, and whether with the key. */
	async function ask(fileUrl: string, fileHosts: string, redirects: Record<string, string> = {}) {
		const asked: string[] = [];
		await proxyEveryHost((request, response) => {
			const { host = '', 'x-api-key': key } = request.headers;
			asked.push(`${host} ${key === sandbox.apiKey ? 'with' : String(key)}`);
			const Location = redirects[host];
			if (Location) response.writeHead(302, { Location }).end();
			else response.end('the file');
		});
		const result = await run(downloadOf(fileUrl, credential(fileHosts)));
		const content = result.outputs[0]?.[0]?.files.file_0?.content.toString();
		return { asked, content, message: failureOf(result).message };
	}

	it.each([
		['https://eu.files.example.com/x', '*.example.com'],
		['https://files.example.com/x', 'other.invalid, *.Example.COM'],
		['https://files.example.com/x', 'https://*.example.com/path'],
		['https://files.example.com:8443/x', '*.example.com:8443'],
		['https://eu.dateien-müller.example/x', '*.dateien-müller.example'],
	])('allows %s by %s, without the key', async (fileUrl, fileHosts) => {
		const { asked, content } = await ask(fileUrl, fileHosts);

		expect(asked).toEqual([`${new URL(fileUrl).host} undefined`]);
		expect(content).toBe('the file');
	});

	it.each([
		['https://example.com/x', '*.example.com'],
		['https://badexample.com/x', '*.example.com'],
		['https://files.example.com.evil.invalid/x', '*.example.com'],
		['https://files.example.com@evil.invalid/x', '*.example.com'],
		['https://files.example.com:8443/x', '*.example.com'],
		['https://files.example.com/x', '*.com'],
	])('does not allow %s by %s', async (fileUrl, fileHosts) => {
		const { asked, message } = await ask(fileUrl, fileHosts);

		expect(asked).toEqual([]);
		expect(message).toMatch(/is not an allowed host/);
	});

	it('leaves the key to a host that is named too', async () => {
		const { asked } = await ask('https://files.example.com/x', '*.example.com, files.example.com');

		expect(asked).toEqual(['files.example.com with']);
	});

	it('takes the key from a redirect to its hosts', async () => {
		const { asked, content } = await ask(
			'https://files.example.com/x',
			'files.example.com, *.cdn.example',
			{ 'files.example.com': 'https://eu.cdn.example/y' },
		);

		expect(asked).toEqual(['files.example.com with', 'eu.cdn.example undefined']);
		expect(content).toBe('the file');
	});

	it('does not bring the key back when one of its hosts redirects to a named one', async () => {
		const { asked } = await ask('https://eu.cdn.example/x', 'files.example.com, *.cdn.example', {
			'eu.cdn.example': 'https://files.example.com/y',
		});

		expect(asked).toEqual(['eu.cdn.example undefined', 'files.example.com undefined']);
	});

	it.each([401, 403])('is the reason of a status %d', async (status) => {
		await proxyEveryHost((_, response) => response.writeHead(status).end());

		const { message } = failureOf(
			await run(downloadOf('https://eu.cdn.example/x', credential('*.cdn.example'))),
		);

		expect(message).toContain(
			`status ${status}. The API key was not sent, because only a wildcard`,
		);
		expect(message).toMatch(/Nothing was charged \(charge: none\) \[item 0\]$/);
	});

	it('ends a download without the key when the execution is stopped', async () => {
		let closed: Promise<unknown> | undefined;
		await proxyEveryHost((_, response) => {
			closed = once(response, 'close');
			response.write('a');
		});
		const running = await start(
			downloadOf('https://eu.cdn.example/x', credential('*.cdn.example')),
		);
		await until('a request', () => closed !== undefined);
		running.cancel();

		expect((await running.result).status).toBe('canceled');
		await closed;
	});
});

function limitOf(maxFileSize: number): ActionOptions {
	return { parameters: { options: { maxFileSize } } };
}

/** Answers in this way, and tells when the connection is closed. */
function answer(send: (response: ServerResponse) => void) {
	let closed: Promise<unknown> | undefined;
	const listener: RequestListener = (_, response) => {
		closed = once(response, 'close');
		send(response);
	};
	return { listener, closed: async () => await closed };
}

function* zeros(): Generator<Buffer> {
	for (;;) yield Buffer.alloc(MB);
}
