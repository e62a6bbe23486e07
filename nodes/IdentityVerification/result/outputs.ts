import { NodeConnectionTypes } from 'n8n-workflow';
import type { INodeExecutionData, INodeOutputConfiguration, NodeHint } from 'n8n-workflow';

import { DECISIONS } from '../contract/vocabulary';
import type { Decision } from '../contract/vocabulary';

/**
 * An output for each decision. Review is first, because that is where n8n sends items it can't
 * route: the input of a disabled node or of one that throws, and the empty item of Always Output
 * Data (architecture.md#n8n-first-output).
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

/** An item that an operation returns, or that a webhook starts a workflow with. */
interface Routed {
	item: INodeExecutionData;
	/** The output that it belongs to. */
	branch?: Decision;
}

/**
 * Puts each item on the output of its branch, in the order of the items. One without a branch goes
 * to Review, such as one that failed: nothing reaches Accept unless `trustedDecision` has said so.
 */
export function routeAll(routed: Routed[]): INodeExecutionData[][] {
	return DECISIONS.map((output) =>
		routed.filter(({ branch = 'review' }) => branch === output).map(({ item }) => item),
	);
}
