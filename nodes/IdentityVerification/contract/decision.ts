import type { Problem } from './read';
import { DECISIONS } from './vocabulary';
import type { Decision } from './vocabulary';

type Body = Record<string, unknown>;

/**
 * The decision of a result, as received (interface.md#decision); undefined when it isn't a documented one,
 * or when it is an accept and the result also says that something failed. Everything else is for a person to look
 * at.
 */
export function recognizedDecision(body: Body): Decision | undefined {
	const decision = DECISIONS.find((documented) => documented === body.decision);
	const isTrusted = [undefined, null, true].some((value) => value === body.success);
	return decision === 'accept' && (!isTrusted || hasError(body)) ? undefined : decision;
}

/** Where a body says of itself that the request failed; the shape of that is not shown (interface.md#errors). */
export function statedFailure(body: Body): Problem | undefined {
	if (hasError(body)) return { path: 'error', problem: 'says that the request failed' };
	if (body.success !== false) return undefined;
	return { path: 'success', problem: 'is false' };
}

/** Whether a body names no decision at all. */
export function hasNoDecision({ decision }: Body): boolean {
	return isNothing(decision);
}

function hasError({ error }: Body): boolean {
	return !isNothing(error) && error !== false;
}

function isNothing(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}
