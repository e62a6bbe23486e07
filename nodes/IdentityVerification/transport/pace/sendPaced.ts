import { retryAfterOf } from '../../contract/answerHead';
import type { AnswerHead } from '../../contract/answerHead';
import type { ConnectedItem } from '../../item';
import { IncompleteRequest } from '../requestFailure';
import type { Gate } from './gate';
import { Gates } from './gates';
import type { RequestEnd, SentRequest } from './lane';

const gates = new Gates();

/**
 * Sends a request when the pace of the service allows it, and again as long as the answer is a 429.
 * That status says that the request wasn't processed, so it costs nothing.
 * @param laneName endpoint and profile
 * @returns the first other answer, or the last 429 when the service has refused for too long;
 * undefined when nothing was sent because of that, or because the run has ended
 * @throws the error of a request that is incomplete, or what `send` throws
 */
export async function sendPaced<Reply extends AnswerHead>(
	{ run, service }: ConnectedItem,
	laneName: string,
	send: () => Promise<Reply | IncompleteRequest>,
): Promise<Reply | undefined> {
	const gate = gates.gateTo(service);
	let refusal: Reply | undefined;
	for (;;) {
		const sent = await new Promise<SentRequest | undefined>((settle) =>
			gate.enter(run, laneName, settle),
		);
		if (!sent) return run.stopSignal.aborted ? undefined : refusal;
		const answer = await sendOnce(gate, sent, send);
		if (answer instanceof IncompleteRequest) throw answer.error;
		run.progress.answer(answer.statusCode);
		if (answer.statusCode !== 429) return answer;
		refusal = answer;
	}
}

/** The request leaves the gate whatever happens. Otherwise, it would count as open forever. */
async function sendOnce<Reply extends AnswerHead>(
	gate: Gate,
	sent: SentRequest,
	send: () => Promise<Reply | IncompleteRequest>,
): Promise<Reply | IncompleteRequest> {
	const { progress } = sent.run;
	let end: RequestEnd = { kind: 'failed' };
	progress.sent();
	try {
		const answer = await send();
		end = answer instanceof IncompleteRequest ? { kind: 'incomplete' } : endOf(answer);
		return answer;
	} finally {
		progress.ended();
		gate.leave(sent, end);
	}
}

/** Only the Retry-After of a 429 or 503 asks to hold back other requests as well. */
function endOf(answer: AnswerHead): RequestEnd {
	const { statusCode } = answer;
	if (statusCode === 429) return { kind: 'refused', retryAfterMs: retryAfterOf(answer) };
	if (statusCode === 503) return { kind: 'failed', retryAfterMs: retryAfterOf(answer) };
	if (statusCode === 502 || statusCode === 504) return { kind: 'failed' };
	return { kind: 'accepted' };
}
