import type { INodeProperties } from 'n8n-workflow';

import type { Received } from '../../contract/read';
import type { ScanResult } from '../../contract/result';
import type { ConnectedItem } from '../../item';
import { readChosen, readOutput } from '../../parameters/readParameters';
import { DOCUMENT_FIELD, DOCUMENT_FIELDS, chosenFields } from '../../result/documentFields';
import { OUTPUTS, outputField } from '../../result/outputField';
import type { Output } from '../../result/outputField';
import { resultItem } from '../../result/resultItem';
import type { ItemJson, ResultItem } from '../../result/resultItem';

/** An agent's tool can return chosen fields of Simplified. */
const SELECTED_FIELDS = 'selectedFields';

/** What the model always needs in order to act. */
const ALWAYS_SELECTED = ['decision', 'transactionId', 'unrecognizedDecision', 'unreadable'];

const SELECTABLE = [
	{ name: 'Details', value: 'details' },
	{ name: 'Files', value: 'files' },
	{ name: 'Missing Fields', value: 'missingFields' },
	{ name: 'Sanctions', value: 'sanctions' },
	{ name: 'Warnings', value: 'warnings' },
	...DOCUMENT_FIELDS,
].sort((a, b) => a.name.localeCompare(b.name));

/**
 * What a tool returns goes to the model's provider, so the default returns as little as possible.
 */
export const scanOutputFields: INodeProperties[] = [
	{ ...outputField, displayOptions: { hide: { '@tool': [true] } } },
	{
		...outputField,
		options: [
			...outputField.options,
			{
				name: 'Selected Fields',
				value: SELECTED_FIELDS,
				description: 'The decision, the transaction ID and the fields that you choose',
			},
		].sort((a, b) => a.name.localeCompare(b.name)),
		default: 'decisionOnly' satisfies Output,
		description: 'How much of the result to return to the model and store',
		displayOptions: { show: { '@tool': [true] } },
	},
	{
		displayName: 'Fields',
		name: SELECTED_FIELDS,
		type: 'multiOptions',
		noDataExpression: true,
		options: SELECTABLE,
		default: [],
		description: 'What to return besides the decision and the transaction ID',
		displayOptions: { show: { '@tool': [true], [outputField.name]: [SELECTED_FIELDS] } },
	},
];

/** How a result becomes an item, according to the node's parameters. */
export interface ScanOutput {
	/** Whether the service's own text, which can hold personal data, may appear in an error. */
	showsServiceText: boolean;
	itemOf(result: Received<ScanResult>): ResultItem;
}

/** @throws NodeOperationError when Output has a value that doesn't exist */
export function readScanOutput(item: ConnectedItem): ScanOutput {
	const selection = readSelection(item);
	if (!selection) {
		const offered = item.isAgentTool ? [...OUTPUTS, SELECTED_FIELDS] : OUTPUTS;
		const output = readOutput(item, offered);
		return {
			showsServiceText: output !== 'decisionOnly',
			itemOf: (result) => resultItem(result, output),
		};
	}
	return {
		showsServiceText: false,
		itemOf(result) {
			const { json, branch } = resultItem(result, 'simplified');
			return { json: selected(json, selection), branch };
		},
	};
}

/**
 * The fields that an agent's tool returns; undefined if Output decides instead.
 * @throws NodeOperationError when one of them doesn't exist
 */
function readSelection(item: ConnectedItem): string[] | undefined {
	const output = item.context.getNodeParameter(outputField.name, item.itemIndex);
	if (output !== SELECTED_FIELDS || !item.isAgentTool) return undefined;
	const offered = SELECTABLE.map(({ value }) => value);
	return readChosen(item, { name: SELECTED_FIELDS, displayName: 'Fields' }, offered);
}

/** Simplified without what wasn't chosen. */
function selected(item: ItemJson, selection: string[]): ItemJson {
	const keys = [...ALWAYS_SELECTED, ...selection];
	return {
		...Object.fromEntries(Object.entries(item).filter(([key]) => keys.includes(key))),
		// A text that isn't a documented decision could contain anything.
		...(item.unrecognizedDecision === true && { decision: null }),
		...(selection.some((value) => value.startsWith(DOCUMENT_FIELD)) && {
			fields: chosenFields(Object(item.fields) as object, selection),
		}),
	};
}
