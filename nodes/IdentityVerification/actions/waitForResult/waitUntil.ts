import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { WAITING_OUTPUTS } from './waitingOutputs';

/** n8n's database compares times as text, in which a year has four digits. */
export const LATEST_MS = Date.UTC(9999, 0);

/**
 * Pauses the execution. When the time is up, n8n returns the item at the first output. In
 * `webhook()`, it is `$json`.
 */
export async function waitUntil(
	context: IExecuteFunctions,
	time: Date,
	item: INodeExecutionData,
): Promise<void> {
	const executeData = context.getExecuteData();
	const { data, node, source } = executeData;
	data.main = [[item]];
	// n8n disables this object to resume, and would skip the node on all other paths that lead to it
	// (architecture.md#n8n-disabled-node).
	executeData.node = { ...node };
	// n8n mistakes an output's index for an input's when it looks for the items before this node
	// (architecture.md#n8n-output-index).
	const [from] = source?.main ?? [];
	if (source && from) source.main = WAITING_OUTPUTS.map(() => from);
	await context.putExecutionToWait(time);
}
