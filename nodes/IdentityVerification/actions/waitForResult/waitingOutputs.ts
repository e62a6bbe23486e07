import { NodeConnectionTypes } from 'n8n-workflow';
import type { INodeExecutionData, INodeOutputConfiguration, NodeHint } from 'n8n-workflow';

import { WAIT_OPERATION } from '../../operation';
import { DECISION_OUTPUTS, OUTPUT_HINT } from '../../result/outputs';

/**
 * The outputs of Wait for Result. No Result is first because n8n sends a wait that timed out to the
 * first output (architecture.md#n8n-first-output).
 */
export const WAITING_OUTPUTS: INodeOutputConfiguration[] = [
	{ type: NodeConnectionTypes.Main, displayName: 'No Result' },
	...DECISION_OUTPUTS,
];

/** The indexes of the outputs where a result can be. */
export const INDEXES_OF_DECISIONS: number[] = [...WAITING_OUTPUTS.keys()].slice(1);

/** Puts the outputs of the decisions after No Result, which gets no items. */
export function afterNoResult(decisions: INodeExecutionData[][]): INodeExecutionData[][] {
	return [[], ...decisions];
}

/**
 * After a wait, n8n returns the item without running the node, so only the node's description can
 * explain where the item is.
 */
export const WAITING_HINT: NodeHint = {
	...OUTPUT_HINT,
	message: `${OUTPUT_HINT.message} If none arrived in time, the item is at No Result.`,
	displayCondition: `={{ $parameter["operation"] === "${WAIT_OPERATION}" }}`,
};
