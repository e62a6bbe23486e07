import { NodeConnectionTypes } from 'n8n-workflow';
import type { INodeExecutionData, INodeOutputConfiguration, NodeHint } from 'n8n-workflow';

import { DECISIONS } from '../contract/vocabulary';
import type { Decision } from '../contract/vocabulary';

/**
 * An output for each decision. Review is first because n8n sends items that it can't route to the
 * first output: the input of a node that is disabled or throws, and the empty item of Always Output
 * Data (architecture.md#n8n-first-output).
 */
export const DECISION_OUTPUTS: INodeOutputConfiguration[] = DECISIONS.map((decision) => ({
	type: NodeConnectionTypes.Main,
	displayName: decision.charAt(0).toUpperCase() + decision.slice(1),
}));

/** Needed because the editor shows the first output, which is often empty. */
export const OUTPUT_HINT: NodeHint = {
	message: 'Each result is on the output that matches its decision.',
	type: 'info',
	location: 'outputPane',
	whenToDisplay: 'afterExecution',
};

/**
 * For n8n's AI builders. One that tests an accept sees the first output run, and after swapping the
 * connections, rejects would go to Accept.
 */
export const PINNED_DATA_HINT =
	"n8n always passes pinned test data to the first output, whatever its decision: don't change the connections because of it.";

/** An item that an operation returns, or that a webhook starts a workflow with. */
interface Routed {
	item: INodeExecutionData;
	/** The output that it belongs to. */
	branch?: Decision;
}

/**
 * Puts each item on the output of its branch, and keeps the order of the items. An item without a
 * branch, such as a failed one, goes to Review: nothing reaches Accept unless `trustedDecision`
 * says so.
 */
export function routeAll(routed: Routed[]): INodeExecutionData[][] {
	return DECISIONS.map((output) =>
		routed.filter(({ branch = 'review' }) => branch === output).map(({ item }) => item),
	);
}
