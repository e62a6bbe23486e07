import { isRecord, isTextOrNumber, parseDeepJson, statedFailure } from '../contract';
import type { Endpoint, Received } from '../contract';
import { jsonBody } from './body';
import type { JsonBody, RequestFields } from './body';
import {
	CANCELED,
	NotStarted,
	errorStatus,
	idText,
	imageBroke,
	noAnswer,
	notSent,
	refusesAll,
	unreadableAnswer,
} from './errors';
import type { ItemRef } from './errors';
import { sendPaced } from './pace';
import { request } from './request';
import type { Answer, Connection, RequestOptions } from './request';

const MAX_LENGTH = 200;

/** Characters searched for a message. */
const MAX_READ = 10_000;

const TEXT_KEYS = ['message', 'error', 'detail', 'description', 'title', 'code'];

/** Such as `PROFILE_NOT_FOUND`. In a sentence or with digits, it could be the name of a file. */
const CODE = /^[A-Z]+(?:_[A-Z]+)+$/;

/** What n8n's HTTP client leaves out of a header. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/g;

/** How the errors of a call are read and worded. */
export interface CallOptions {
	/** Whether the user knows that the service charges nothing when it answers with 5xx. */
	serverErrorsCostNothing: boolean;
	/** Whether the service's own text may appear in an error; otherwise only its code does. */
	showsServiceText: boolean;
	/** What an error names the item by, beside its index. */
	itemName?: string;
}

/**
 * Makes one call of the service. Only a 429 is sent again: it says that the request wasn't
 * processed. No other failure is: the service may have charged it, or refused it for good.
 * @throws NodeApiError that says whether the request may have been charged; NotStarted when another
 * item has failed before this one was sent
 */
export async function call<Request, Value>(
	connection: Connection,
	itemIndex: number,
	endpoint: Endpoint<Request, Value>,
	{ own, additional }: RequestFields<NoInfer<Request>>,
	options: CallOptions,
): Promise<Received<Value>> {
	const item = { node: connection.context.getNode(), itemIndex, name: options.itemName };
	const requestBody = jsonBody({ ...additional, ...own });
	const { host } = new URL(connection.service.baseUrl);
	const answer = await sendPaced(
		connection,
		host,
		async () => await send(connection, item, endpoint, requestBody),
	);
	if (!answer) throw notSentError(connection, item);
	const { statusCode, headers } = answer;
	const body = parsed(answer.body);
	const ownText = options.showsServiceText ? serviceText : serviceCode;
	const textOf = () => ownText(body, connection.service.apiKey);
	if (statusCode < 200 || statusCode >= 300) {
		throw errorStatus(item, {
			statusCode,
			hasRetryAfter: headers['retry-after'] !== undefined,
			serverErrorsCostNothing: options.serverErrorsCostNothing,
			text: textOf(),
		});
	}
	const reading = endpoint.parse(body);
	if (reading.ok) return reading;
	throw unreadableAnswer(item, endpoint, reading.problems, {
		id: idOf(endpoint, body),
		// Unless the body says that the request failed, what looks like its message can be data.
		text: isRecord(body) && statedFailure(body) ? textOf() : '',
	});
}

async function send(
	connection: Connection,
	item: ItemRef,
	{ method, path }: Endpoint<never, unknown>,
	body: JsonBody,
): Promise<Answer<unknown>> {
	const { service, timeoutMs } = connection;
	const open = await body.open().catch(() => {
		throw imageBroke(item);
	});
	const options: RequestOptions = {
		method,
		url: `${service.baseUrl}${path}`,
		headers: {
			'Content-Type': 'application/json',
			Accept: 'application/json',
			'Content-Length': open.length,
		},
		body: open.content,
		timeout: timeoutMs,
	};
	try {
		// While the image was opened, the execution may have been canceled or another item may have failed.
		if (connection.run.ended.aborted) throw notSentError(connection, item);
		return await request<unknown>(connection, options, ({ isUnsent, reason }) => {
			if (open.failure) return imageBroke(item);
			return isUnsent ? notSent(item, reason) : noAnswer(item, reason);
		});
	} finally {
		open.close();
	}
}

/** Why a request doesn't go out, or not again. */
function notSentError({ context, run }: Connection, item: ItemRef): Error {
	if (context.getExecutionCancelSignal()?.aborted) return notSent(item, CANCELED);
	return run.ended.aborted ? new NotStarted() : refusesAll(item);
}

/** JSON with something before it, such as a byte order mark, arrives as unparsed text. */
function parsed(body: unknown): unknown {
	return typeof body === 'string' ? (parseDeepJson(body.trim()) ?? body) : body;
}

function idOf({ id }: Endpoint<never, unknown>, body: unknown): string {
	return isRecord(body) ? idText(body[id.field]) : '';
}

/**
 * The text that the service sent with an error, for a message to users. The interface doesn't show
 * the shape of an error body, so only a short text under a usual name is taken, up to where data
 * begins in it. The API key and anything that looks like a key or an image is left out.
 */
function serviceText(body: unknown, apiKey: string): string {
	return cleaned(textsOf(body)[0] ?? '', apiKey)
		.slice(0, MAX_LENGTH)
		.trimEnd();
}

/** The same without personal data: a text is taken only if all of it looks like an error code. */
function serviceCode(body: unknown, apiKey: string): string {
	const texts = textsOf(body).map((text) => text.trim());
	const code = texts.find((text) => CODE.test(text) && cleaned(text, apiKey) === text) ?? '';
	const rest = texts.some((text) => text !== code)
		? "(the service's message is hidden because 'Output' is Decision Only)"
		: '';
	return `${code} ${rest}`.trim();
}

/** Without keys, images and data. */
function cleaned(text: string, apiKey: string): string {
	// The service may show the key as it got it.
	return [apiKey, apiKey.replace(NOT_IN_HEADERS, '').trim()]
		.filter(Boolean)
		.reduce((rest, key) => rest.replaceAll(key, '…'), text.slice(0, MAX_READ))
		.replace(/[{[].*$/s, '')
		.replace(/[\w+/=-]{32,}/g, '…')
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
}

/** Texts under usual names, or within an object there. */
function textsOf(body: unknown): string[] {
	if (typeof body === 'string') return [plainText(body)].filter(Boolean);
	return usualValues(body)
		.flatMap((value) => (isRecord(value) ? usualValues(value) : [value]))
		.filter(isTextOrNumber)
		.map(String);
}

function usualValues(body: unknown): unknown[] {
	return isRecord(body) ? TEXT_KEYS.map((key) => body[key]).filter(Boolean) : [];
}

/** An HTML page says what it is in its title; broken JSON could hold anything. */
function plainText(body: string): string {
	const start = body.trimStart().slice(0, MAX_READ);
	if (start.startsWith('<')) return /<title[^>]*>([^<]*)<\/title>/i.exec(start)?.[1] ?? '';
	return /^[[{"]/.test(start) ? '' : start;
}
