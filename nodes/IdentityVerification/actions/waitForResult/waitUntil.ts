import type { IExecuteFunctions, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { WAITING_OUTPUTS } from './waitingOutputs';

/** The units of 'Wait Up To'. */
export const WAIT_UNITS = [
	{ name: 'Days', value: 'days', ms: 24 * 3_600_000 },
	{ name: 'Hours', value: 'hours', ms: 3_600_000 },
	{ name: 'Minutes', value: 'minutes', ms: 60_000 },
];

/** Whether the parameters of a Wait for Result have a unit that exists. */
export function hasUnit(parameters?: INodeParameters): boolean {
	return unitOf(parameters) !== undefined;
}

/** How long a Wait for Result waits, in milliseconds; NaN for invalid parameters. */
export function waitLimitMs(parameters: INodeParameters = {}): number {
	return Number(parameters.waitUpTo) * (unitOf(parameters)?.ms ?? NaN);
}

function unitOf({ waitUnit }: INodeParameters = {}) {
	return WAIT_UNITS.find(({ value }) => value === waitUnit);
}

/** n8n's database compares times as text, so a year must have four digits. */
export const LATEST_MS = Date.UTC(9999, 0);

/**
 * Pauses the execution. When the time is up, n8n returns the item at the first output. Until then,
 * `webhook()` finds the item as `$json`.
 */
export async function waitUntil(
	context: IExecuteFunctions,
	time: Date,
	item: INodeExecutionData,
): Promise<void> {
	const executeData = context.getExecuteData();
	const { data, node, source } = executeData;
	data.main = [[item]];
	// To resume, n8n disables this object. Without a copy, it would then skip the node on all other
	// paths that lead to it (architecture.md#n8n-disabled-node).
	executeData.node = { ...node };
	// When n8n looks for the items before this node, it uses an output's index as if it were an
	// input's (architecture.md#n8n-output-index).
	const [from] = source?.main ?? [];
	if (source && from) source.main = WAITING_OUTPUTS.map(() => from);
	await context.putExecutionToWait(time);
}
