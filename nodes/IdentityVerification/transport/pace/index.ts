import { hasFailedLocally } from '../errors';
import type { Answer, Connection } from '../request';
import { gateTo } from './gate';
import type { Ending } from './pace';

/** Statuses by which a service, or a proxy before it, says that it has too much to do. */
const OVERLOADED = [502, 503, 504];

/** Statuses whose Retry-After is meant for all requests. */
const PAUSES = [429, 503];

/** The longest pause that an answer can ask for, in milliseconds. */
const LONGEST_PAUSE_MS = Number.MAX_SAFE_INTEGER;

/** An answer whose body may still be arriving. */
type Opened = Answer<unknown> & {
	/** Resolves when the body has ended; until then, the request counts as open. */ closed?: Promise<void>;
};

/**
 * Sends a request when the pace of its target allows it, and again as long as the answer is a 429: it
 * says that the request wasn't processed, so it costs nothing.
 * @param target what has a pace of its own, such as a host
 * @param send makes the request once
 * @returns the first other answer, or the last 429 when the service refuses everything for too long;
 * undefined when nothing was sent because of that, or because sending has ended
 */
export async function sendPaced<Received extends Opened>(
	{ run, service }: Connection,
	target: string,
	send: () => Promise<Received>,
): Promise<Received | undefined> {
	let refusal: Received | undefined;
	for (let refusals = 0; ; refusals++) {
		const gate = gateTo(target, service.credential.id);
		const sentAt = await gate.enter(run, refusals);
		if (sentAt === undefined) return run.ended.aborted ? undefined : refusal;
		run.progress.sent();
		const leave = (ending: Pick<Ending, 'kind' | 'retryAfterMs'>, tookMs: number) => {
			const { isAutomatic } = run;
			const kind = run.ended.aborted ? 'unknown' : ending.kind;
			run.progress.ended();
			gate.leave({ ...ending, kind, isAutomatic, sentAt, tookMs });
		};
		const tookMs = () => performance.now() - sentAt;
		const sending = send();
		sending.catch((error: unknown) => {
			leave({ kind: hasFailedLocally(error) ? 'unknown' : 'failed' }, tookMs());
		});
		const answer = await sending;
		const { statusCode, closed } = answer;
		const end = leave.bind(undefined, endingOf(answer), tookMs());
		run.progress.answer(statusCode);
		if (closed) void closed.then(end);
		else end();
		if (statusCode !== 429) return answer;
		refusal = answer;
	}
}

function endingOf(answer: Answer<unknown>): Pick<Ending, 'kind' | 'retryAfterMs'> {
	const { statusCode } = answer;
	const retryAfterMs = PAUSES.includes(statusCode) ? retryAfterOf(answer) : undefined;
	if (statusCode === 429) return { kind: 'refused', retryAfterMs };
	if (OVERLOADED.includes(statusCode)) return { kind: 'failed', retryAfterMs };
	return { kind: statusCode >= 200 && statusCode < 300 ? 'taken' : 'answered' };
}

/** Seconds, or a date by the clock of the service. */
function retryAfterOf({ headers }: Answer<unknown>): number | undefined {
	const header = headers['retry-after'];
	if (!header) return undefined;
	const answeredAt = Date.parse(headers.date ?? '') || Date.now();
	const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - answeredAt;
	return Number.isNaN(ms) ? undefined : Math.min(LONGEST_PAUSE_MS, Math.max(0, ms));
}
