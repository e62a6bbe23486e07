import type { IExecuteFunctions } from 'n8n-workflow';

import { SECURE_BASE_URL } from '../credential';
import { streamLike } from './body';
import type { ByteStream } from './body';
import { CANCELED, NotStarted, fileNotFetched } from './errors';
import type { ItemRef } from './errors';
import { sendPaced } from './pace';
import { request } from './request';
import type { Answer, Connection, RequestOptions } from './request';

const MAX_REDIRECTS = 5;

/** A file on its way. */
export interface Download {
	stream: ByteStream;
	/** As the server names it; may be missing. */
	mimeType: string | undefined;
}

/**
 * Fetches a file of a result (interface.md#result) as a stream. The API key goes to the base URL's host and the
 * credential's file hosts alone; a redirect is followed only to one of these.
 * @param maxBytes the stream breaks off with an error beyond this size
 * @throws NodeApiError when the host isn't allowed, or there is no file; NotStarted when another item
 * has failed before this file was asked for
 */
export async function download(
	connection: Connection,
	itemIndex: number,
	address: string,
	maxBytes: number,
): Promise<Download> {
	const { context } = connection;
	const item = { node: context.getNode(), itemIndex };
	let url = new URL(address);
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		assertAllowed(connection, item, url);
		const { transfer, statusCode, headers, body } = await get(connection, item, url, maxBytes);
		if (statusCode === 200) return received(connection, item, transfer, { headers, body });
		const { location = '' } = headers;
		if (statusCode < 300 || statusCode >= 400 || !URL.canParse(location, url.href)) {
			throw fileNotFetched(item, `${url.host} answered with status ${statusCode}`);
		}
		url = new URL(location, url);
	}
	throw fileNotFetched(item, `${url.host} redirects too often`);
}

function received(
	{ timeoutMs }: Connection,
	item: ItemRef,
	transfer: Transfer,
	{ headers, body }: Pick<Answer<ByteStream>, 'headers' | 'body'>,
): Download {
	const describe = (reason: Break) =>
		fileNotFetched(
			item,
			{
				canceled: CANCELED,
				silent: `nothing more arrived for ${timeoutMs / 1_000} s`,
				tooLarge: `it is larger than ${transfer.maxBytes / 1024 / 1024} MB, the 'Max File Size'`,
				broken: 'it did not arrive whole',
			}[reason],
		);
	if (Number(headers['content-length'] ?? 0) > transfer.maxBytes) {
		transfer.abort();
		throw describe('tooLarge');
	}
	const mimeType = headers['content-type']?.split(';')[0]?.trim();
	return { stream: transfer.read(body, describe), mimeType };
}

function assertAllowed({ service }: Connection, item: ItemRef, url: URL): void {
	if (!SECURE_BASE_URL.test(url.href)) {
		throw fileNotFetched(item, `its address at ${url.host} does not begin with https`);
	}
	if (!service.fileHosts.includes(url.host)) {
		const { unreadableFileHost } = service;
		const advice = unreadableFileHost
			? `'File Hosts' in the credential has an entry that is not a host: entry number ${unreadableFileHost}`
			: "If it belongs to the service, add it to 'File Hosts' in the credential";
		throw fileNotFetched(item, `${url.host} is not an allowed host. ${advice}`);
	}
}

/** An answer, and the transfer of its body: already aborted when the body isn't the file. */
type Opened = Answer<ByteStream> & { transfer: Transfer };

async function get(
	connection: Connection,
	item: ItemRef,
	url: URL,
	maxBytes: number,
): Promise<Opened> {
	const { context, service, timeoutMs } = connection;
	const options: RequestOptions = {
		method: 'GET',
		url: url.href,
		encoding: 'stream',
		// So that the Content-Length is that of the file.
		headers: { 'Accept-Encoding': 'identity' },
		timeout: timeoutMs,
	};
	// Paced separately from API calls to the same host, because a file can take long to arrive.
	const opened = await sendPaced(connection, `files at ${url.host}`, async () => {
		const transfer = new Transfer(context, timeoutMs, maxBytes);
		const answer = await request<ByteStream>(
			{ context: transfer.cancelable, service },
			options,
			({ reason }) => {
				transfer.abort();
				return fileNotFetched(item, reason);
			},
		);
		if (answer.statusCode === 200) return { ...answer, transfer, closed: transfer.closed };
		transfer.abort();
		return { ...answer, transfer };
	});
	if (opened) return opened;
	if (context.getExecutionCancelSignal()?.aborted) throw fileNotFetched(item, CANCELED);
	if (connection.run.ended.aborted) throw new NotStarted();
	throw fileNotFetched(item, `${url.host} is currently refusing all requests`);
}

/** Why a transfer broke off. */
type Break = 'canceled' | 'silent' | 'tooLarge' | 'broken';

/** A file on its way: counted, given up when nothing more arrives, and ended with its execution. */
class Transfer {
	private readonly controller = new AbortController();

	/** Resolves when the connection is closed, whatever for. */
	readonly closed = new Promise<void>((resolve) => {
		this.controller.signal.addEventListener('abort', () => resolve());
	});

	private bytes = 0;

	private hasEnded = false;

	private isSilent = false;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly timeoutMs: number,
		readonly maxBytes: number,
	) {
		// Its own signal takes the listener off again: an execution can have thousands of files.
		const { signal } = this.controller;
		const canceled = context.getExecutionCancelSignal();
		if (canceled?.aborted) this.abort();
		canceled?.addEventListener('abort', () => this.abort(), { signal });
	}

	/** The context to request with: n8n takes the signal of a request from its context alone. */
	get cancelable(): IExecuteFunctions {
		const own = { getExecutionCancelSignal: () => this.controller.signal };
		return Object.assign(Object.create(this.context) as IExecuteFunctions, own);
	}

	/** Closes the connection. */
	abort(): void {
		this.hasEnded = true;
		this.controller.abort();
	}

	/** Passes on what arrives. Reading it fails with what `describe` makes of a break. */
	read(body: ByteStream, describe: (reason: Break) => Error): ByteStream {
		this.abortWhenSilent();
		// An error can occur before n8n listens for it. The error resurfaces on read.
		const stream = streamLike(body, this.counted(body, describe)).on('error', () => {});
		return stream.on('close', () => this.abort());
	}

	private async *counted(body: AsyncIterable<Buffer>, describe: (reason: Break) => Error) {
		try {
			for await (const chunk of body) {
				this.bytes += chunk.length;
				if (this.bytes > this.maxBytes) break;
				yield chunk;
			}
		} catch {
			throw describe(this.reason());
		} finally {
			this.abort();
		}
		if (this.bytes > this.maxBytes) throw describe('tooLarge');
	}

	private reason(): Break {
		if (this.context.getExecutionCancelSignal()?.aborted) return 'canceled';
		return this.isSilent ? 'silent' : 'broken';
	}

	private abortWhenSilent(): void {
		const { bytes } = this;
		AbortSignal.timeout(this.timeoutMs).addEventListener('abort', () => {
			if (this.hasEnded) return;
			if (this.bytes > bytes) return this.abortWhenSilent();
			this.isSilent = true;
			this.abort();
		});
	}
}
