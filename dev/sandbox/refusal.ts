import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

/** A request that the sandbox doesn't serve: an HTTP status and a sentence for the caller. */
export class Refusal extends Error {
	override readonly name = 'Refusal';

	constructor(
		readonly statusCode: number,
		message: string,
	) {
		super(message);
	}
}

/** Answers an error as JSON `{ message }`. The shape of errors is not shown (interface.md#errors). */
export function answerError(
	error: FastifyError | Refusal,
	_request: FastifyRequest,
	reply: FastifyReply,
): void {
	void reply.code(error.statusCode ?? 500).send({ message: error.message });
}

/** Answers 404 for a path that the sandbox doesn't have. */
export function answerNotFound(request: FastifyRequest, reply: FastifyReply): void {
	const message = `The sandbox has no ${request.method} ${pathOf(request)}.`;
	void reply.code(404).send({ message });
}

/** The path of a request without its query. */
export function pathOf(request: FastifyRequest): string {
	return request.url.replace(/\?.*$/, '');
}
