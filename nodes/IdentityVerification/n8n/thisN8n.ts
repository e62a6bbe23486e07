import { WAIT_FOR_SUB_EXECUTION } from 'n8n-workflow';
import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * Engine 2.0 gives an execution a UUID of version 7, n8n's other engine a number
 * (architecture.md#n8n-engine-2).
 */
const ENGINE_2_ID = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;

/**
 * Whether n8n's Engine 2.0 runs the node. Nodes can't read the setting, and a workflow that has it
 * runs on the other engine as a sub-workflow.
 */
export function runsOnEngine2(context: IExecuteFunctions): boolean {
	return ENGINE_2_ID.test(String(context.getExecutionId()));
}

/** The first version of n8n in which an execution can resume at each output. */
export const MIN_N8N_VERSION = '2.39';

/**
 * Whether this n8n can do that. n8n exports this constant from about that version on
 * (architecture.md#n8n-version), and nodes can't read n8n's version.
 */
export const canResumeAtEachOutput = (WAIT_FOR_SUB_EXECUTION as Date | undefined) !== undefined;

/**
 * Whether n8n moves an item's files into its JSON, and returns only that JSON in place of an earlier
 * node's item. It calls this setting of a workflow "Execution Logic v2"
 * (architecture.md#n8n-files-in-json).
 */
export function keepsFilesInJson(context: Partial<IExecuteFunctions>): boolean {
	// n8n 2.0 has neither the setting nor the function.
	return context.getWorkflowSettings?.().binaryMode === 'combined';
}
