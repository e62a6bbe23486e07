import { NodeConnectionTypes } from 'n8n-workflow';
import type { IDataObject, INodeExecutionData, INodeOutputConfiguration } from 'n8n-workflow';

import { DECISIONS, recognizedDecision } from './contract';
import type { Decision } from './contract';

/** Where everything goes that has no documented decision, such as an item that failed: a person looks at it. */
const FALLBACK: Decision = 'review';

/**
 * An output for each decision. The first one is that of Review, because n8n sends there what it can't place:
 * the input of a disabled node, the empty item of Always Output Data, what a node that throws had as input.
 */
export const DECISION_OUTPUTS: INodeOutputConfiguration[] = DECISIONS.map((decision) => ({
	type: NodeConnectionTypes.Main,
	displayName: decision.charAt(0).toUpperCase() + decision.slice(1),
}));

/** Puts an item on the output of its decision, and nothing on the others. */
export function route<Item>(decision: Decision | undefined, item: Item): Item[][] {
	return DECISIONS.map((output) => (output === (decision ?? FALLBACK) ? [item] : []));
}

/** Puts items of results on the outputs of their decisions; in their order on each. */
export function routeAll(items: INodeExecutionData[]): INodeExecutionData[][] {
	return DECISIONS.map((output) => items.filter(({ json }) => decisionOf(json) === output));
}

/** The mark counts more than the decision: an item can lack what made the decision doubtful. */
function decisionOf(json: IDataObject): Decision {
	return (json.unrecognizedDecision ? undefined : recognizedDecision(json)) ?? FALLBACK;
}
