import { SECURE_BASE_URL } from '../credential';
import type { ByteStream } from './body';
import type { Answer, Connection } from './connection';
import { CANCELED, NotStarted, fileNotFetched } from './errors';
import type { Place } from './errors';
import { sendPaced } from './paced';
import { request } from './request';
import type { RequestOptions } from './request';
import { Transfer } from './transfer';
import type { Break } from './transfer';

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
	const place = { node: context.getNode(), itemIndex };
	let url = new URL(address);
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		assertAllowed(connection, place, url);
		const { transfer, statusCode, headers, body } = await get(connection, place, url, maxBytes);
		if (statusCode === 200) return received(connection, place, transfer, { headers, body });
		const { location = '' } = headers;
		if (statusCode < 300 || statusCode >= 400 || !URL.canParse(location, url.href)) {
			throw fileNotFetched(place, `${url.host} answered with status ${statusCode}`);
		}
		url = new URL(location, url);
	}
	throw fileNotFetched(place, `${url.host} redirects too often`);
}

function received(
	{ timeoutMs }: Connection,
	place: Place,
	transfer: Transfer,
	{ headers, body }: Pick<Answer<ByteStream>, 'headers' | 'body'>,
): Download {
	const describe = (reason: Break) =>
		fileNotFetched(
			place,
			{
				canceled: CANCELED,
				silent: `nothing more came for ${timeoutMs / 1_000} s`,
				tooLarge: `it is larger than ${transfer.maxBytes / 1024 / 1024} MB, the Max File Size`,
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

function assertAllowed({ service }: Connection, place: Place, url: URL): void {
	if (!SECURE_BASE_URL.test(url.href)) {
		throw fileNotFetched(place, `its address at ${url.host} does not begin with https`);
	}
	if (!service.fileHosts.includes(url.host)) {
		const { unreadableFileHost } = service;
		const advice = unreadableFileHost
			? `File Hosts in the credential has an entry that is not a host: entry number ${unreadableFileHost}`
			: 'If it belongs to the service, add it to File Hosts in the credential';
		throw fileNotFetched(place, `${url.host} is not an allowed host. ${advice}`);
	}
}

/** An answer, and where its body comes through: ended already when it isn't the file. */
type Opened = Answer<ByteStream> & { transfer: Transfer };

async function get(
	connection: Connection,
	place: Place,
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
	// Apart from the calls of the same host: a file can take long to come.
	const opened = await sendPaced(connection, `files at ${url.host}`, async () => {
		const transfer = new Transfer(context, timeoutMs, maxBytes);
		const answer = await request<ByteStream>(
			{ context: transfer.cancelable, service },
			options,
			({ reason }) => {
				transfer.abort();
				return fileNotFetched(place, reason);
			},
		);
		if (answer.statusCode === 200) return { ...answer, transfer, closed: transfer.closed };
		transfer.abort();
		return { ...answer, transfer };
	});
	if (opened) return opened;
	if (context.getExecutionCancelSignal()?.aborted) throw fileNotFetched(place, CANCELED);
	if (connection.run.ended.aborted) throw new NotStarted();
	throw fileNotFetched(place, `${url.host} refuses all requests for now`);
}
