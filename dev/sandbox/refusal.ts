import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod/v4';

/** A request that the sandbox doesn't serve: an HTTP status and a sentence for the caller. */
export class Refusal extends Error {
	override readonly name = 'Refusal';

	constructor(
		readonly statusCode: number,
		message: string,
		/** What the request costs all the same. */
		readonly credits = 0,
	) {
		super(message);
	}
}

/**
 * Reads a body. Throws a `Refusal` (400) that names what is missing or wrong, but no value of it.
 */
export function readBody<Schema extends z.ZodType>(
	schema: Schema,
	body: unknown,
	refusal = 'Invalid request',
): z.output<Schema> {
	const { data, error } = schema.safeParse(body, { reportInput: true });
	if (!error) return data;
	const problems = error.issues.map(({ path, input }) => {
		const problem =
			input === undefined ? 'is missing' : 'has another type or value than documented';
		return `${z.core.toDotPath(path) || 'the body'} ${problem}`;
	});
	throw new Refusal(400, `${refusal}: ${problems.join('; ')}.`);
}

/** Answers an error as JSON `{ message }`. Its shape isn't documented (interface.md#errors). */
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
