import type { INodeProperties } from 'n8n-workflow';

import type { Received } from '../../contract/read';
import type { ScanResult } from '../../contract/result';
import type { ConnectedItem } from '../../item';
import { readOutputOf } from '../../parameters/readParameters';
import { documentFieldsField, outputField } from '../../result/outputField';
import type { OUTPUTS } from '../../result/outputField';
import { resultItem } from '../../result/resultItem';
import type { ResultItem } from '../../result/resultItem';

/**
 * What a tool returns goes to the model's provider, so the default returns as little as possible.
 */
export const scanOutputFields: INodeProperties[] = [
	{ ...outputField, displayOptions: { hide: { '@tool': [true] } } },
	{
		...outputField,
		default: 'decisionOnly' satisfies (typeof OUTPUTS)[number],
		description: 'How much of the result to return to the model and store',
		displayOptions: { show: { '@tool': [true] } },
	},
	documentFieldsField,
];

/** How a result becomes an item, according to the node's parameters. */
export interface ScanOutput {
	/** Whether the service's own text, which can hold personal data, may appear in an error. */
	showsServiceText: boolean;
	itemOf(result: Received<ScanResult>): ResultItem;
}

/** @throws NodeOperationError when Output or Fields has a value that doesn't exist */
export function readScanOutput(item: ConnectedItem): ScanOutput {
	const output = readOutputOf(item);
	return {
		showsServiceText: output === 'simplified' || output === 'raw',
		itemOf: (result) => resultItem(result, output),
	};
}
