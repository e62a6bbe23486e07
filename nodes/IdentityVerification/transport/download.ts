import { NodeApiError } from 'n8n-workflow';
import type { IBinaryData, IBinaryKeyData, IHttpRequestOptions } from 'n8n-workflow';

import { SECURE_BASE_URL, fileAccess } from '../credential';
import type { FileAccess } from '../credential';
import { CANCELED, fileNotFetched, whyEnded } from '../errors/requestErrors';
import type { ConnectedItem } from '../item';
import { parseUrl } from '../nodejs';
import { CHECKED_BYTES, fileProblem } from './fileProblem';
import type { Called } from './fileProblem';
import { request } from './request';
import type { Answer } from './request';
import { reasonOf } from './requestFailure';
import type { Interruption } from './requestFailure';
import { storedBy } from './storing';
import { streamOf } from './stream';
import type { ByteStream } from './stream';
import { Transfer } from './transfer';

const MAX_REDIRECTS = 5;

const NO_KEY =
	"The API key was not sent, because only a wildcard in 'File Hosts' allows this host or one that redirected to it. If the service needs the key there, enter the full host name";

const TOO_MANY = "Run the item again later, or set 'Max Parallel Requests' in the options to 1";

const NOT_STORED = 'it arrived incomplete, or n8n could not store it';

/** A file of a result, and how it is attached to the item. */
export interface RemoteFile {
	/** The binary field: `front`, `back` or `face` of an image, `file_0`, `file_1` … of a report. */
	field: string;
	/** Distinct among the item's files. */
	fileName: string;
	/** Whether the result calls it an image. */
	isImage: boolean;
	url: string;
}

/**
 * Fetches the files of an item one after another, and stores them in n8n.
 * @param maxBytes a larger file fails the item
 * @returns the files by their binary field
 * @throws NodeApiError when a file can't be fetched or stored, or isn't what it is called; GivenUp
 * when another item failed before a file was requested
 */
export async function downloadAll(
	item: ConnectedItem,
	files: RemoteFile[],
	maxBytes: number,
): Promise<IBinaryKeyData> {
	const fetched: IBinaryKeyData = {};
	for (const file of files) fetched[file.field] = await fetchFile(item, file, maxBytes);
	return fetched;
}

async function fetchFile(
	item: ConnectedItem,
	file: RemoteFile,
	maxBytes: number,
): Promise<IBinaryData> {
	const { stream, mimeType, transfer } = await download(item, file, maxBytes);
	const work = item.context.helpers.prepareBinaryData(stream, file.fileName, mimeType);
	try {
		// n8n's storage can hang even when the whole file has arrived.
		const ended = await storedBy(transfer, work);
		if (ended.kind === 'stored') return ended.binary;
		if (ended.kind === 'failed' && ended.error instanceof NodeApiError) throw ended.error;
		const hasArrived = ended.kind === 'failed' || stream.readableEnded;
		throw hasArrived ? fileNotFetched(item, NOT_STORED) : incomplete(item, ended);
	} finally {
		// Lets the connection serve other requests.
		if (stream.readableEnded) transfer.complete();
		transfer.close();
		stream.destroy();
	}
}

/** A file on its way. */
interface Download {
	/** Ends with an error if the file arrives incomplete, or isn't what it is called. */
	stream: ByteStream;
	/** As stated by the server; may be missing. */
	mimeType: string | undefined;
	/** Moves while the file arrives. Close it after storing the file, successful or not. */
	transfer: Transfer;
}

/**
 * Fetches a file of a result (interface.md#result) as a stream. Even after a redirect, it is
 * fetched only from the base URL's host and the credential's file hosts. The API key is sent only
 * to hosts that are named, not to those that a wildcard allows. There is no time limit while the
 * file keeps arriving.
 * @param maxBytes a larger file ends the stream with an error
 * @throws NodeApiError when the host isn't allowed, or there is no file; GivenUp when another item
 * failed before this file was requested
 */
