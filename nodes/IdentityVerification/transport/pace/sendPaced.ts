import { retryAfterOf } from '../../contract/answerHead';
import type { AnswerHead } from '../../contract/answerHead';
import type { NodeError } from '../../errors/nodeErrors';
import type { ConnectedItem } from '../../item';
import type { Gate, RequestEnd } from './gate';
import { Gates } from './gates';
import type { Account } from './gates';
import type { SentRequest } from './queue';

/** Where a request goes. */
export interface Destination extends Pick<Account, 'host' | 'traffic'> {
	/** Names what can have a limit of its own there, such as an endpoint with a profile. */
	laneKey: string;
}

/** A request that the node itself couldn't send whole. It says nothing about the service. */
export class IncompleteRequest {
	/** @param error what users are told */
	constructor(readonly error: NodeError) {}
}

const gates = new Gates();

/**
 * Sends a request when the pace of the service allows it, and again as long as the answer is a 429.
 * That status says that the request wasn't processed, so it costs nothing.
 * @returns the first other answer, or the last 429 when the service has refused for too long;
 * undefined when nothing was sent because of that, or because the run has ended
 * @throws the error of a request that is incomplete, or what `send` throws
 */
export async function sendPaced<Received extends AnswerHead>(
	{ run, service: { apiKey, credential } }: ConnectedItem,
	{ host, traffic, laneKey }: Destination,
	send: () => Promise<Received | IncompleteRequest>,
): Promise<Received | undefined> {
	const gate = gates.gateTo({ host, traffic, credentialId: credential.id, apiKey });
	let refusal: Received | undefined;
	for (let refusals = 0; ; refusals++) {
		const sent = await new Promise<SentRequest | undefined>((settle) =>
			gate.enter({ run, laneKey, refusals }, settle),
		);
		if (!sent) return run.ended.aborted ? undefined : refusal;
		const answer = await sendOnce(gate, sent, send);
		if (answer instanceof IncompleteRequest) throw answer.error;
		run.progress.answer(answer.statusCode);
		if (answer.statusCode !== 429) return answer;
		refusal = answer;
	}
}

/** The request leaves the gate whatever happens. Otherwise, it would count as open forever. */
async function sendOnce<Received extends AnswerHead>(
	gate: Gate,
	sent: SentRequest,
	send: () => Promise<Received | IncompleteRequest>,
): Promise<Received | IncompleteRequest> {
	let end: RequestEnd = { kind: 'failed' };
	try {
		const answer = await send();
		end = answer instanceof IncompleteRequest ? { kind: 'incomplete' } : endOf(answer);
		return answer;
	} finally {
		gate.leave(sent, end);
	}
}

/** Only the Retry-After of a 429 or 503 asks to hold back other requests as well. */
function endOf(answer: AnswerHead): RequestEnd {
	const { statusCode } = answer;
	if (statusCode === 429) return { kind: 'refused', retryAfterMs: retryAfterOf(answer) };
	if (statusCode === 503) return { kind: 'failed', retryAfterMs: retryAfterOf(answer) };
	if (statusCode === 502 || statusCode === 504) return { kind: 'failed' };
	return { kind: statusCode >= 200 && statusCode < 300 ? 'succeeded' : 'answered' };
}
