import { isRecord, isTextOrNumber, parseJson } from '../contract/read';
import { statedFailure } from '../contract/result';
import type { Endpoint } from '../contract/endpoints';
import type { Received } from '../contract/read';
import { openBody } from './body';
import type { RequestFields } from './body';
import {
	CANCELED,
	GivenUp,
	errorStatus,
	idText,
	imageBroke,
	noAnswer,
	notSent,
	refusesAll,
	unreadableAnswer,
} from './errors';
import { sendPaced } from './pace/gate';
import { request } from './request';
import type { Answer, ConnectedItem, RequestOptions } from './request';

/** Characters searched for a message. */
const MAX_READ = 10_000;

const TEXT_KEYS = ['message', 'error', 'detail', 'description', 'title', 'code'];

/** In place of the service's text, which can hold personal data. */
const HIDDEN = "(the service's message is hidden because 'Output' is Decision Only)";

/** What n8n's HTTP client leaves out of a header. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/g;

/** How the errors of a call are read and worded. */
export interface CallOptions {
	/** Whether the user knows that the service charges nothing when it answers with 5xx. */
	serverErrorsCostNothing: boolean;
	/** Whether the service's own text may appear in an error. */
	showsServiceText: boolean;
}

/**
 * Makes one call to the service. Only a 429 is retried: it says that the request wasn't processed. No other failure
 * is: the service may have charged it, or refused it for good.
 * @throws NodeApiError that says whether the request may have been charged; GivenUp when another
 * item failed before this one was sent
 */
export async function call<Request, Value>(
	item: ConnectedItem,
	endpoint: Endpoint<Request, Value>,
	{ own, additional }: RequestFields<NoInfer<Request>>,
	{ serverErrorsCostNothing, showsServiceText }: CallOptions,
): Promise<Received<Value>> {
	const { apiKey, baseUrl } = item.service;
	const fields = { ...additional, ...own };
	const { host } = new URL(baseUrl);
	const answer = await sendPaced(item, host, async () => await send(item, endpoint.path, fields));
	if (!answer) throw notSentError(item);
	const body = parsed(answer.body);
	const shown = () => {
		const text = serviceText(body, apiKey);
		return text && !showsServiceText ? HIDDEN : text;
	};
	if (answer.statusCode >= 300) {
		throw errorStatus(item, answer, shown(), serverErrorsCostNothing);
	}
	const reading = endpoint.parse(body);
	if (reading.ok) return { ...reading, hasOtherStatus: answer.statusCode !== 200 };
	throw unreadableAnswer(item, endpoint, reading.problems, {
		id: idOf(endpoint, body),
		// Unless the body says that the request failed, what looks like its message can be data.
		text: isRecord(body) && statedFailure(body) ? shown() : '',
	});
}

async function send(item: ConnectedItem, path: string, fields: object): Promise<Answer<unknown>> {
	const { run, service, timeoutMs } = item;
	const open = await openBody(fields).catch(() => {
		throw imageBroke(item);
	});
	const options: RequestOptions = {
		method: 'POST',
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
		if (run.ended.aborted) throw notSentError(item);
		return await request<unknown>(item, options, ({ isUnsent, reason }) => {
			if (open.failure) return imageBroke(item);
			return isUnsent ? notSent(item, reason) : noAnswer(item, reason);
		});
	} finally {
		open.close();
	}
}

/** Why a request isn't sent, or not again. */
function notSentError(item: ConnectedItem): Error {
	if (item.context.getExecutionCancelSignal()?.aborted) return notSent(item, CANCELED);
	return item.run.ended.aborted ? new GivenUp() : refusesAll(item);
}

/** JSON with something before it, such as a byte order mark, arrives as unparsed text. */
function parsed(body: unknown): unknown {
	return typeof body === 'string' ? (parseJson(body.trim()) ?? body) : body;
}

function idOf({ id }: Endpoint<never, unknown>, body: unknown): string {
	return isRecord(body) ? idText(body[id.field]) : '';
}

/**
 * The text that the service sent with an error, for a message to users. The interface doesn't show
 * the shape of an error body, so only a short text under a usual name is taken, up to where data
 * begins in it. The API key and all that looks like a key or an image are left out.
 */
function serviceText(body: unknown, apiKey: string): string {
	// The service may echo the key as it got it.
	return [apiKey, apiKey.replace(NOT_IN_HEADERS, '').trim()]
		.filter(Boolean)
		.reduce((rest, key) => rest.replaceAll(key, '…'), textOf(body))
		.slice(0, MAX_READ)
		.replace(/[{[].*/s, '')
		.replace(/[\w+/=-]{32,}/g, '…')
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim()
		.slice(0, 200)
		.trimEnd();
}

/** The text under a usual name, or within an object there. */
function textOf(body: unknown): string {
	if (typeof body === 'string') return plainText(body);
	const values = usualValues(body).flatMap((value) =>
		isRecord(value) ? usualValues(value) : [value],
	);
	return String(values.find(isTextOrNumber) ?? '');
}

function usualValues(body: unknown): unknown[] {
	return isRecord(body) ? TEXT_KEYS.map((key) => body[key]).filter(Boolean) : [];
}

/** An HTML page says what it is in its title; broken JSON could hold anything. */
function plainText(body: string): string {
	const start = body.trimStart().slice(0, 2 * MAX_READ);
	if (start.startsWith('<')) return /<title[^>]*>([^<]*)<\/title>/i.exec(start)?.[1] ?? '';
	return /^[[{"]/.test(start) ? '' : start;
}
