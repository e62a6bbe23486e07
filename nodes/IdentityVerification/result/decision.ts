import type { Received } from '../contract/read';
import { hasError } from '../contract/result';
import { DECISIONS } from '../contract/vocabulary';
import type { Decision } from '../contract/vocabulary';

/**
 * The decision of a result (interface.md#decision), if it may be acted on. This is the only rule of
 * what may reach Accept: exactly the documented value, in a result that doesn't say itself that
 * something failed, and that wasn't answered with a status other than the documented 200. A
 * doubtful accept, and what isn't documented, is none, so that a person looks at it. A review or a
 * reject needs no more than its value: nobody is let in by it.
 */
export function trustedDecision({
	statement,
	hasOtherStatus,
}: Pick<Received<unknown>, 'statement' | 'hasOtherStatus'>): Decision | undefined {
	const decision = DECISIONS.find((documented) => documented === statement.decision);
	if (decision !== 'accept') return decision;
	const { success } = statement;
	const isSuccess = success === undefined || success === null || success === true;
	return isSuccess && !hasError(statement) && !hasOtherStatus ? 'accept' : undefined;
}
