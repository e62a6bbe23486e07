import { isSuccess } from '../contract/answerHead';
import type { Endpoint } from '../contract/endpoints';
import { isRecord } from '../contract/json';
import type { Received } from '../contract/read';
import { statedFailure } from '../contract/result';
import {
	canceledBefore,
	errorStatus,
	refusesAll,
	unreadableAnswer,
	whyEnded,
} from '../errors/requestErrors';
import type { ConnectedItem } from '../item';
import type { RequestFields } from './requestFields';
import { exchange } from './exchange';
import { sendPaced } from './pace/sendPaced';
import { serviceText, subjectOf } from './serviceText';

/** Shown in place of the service's text, which can contain personal data. */
const HIDDEN = "(what the service wrote is hidden because 'Output' is neither Simplified nor Raw)";

/** What is sent in a call, and how its errors are worded. */
export interface Call<Request> {
	request: RequestFields<Request>;
	/** Whether the service's own text may appear in an error. */
	showsServiceText: boolean;
	/** What a message may call the item, such as the name of its image. */
	name?: string;
}

/**
 * Makes one call to the service. Only after a 429, which asks for it, is the request sent again.
 * After any other failure, it may have been charged, or was refused for good.
 * @throws NodeApiError that says whether the request may have been charged; GivenUp when another
 * item failed before this one was sent
 */
export async function call<Request, Value>(
	connected: ConnectedItem,
	endpoint: Endpoint<Request, Value>,
	{ request, showsServiceText, name }: Call<NoInfer<Request>>,
): Promise<Received<Value>> {
	const item = { ...connected, name };
	const fields = { ...request.additional, ...request.own };
	const laneName = `${endpoint.path} ${String(fields.profile)}`;
	const answer = await sendPaced(item, laneName, async () => {
		return await exchange(item, endpoint, fields);
	});
	if (!answer) {
		throw item.run.stopSignal.aborted ? whyEnded(item, canceledBefore(item)) : refusesAll(item);
	}
	const { text, failure, parsed } = answer.body;
	// The text of an error needn't be JSON. A text whose end is missing isn't quoted.
	const plainText = failure ? undefined : text;
	const body = parsed.ok ? parsed.value.json : plainText;
	const subject = () => subjectOf(endpoint, { text, body }, item.service);
	const shown = () => shownText(body, item, showsServiceText);
	if (!isSuccess(answer)) {
		const note = { subject: subject(), text: shown() };
		throw errorStatus(item, answer, note);
	}
	const reading = parsed.ok ? endpoint.parse(parsed.value, answer.statusCode) : parsed;
	if (reading.ok) return reading;
	throw unreadableAnswer(item, endpoint.answerName, reading.problems, {
		subject: subject(),
		// Unless the body says that the request failed, what looks like a message may be personal data.
		text: isRecord(body) && statedFailure(body) ? shown() : '',
	});
}

function shownText(body: unknown, { service }: ConnectedItem, showsServiceText: boolean): string {
	const text = serviceText(body, service);
	return text && !showsServiceText ? HIDDEN : text;
}
