import type { Endpoint } from '../contract/endpoints';
import { isRecord } from '../contract/json';
import { MAX_BODY_BYTES } from '../contract/limits';
import { parseBody } from '../contract/parseBody';
import type { Reading, Received } from '../contract/read';
import { statedFailure } from '../contract/result';
import { errorStatus, unreadableAnswer } from '../errors/requestErrors';
import type { ConnectedItem } from '../item';
import type { RequestFields } from './body';
import { exchange, isSuccess, whyNotSent } from './exchange';
import { sendPaced } from './pace/sendPaced';
import { isLargerThan } from './requestFailure';
import { serviceText, subjectOf } from './serviceText';

/** Shown in place of the service's text, which can contain personal data. */
const HIDDEN = "(the service's message is hidden because 'Output' is Decision Only)";

/** The reading of an answer that exceeds the size limit. Only its beginning was read. */
const WITHOUT_END: Reading<never> = {
	ok: false,
	problems: [{ path: '', problem: isLargerThan(MAX_BODY_BYTES) }],
};

/** How the errors of a call are read and worded. */
export interface CallOptions {
	/** Whether the user knows that the service charges nothing when it answers with 5xx. */
	serverErrorsCostNothing: boolean;
	/** Whether the service's own text may appear in an error. */
	showsServiceText: boolean;
}

/**
 * Makes one call to the service. Only a 429 is retried, because it says that the request wasn't
 * processed. After any other failure, the request may have been charged, or was refused for good.
 * @throws NodeApiError that says whether the request may have been charged; GivenUp when another
 * item failed before this one was sent
 */
export async function call<Request, Value>(
	item: ConnectedItem,
	endpoint: Endpoint<Request, Value>,
	{ own, additional }: RequestFields<NoInfer<Request>>,
	{ serverErrorsCostNothing, showsServiceText }: CallOptions,
): Promise<Received<Value>> {
	const { host } = new URL(item.service.baseUrl);
	const fields = { ...additional, ...own };
	const laneKey = JSON.stringify([endpoint.path, fields.profile]);
	const answer = await sendPaced(item, { host, traffic: 'calls', laneKey }, async () => {
		return await exchange(item, endpoint, fields);
	});
	if (!answer) throw whyNotSent(item);
	const { text, failure } = answer.body;
	const parsed = failure ? WITHOUT_END : parseAnswer(text);
	// The text of an error needn't be JSON. A text whose end is missing isn't quoted.
	const plainText = failure ? undefined : text;
	const body = parsed.ok ? parsed.value : plainText;
	// JSON in a JSON text is searched without the escapes of the outer one.
	const searched = typeof body === 'string' ? body : text;
	const subject = () => subjectOf(endpoint, { text: searched, body }, item.service);
	const shown = () => shownText(body, item, showsServiceText);
	if (!isSuccess(answer)) {
		const note = { subject: subject(), text: shown() };
		throw errorStatus(item, answer, note, serverErrorsCostNothing);
	}
	const reading = parsed.ok ? endpoint.parse(body) : parsed;
	if (reading.ok) return { ...reading, hasOtherStatus: answer.statusCode !== 200 };
	throw unreadableAnswer(item, endpoint.answer, reading.problems, {
		subject: subject(),
		// Unless the body says that the request failed, what looks like a message may be personal data.
		text: isRecord(body) && statedFailure(body) ? shown() : '',
	});
}

/** A service may encode its JSON twice, so that the body is a string that contains JSON. */
function parseAnswer(text: string): Reading<unknown> {
	const parsed = parseBody(text);
	if (!parsed.ok || typeof parsed.value !== 'string') return parsed;
	const inner = parseBody(parsed.value);
	return inner.ok ? inner : parsed;
}

function shownText(body: unknown, { service }: ConnectedItem, showsServiceText: boolean): string {
	const text = serviceText(body, service);
	return text && !showsServiceText ? HIDDEN : text;
}
