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

/** The outputs of Wait for Result: n8n puts on the first one what was waited for in vain. */
export const WAITING_OUTPUTS: INodeOutputConfiguration[] = [
	{ type: NodeConnectionTypes.Main, displayName: 'No Result' },
	...DECISION_OUTPUTS,
];

/** Puts items of results on the outputs of their decisions; in their order on each. */
export function routeAll(items: INodeExecutionData[]): INodeExecutionData[][] {
	return DECISIONS.map((output) => items.filter(({ json }) => decisionOf(json) === output));
}

/** Puts a result that was waited for on the output of its decision. */
export function routeAwaited(item: INodeExecutionData): INodeExecutionData[][] {
	return [[], ...routeAll([item])];
}

/** The mark counts more than the decision: an item can lack what made the decision doubtful. */
function decisionOf(json: IDataObject): Decision {
	return (json.unrecognizedDecision ? undefined : recognizedDecision(json)) ?? FALLBACK;
}
