import { isRecord } from '../contract';
import type { Endpoint } from '../contract';
import { closeBody, jsonBody } from './body';
import type { JsonBody } from './body';
import type { Answer, Connection } from './connection';
import { CANCELED, noAnswer, notSent, refusedWith, unreadable } from './errors';
import type { Place } from './errors';
import { request } from './request';
import type { RequestOptions } from './request';
import { serviceText } from './serviceText';

const MAX_REPEATS = 4;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;

/** A parsed answer, and the same as it was received. */
export interface Result<Value> {
	value: Value;
	body: object;
}

/**
 * Makes one call of the service (§4). Only a 429 is sent again: it says that the request wasn't
 * processed. No other failure is: the service may have charged it, or refused it for good.
 * @throws NodeApiError that says whether the request may have been charged
 */
export async function call<Value>(
	connection: Connection,
	itemIndex: number,
	endpoint: Endpoint<Value>,
	fields: object,
): Promise<Result<Value>> {
	const place = { node: connection.context.getNode(), itemIndex };
	const { statusCode, body } = await sendUntilTaken(connection, place, endpoint, jsonBody(fields));
	if (statusCode < 200 || statusCode >= 300) {
		throw refusedWith(place, statusCode, serviceText(body, connection.service.apiKey));
	}
	const reading = endpoint.parse(body);
	if (!reading.ok || !isRecord(body)) {
		const problems = reading.ok ? [] : reading.problems;
		throw unreadable(place, endpoint.answer, problems, transactionIdOf(body));
	}
	return { value: reading.value, body };
}

async function sendUntilTaken(
	connection: Connection,
	place: Place,
	endpoint: Endpoint<unknown>,
	body: JsonBody,
): Promise<Answer<unknown>> {
	const { context, pause } = connection;
	for (let repeat = 0; ; repeat++) {
		const signal = context.getExecutionCancelSignal();
		await pause.over(signal);
		if (signal?.aborted) throw notSent(place, CANCELED);
		const answer = await send(connection, place, endpoint, body);
		const waitMs = retryAfterMs(answer.headers['retry-after']) ?? FIRST_WAIT_MS * 2 ** repeat;
		if (answer.statusCode !== 429 || repeat === MAX_REPEATS || waitMs > LONGEST_WAIT_MS) {
			return answer;
		}
		pause.extend(waitMs);
	}
}

async function send(
	{ context, service, timeoutMs }: Connection,
	place: Place,
	{ method, path }: Endpoint<unknown>,
	body: JsonBody,
): Promise<Answer<unknown>> {
	const openBody = await body.open();
	const options: RequestOptions = {
		method,
		url: `${service.baseUrl}${path}`,
		headers: {
			'Content-Type': 'application/json',
			Accept: 'application/json',
			'Content-Length': body.length,
		},
		body: openBody,
		timeout: timeoutMs,
	};
	return await request<unknown>(context, options, ({ isUnsent, reason }) =>
		isUnsent ? notSent(place, reason) : noAnswer(place, reason),
	).finally(() => closeBody(openBody));
}

/** Seconds or a date, as HTTP has it. */
function retryAfterMs(header: string | undefined): number | undefined {
	if (!header) return undefined;
	const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
	return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function transactionIdOf(body: unknown): string | undefined {
	const id = isRecord(body) ? body.transactionId : undefined;
	return typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? id : undefined;
}
