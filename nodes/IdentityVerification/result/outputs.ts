import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IDataObject,
	INodeExecutionData,
	INodeOutputConfiguration,
	NodeHint,
} from 'n8n-workflow';

import { recognizedDecision } from '../contract/result';
import { DECISIONS } from '../contract/vocabulary';
import type { Decision } from '../contract/vocabulary';

/**
 * An output for each decision. Review is first, because that is where n8n sends items it can't route: the
 * input of a disabled node or of one that throws, and the empty item of Always Output Data
 * (architecture.md#n8n-first-output).
 */
export const DECISION_OUTPUTS: INodeOutputConfiguration[] = DECISIONS.map((decision) => ({
	type: NodeConnectionTypes.Main,
	displayName: decision.charAt(0).toUpperCase() + decision.slice(1),
}));

/** The editor shows the first output, which is often empty. */
export const OUTPUT_HINT: NodeHint = {
	message: 'Each result is on the output that matches its decision.',
	type: 'info',
	location: 'outputPane',
	whenToDisplay: 'afterExecution',
};

/** Puts each item on the output of its decision, in the order of the items. */
export function routeAll(items: INodeExecutionData[]): INodeExecutionData[][] {
	return DECISIONS.map((output) => items.filter(({ json }) => decisionOf(json) === output));
}

/**
 * Review for an item that failed or has no documented decision. `unrecognizedDecision` overrides the decision, as an
 * item can lack what made it doubtful.
 */
function decisionOf(json: IDataObject): Decision {
	return (json.unrecognizedDecision ? undefined : recognizedDecision(json)) ?? 'review';
}