async function download(
	item: ConnectedItem,
	file: RemoteFile,
	maxBytes: number,
): Promise<Download> {
	let url = new URL(file.url);
	let hasKey = true;
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		// Before anything else, because this refuses a host that isn't allowed.
		const access = accessTo(item, url);
		// Once a host has got no key, the hosts it redirects to don't get it either: a host that only a
		// wildcard allows must not choose what is requested with the key.
		hasKey = hasKey && access === 'withKey';
		const opened = await requestFile(item, url, hasKey);
		const { statusCode, headers } = opened;
		if (statusCode === 200) {
			const mimeType = headers['content-type']?.split(';')[0]?.trim();
			const { transfer } = opened;
			const stream = fileStream(item, opened, { ...file, mimeType }, maxBytes);
			return { stream, mimeType, transfer };
		}
		const next = parseUrl(headers.location ?? '', url.href);
		if (statusCode < 300 || statusCode >= 400 || !next) {
			const wantsKey = [401, 403].includes(statusCode) && !hasKey;
			const noKey = wantsKey ? `. ${NO_KEY}` : '';
			const advice = statusCode === 429 ? `. ${TOO_MANY}` : noKey;
			throw fileNotFetched(item, `${url.host} answered with status ${statusCode}${advice}`);
		}
		url = next;
	}
	throw fileNotFetched(item, `${url.host} redirected too many times`);
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
	const hint = unusable && `. These entries there cannot match any host: ${unusable}`;
	throw fileNotFetched(item, `${url.host} is not an allowed host. ${advice}${hint}`);
}

/** An answer, and the transfer of its body, which is already closed if the body isn't the file. */
type Opened = Answer<ByteStream> & { transfer: Transfer };

async function requestFile(item: ConnectedItem, url: URL, hasKey: boolean): Promise<Opened> {
	const { context, service, run } = item;
	if (run.stopSignal.aborted) throw whyEnded(item, fileNotFetched(item, CANCELED));
	const transfer = new Transfer(context.getExecutionCancelSignal(), item.timeoutMs);
	const options: IHttpRequestOptions = {
		method: 'GET',
		url: url.href,
		// Without compression, the Content-Length is that of the file.
		headers: { 'Accept-Encoding': 'identity' },
	};
	run.progress.sent();
	const answer = await request(context, hasKey ? service : undefined, options, transfer);
	run.progress.ended();
	if (answer.kind !== 'answer' || answer.statusCode !== 200) transfer.close();
	if (answer.kind !== 'answer') throw fileNotFetched(item, reasonOf(answer));
	run.progress.answer(answer.statusCode);
	return { ...answer, transfer };
}

function fileStream(
	item: ConnectedItem,
	{ headers, body, transfer }: Opened,
	called: Called,
	maxBytes: number,
): ByteStream {
	// The size that the server announces.
	if (Number(headers['content-length'] ?? 0) > maxBytes) {
		transfer.close();
		throw incomplete(item, { kind: 'tooLarge', maxBytes });
	}
	// Otherwise, the stream would wait for a body that neither continues nor ends.
	void transfer.interrupted.then(() => body.destroy());
	return (
		streamOf(checked(item, called, arriving(item, { body, transfer }, maxBytes)))
			// An error can occur before n8n listens for it. It resurfaces on read.
			.on('error', () => {})
	);
}

/** Passes on a file, unless its beginning shows that it isn't what it is called. */
async function* checked(item: ConnectedItem, called: Called, chunks: AsyncIterable<Buffer>) {
	let head = Buffer.alloc(0);
	let isChecked = false;
	const passOn = () => {
		const problem = fileProblem(called, head.subarray(0, CHECKED_BYTES));
		if (problem) throw fileNotFetched(item, problem);
		isChecked = true;
		return head;
	};
	for await (const chunk of chunks) {
		if (isChecked) yield chunk;
		else head = Buffer.concat([head, chunk]);
		if (!isChecked && head.length >= CHECKED_BYTES) yield passOn();
	}
	if (!isChecked) yield passOn();
}

/** Passes on what arrives. */
async function* arriving(
	item: ConnectedItem,
	{ body, transfer }: Pick<Opened, 'transfer'> & { body: AsyncIterable<Buffer> },
	maxBytes: number,
) {
	let bytes = 0;
	try {
		for await (const chunk of body) {
			transfer.moved();
			bytes += chunk.length;
			if (bytes > maxBytes) transfer.interrupt({ kind: 'tooLarge', maxBytes });
			if (transfer.interruption) break;
			yield chunk;
		}
	} catch {
		throw incomplete(item, transfer.interruption);
	}
	if (transfer.interruption) throw incomplete(item, transfer.interruption);
}

/**
 * The error for a file that arrived incomplete.
 * @param interruption undefined when the other side ended the file too early
 */
function incomplete(item: ConnectedItem, interruption?: Interruption): Error {
	if (!interruption) return fileNotFetched(item, 'it arrived incomplete');
	const option = interruption.kind === 'tooLarge' ? ", the 'Max File Size'" : '';
	return fileNotFetched(item, reasonOf(interruption) + option);
}
