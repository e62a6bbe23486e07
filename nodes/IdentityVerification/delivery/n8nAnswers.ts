import { isRecord, parseJson } from '../contract/json';
import { RECEIVED } from '../webhookAnswer';
import { notDelivered } from './notDelivered';
import type { NotDelivered, Why } from './notDelivered';
import { REFUSAL_CODES } from './protocol';

/** The outcome of one request to the execution. */
export type Attempt = { kind: 'taken' } | FailedAttempt;

export interface FailedAttempt {
	kind: 'failed';
	delivery: NotDelivered;
	/** Whether a later attempt may succeed. */
	mayChange: boolean;
}

/** One of the ways in which a result is refused. */
interface KnownAnswer {
	status: number;
	/** Part of n8n's own text. If missing, any text matches. */
	text?: string;
	/** The code that Wait for Result itself adds. */
	code?: string;
	why: Why;
	mayChange?: true;
}

/**
 * The known answers of n8n and of Wait for Result. The first match counts
 * (architecture.md#n8n-resume-answers).
 */
const KNOWN_ANSWERS: KnownAnswer[] = [
	// The execution's token has changed since it started waiting, or the link is of another n8n, in
	// which the execution has the same ID.
	{ status: 401, text: 'Invalid token', why: 'lost' },
	{ status: 401, code: REFUSAL_CODES.notSigned, why: 'otherSecret' },
	{ status: 409, code: REFUSAL_CODES.otherLink, why: 'otherLink' },
	// The execution isn't waiting yet, or is resuming with another copy.
	{ status: 409, text: 'running', why: 'notWaiting', mayChange: true },
	{ status: 409, why: 'goneOn' },
	{ status: 404, text: 'does not exist', why: 'deleted' },
	{ status: 404, why: 'otherNode', mayChange: true },
	// n8n redirects to the form that the execution is waiting for.
	{ status: 307, why: 'otherNode', mayChange: true },
];

const ACCEPTED = JSON.stringify(RECEIVED);

/** What an answer to a delivery means. */
export function readAnswer(status: number, text: string): Attempt {
	if (status === 200 && text === ACCEPTED) return { kind: 'taken' };
	if (status >= 500) return failed(notDelivered('serverError', status), true);
	const code = codeOf(text);
	const known = KNOWN_ANSWERS.find(
		(answer) =>
			answer.status === status &&
			(answer.code === undefined || answer.code === code) &&
			text.includes(answer.text ?? ''),
	);
	if (!known) return failed(notDelivered('unreachable'));
	return failed(notDelivered(known.why), known.mayChange);
}

/** A failed attempt, by default one that is final. */
export function failed(delivery: NotDelivered, mayChange = false): FailedAttempt {
	return { kind: 'failed', delivery, mayChange };
}

function codeOf(text: string): unknown {
	const answer = parseJson(text);
	return isRecord(answer) ? answer.code : undefined;
}
