import type { Statement } from '../contract/read';
import { hasError } from '../contract/result';
import { DECISIONS } from '../contract/vocabulary';
import type { Decision } from '../contract/vocabulary';

/**
 * The decision of a result (interface.md#decision), if it may be acted on. Only this rule decides
 * what may reach Accept: the value must be exactly the documented one, the body must not have had to
 * be repaired, the result must not say that something failed, and its status must be the
 * documented 200. A doubtful accept or an undocumented value counts as no decision, so a person
 * looks at it. A review or a reject needs only its value in a body that is whole, because nobody is
 * let in by it. A `warning` that can't be read takes nothing from an accept, because the decision is
 * the service's own verdict on all warnings, and the item names what it lacks.
 */
export function trustedDecision(statement: Statement): Decision | undefined {
	const decision = DECISIONS.find((documented) => documented === statement.decision);
	if (statement.isRepaired) return undefined;
	if (decision !== 'accept') return decision;
	const { success, hasOtherStatus } = statement;
	const isSuccess = success === undefined || success === null || success === true;
	return isSuccess && !hasError(statement) && !hasOtherStatus ? 'accept' : undefined;
}
