import type { IExecuteFunctions } from 'n8n-workflow';

import { SECURE_BASE_URL } from '../credential';
import { fileAccess } from '../fileHosts';
import type { FileAccess } from '../fileHosts';
import { streamLike } from './body';
import type { ByteStream } from './body';
import { CANCELED, GivenUp, fileNotFetched } from './errors';
import { sendPaced } from './pace/gate';
import { request } from './request';
import type { Answer, ConnectedItem, RequestOptions } from './request';

const MAX_REDIRECTS = 5;

const NO_KEY =
	"The API key was not sent, because only a wildcard in 'File Hosts' allows this host or one that redirected to it. If the service needs the key there, enter the whole name of the host";

/** A file on its way. */
export interface Download {
	stream: ByteStream;
	/** As the server names it; may be missing. */
	mimeType: string | undefined;
}

/**
 * Fetches a file of a result (interface.md#result) as a stream, from the base URL's host and the credential's file
 * hosts alone, even after a redirect. The API key goes only to hosts that are named, not to those of a wildcard.
 * @param maxBytes the stream breaks off with an error beyond this size
 * @throws NodeApiError when the host isn't allowed, or there is no file; GivenUp when another item
 * failed before this file was requested
 */
export async function download(
	item: ConnectedItem,
	address: string,
	maxBytes: number,
): Promise<Download> {
	let url = new URL(address);
	let hasKey = true;
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		// Once a host gets no key, the next one doesn't either: a host of a wildcard must not choose what is asked
		// with the key.
		hasKey = accessTo(item, url) === 'withKey' && hasKey;
		const { transfer, statusCode, headers, body } = await get(item, url, { hasKey, maxBytes });
		if (statusCode === 200) {
			const mimeType = headers['content-type']?.split(';')[0]?.trim();
			return { stream: transfer.read(body, Number(headers['content-length'] ?? 0)), mimeType };
		}
		const { location = '' } = headers;
		if (statusCode < 300 || statusCode >= 400 || !URL.canParse(location, url.href)) {
			const wantsKey = [401, 403].includes(statusCode) && !hasKey;
			const why = wantsKey ? `. ${NO_KEY}` : '';
			throw fileNotFetched(item, `${url.host} answered with status ${statusCode}${why}`);
		}
		url = new URL(location, url);
	}
	throw fileNotFetched(item, `${url.host} redirects too often`);
}

/** @throws NodeApiError when no file may be fetched from this address */
function accessTo(item: ConnectedItem, url: URL): Exclude<FileAccess, 'refused'> {
	const { fileHosts } = item.service;
	if (!SECURE_BASE_URL.test(url.href)) {
		throw fileNotFetched(item, `its address at ${url.host} does not begin with https`);
	}
	const access = fileAccess(fileHosts, url);
	if (access !== 'refused') return access;
	const unusable = fileHosts.unusable.map((entry) => `'${entry}'`).join(', ');
	const advice = "If it belongs to the service, add it to 'File Hosts' in the credential";
	const hint = unusable && `, where no host can match ${unusable}`;
	throw fileNotFetched(item, `${url.host} is not an allowed host. ${advice}${hint}`);
}

/** An answer, and the transfer of its body: already ended when the body isn't the file. */
type Opened = Answer<ByteStream> & { transfer: Transfer };

async function get(
	item: ConnectedItem,
	url: URL,
	{ hasKey, maxBytes }: { hasKey: boolean; maxBytes: number },
): Promise<Opened> {
	const { context, run, service, timeoutMs } = item;
	const options: RequestOptions = {
		method: 'GET',
		url: url.href,
		encoding: 'stream',
		// So that the Content-Length is that of the file.
		headers: { 'Accept-Encoding': 'identity' },
		timeout: timeoutMs,
	};
	// Paced separately from API calls to the same host, because a file can be slow to arrive.
	const opened = await sendPaced(item, `files at ${url.host}`, async () => {
		const transfer = new Transfer(item, maxBytes);
		const answer = await request<ByteStream>(
			{ context: transfer.cancelable, service: hasKey ? service : undefined },
			options,
			({ reason }) => {
				transfer.end(reason);
				return fileNotFetched(item, reason);
			},
		);
		if (answer.statusCode === 200) return { ...answer, transfer, closed: transfer.closed };
		transfer.end();
		return { ...answer, transfer };
	});
	if (opened) return opened;
	if (context.getExecutionCancelSignal()?.aborted) throw fileNotFetched(item, CANCELED);
	if (run.ended.aborted) throw new GivenUp();
	throw fileNotFetched(item, `${url.host} is currently refusing all requests`);
}

/** A file on its way: counted, given up when nothing more arrives, and ended with its execution. */
class Transfer {
	private readonly controller = new AbortController();

	private readonly signal = this.controller.signal;

	/** Resolves when the connection is closed. */
	readonly closed = new Promise<void>((resolve) => {
		this.signal.addEventListener('abort', () => resolve());
	});

	private bytes = 0;

	constructor(
		private readonly item: ConnectedItem,
		private readonly maxBytes: number,
	) {
		// Its own signal removes the listener: an execution can have thousands of files.
		const canceled = item.context.getExecutionCancelSignal();
		if (canceled?.aborted) this.end(CANCELED);
		canceled?.addEventListener('abort', () => this.end(CANCELED), { signal: this.signal });
	}

	/** The context for the request: n8n takes its signal only from there. */
	get cancelable(): IExecuteFunctions {
		const own = { getExecutionCancelSignal: () => this.signal };
		return Object.assign(Object.create(this.item.context) as IExecuteFunctions, own);
	}

	/** Closes the connection. Only the first reason counts. */
	end(reason = 'it did not arrive whole'): void {
		this.controller.abort(reason);
	}

	/**
	 * Passes on what arrives.
	 * @param announced how many bytes the server says that it sends
	 */
	read(body: ByteStream, announced: number): ByteStream {
		if (announced > this.maxBytes) throw this.failure(this.tooLarge);
		this.endWhenSilent();
		// An error can occur before n8n listens for it. The error resurfaces on read.
		const stream = streamLike(body, this.counted(body)).on('error', () => {});
		return stream.on('close', () => this.end());
	}

	private async *counted(body: AsyncIterable<Buffer>) {
		try {
			for await (const chunk of body) {
				this.bytes += chunk.length;
				if (this.bytes > this.maxBytes) this.end(this.tooLarge);
				this.signal.throwIfAborted();
				yield chunk;
			}
		} catch {
			throw this.failure();
		} finally {
			this.end();
		}
	}

	/** Ends the transfer, unless it has ended. Returns why it did. */
	private failure(reason?: string): Error {
		this.end(reason);
		return fileNotFetched(this.item, String(this.signal.reason));
	}

	private get tooLarge(): string {
		return `it is larger than ${this.maxBytes / 1024 / 1024} MB, the 'Max File Size'`;
	}

	private endWhenSilent(): void {
		const { bytes } = this;
		const { timeoutMs } = this.item;
		AbortSignal.timeout(timeoutMs).addEventListener('abort', () => {
			if (this.bytes > bytes && !this.signal.aborted) this.endWhenSilent();
			else this.end(`nothing more arrived for ${timeoutMs / 1_000} s`);
		});
	}
}
