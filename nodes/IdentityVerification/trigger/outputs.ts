import { DECISIONS } from '../contract';
import type { Decision } from '../contract';

/** Where a result goes whose decision isn't a documented one: a person looks at it. */
const FALLBACK: Decision = 'review';

/** Labels of the trigger's outputs. */
export const OUTPUT_NAMES = DECISIONS.map(
	(decision) => decision.charAt(0).toUpperCase() + decision.slice(1),
);

/** Puts an item on the output of its decision, and nothing on the others. */
export function route<Item>(decision: Decision | undefined, item: Item): Item[][] {
	return DECISIONS.map((output) => (output === (decision ?? FALLBACK) ? [item] : []));
}
