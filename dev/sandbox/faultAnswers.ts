import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

import type { AnswerFault, Strike } from './faults';

const WRONG_SHAPE = { success: false, payload: ['This JSON is not a result.'] };

const REJECTIONS = [
	'unauthorized',
	'tooManyRequests',
	'serverError',
	'status',
	'html',
	'redirect',
] as const;

/** Faults that strike before the request is processed: nothing is billed. */
type Rejection = Extract<AnswerFault, { kind: (typeof REJECTIONS)[number] }>;

/**
 * Waits as long as a strike says, and answers the request if the fault refuses it. Returns
 * whether it did: then nothing else may be done for the request.
 */
export async function answerStrike(strike: Strike, reply: FastifyReply): Promise<boolean> {
	if (strike.latencyMs > 0) await sleep(strike.latencyMs, undefined, { ref: false });
	await strike.held;
	const { fault } = strike;
	if (!fault || !isRejection(fault)) return false;
	await reject(fault, reply);
	return true;
}

/** Sends the answer of a processed request, spoiled by the fault if there is one. */
export function sendAnswer(
	fault: AnswerFault | undefined,
	reply: FastifyReply,
	answer: object | string,
): FastifyReply {
	switch (fault?.kind) {
		case 'truncated':
			return sendCut(reply, answer);
		case 'broken':
			return breakConnection(reply);
		case 'noAnswer':
			return reply.hijack();
		case 'wrongShape':
			return reply.code(200).type('application/json').send(WRONG_SHAPE);
		default:
			return reply.send(answer);
	}
}

/** Destroys the connection of a request. */
export function breakConnection(reply: FastifyReply): FastifyReply {
	reply.hijack();
	reply.raw.destroy();
	return reply;
}

function isRejection(fault: AnswerFault): fault is Rejection {
	return REJECTIONS.some((kind) => kind === fault.kind);
}

function reject(fault: Rejection, reply: FastifyReply): FastifyReply {
	switch (fault.kind) {
		case 'unauthorized':
			return reply.code(401).send({ message: 'The API key is not valid.' });
		case 'tooManyRequests':
			return pausing(fault, reply)
				.code(429)
				.send({ message: 'Too many requests. Try again later.' });
		case 'serverError':
			return reply.code(500).send({ message: 'Internal error of the service.' });
		case 'status':
			return pausing(fault, reply)
				.code(fault.status)
				.send(fault.body ?? { message: 'Refused for a test.' });
		case 'html':
			return reply.code(502).type('text/html').send('<html><h1>502 Bad Gateway</h1></html>');
		case 'redirect':
			return reply.redirect(fault.location, fault.status);
	}
}

function pausing({ retryAfter }: { retryAfter?: number | string }, reply: FastifyReply) {
	return retryAfter === undefined ? reply : reply.header('Retry-After', retryAfter);
}

function sendCut(reply: FastifyReply, answer: object | string): FastifyReply {
	const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
	if (typeof answer !== 'string') void reply.type('application/json; charset=utf-8');
	return reply.send(text.slice(0, Math.floor(text.length / 2)));
}
