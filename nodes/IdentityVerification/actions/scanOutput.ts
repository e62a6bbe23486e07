import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { isAgentTool } from '../runtime';
import { KNOWN_DATA_KEYS, isRecord } from '../contract';
import type { Received, ScanResult } from '../contract';
import { outputField, resultItem } from '../resultItem';
import type { ItemJson, Output } from '../resultItem';
import { readOutput } from './parameters';

/** Lets an agent's tool return chosen fields of Simplified. */
const SELECTED_FIELDS = 'selectedFields';

/** How the value of a choice begins that is one field of the document. */
const DOCUMENT_FIELD = 'fields.';

/** What the model can't act without: the decision, which result it is, and whether it can be relied on. */
const ALWAYS_SELECTED = ['decision', 'transactionId', 'unrecognizedDecision', 'unreadable'];

/** Whole keys of Simplified that can be chosen. */
const KEYS = [
	{ name: 'Details', value: 'details' },
	{ name: 'Files', value: 'files' },
	{ name: 'Missing Fields', value: 'missingFields' },
	{ name: 'Sanctions', value: 'sanctions' },
	{ name: 'Warnings', value: 'warnings' },
];

const selectedFields: INodeProperties = {
	displayName: 'Fields',
	name: SELECTED_FIELDS,
	type: 'multiOptions',
	noDataExpression: true,
	options: [
		...KNOWN_DATA_KEYS.map((name) => ({
			name: `Document: ${titleOf(name)}`,
			value: DOCUMENT_FIELD + name,
		})),
		...KEYS,
	].sort((a, b) => a.name.localeCompare(b.name)),
	default: [],
	description: 'What to return besides the decision and the transaction ID',
	displayOptions: { show: { '@tool': [true], [outputField.name]: [SELECTED_FIELDS] } },
};

/** What a tool returns goes to the model's provider, so it's as little as possible unless chosen. */
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
	selectedFields,
];

/** Such as `Country Iso2` of `countryIso2`. */
function titleOf(name: string): string {
	const words = name.replace(/[A-Z]/g, ' $&').replace(/^dob\b|\bId$/, (word) => word.toUpperCase());
	return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What becomes of a scan's result. */
export interface ScanOutput {
	shape(result: Received<ScanResult>): ItemJson;
	/** Whether a text of the service may be shown, which can hold personal data. */
	showsServiceText: boolean;
}

/**
 * Reads Output, and as a tool also the fields that it is to hold.
 * @throws NodeOperationError when it has an unknown value
 */
export function readScanOutput(context: IExecuteFunctions, itemIndex: number): ScanOutput {
	const value = context.getNodeParameter(outputField.name, itemIndex);
	if (value === SELECTED_FIELDS && isAgentTool(context)) {
		const chosen = [context.getNodeParameter(SELECTED_FIELDS, itemIndex, [])].flat().map(String);
		return {
			shape: (result) => pick(resultItem(result, 'simplified'), chosen),
			showsServiceText: false,
		};
	}
	const output = readOutput(context, itemIndex);
	return {
		shape: (result) => resultItem(result, output),
		showsServiceText: output !== 'decisionOnly',
	};
}

function pick(item: ItemJson, chosen: readonly string[]): ItemJson {
	const fields = pickKeys(isRecord(item.fields) ? item.fields : {}, (name) =>
		chosen.includes(DOCUMENT_FIELD + name),
	);
	return {
		...pickKeys(
			item,
			(key) =>
				ALWAYS_SELECTED.includes(key) ||
				(chosen.includes(key) && KEYS.some(({ value }) => value === key)),
		),
		// A text that isn't a documented decision could hold anything.
		...(item.unrecognizedDecision === true && { decision: null }),
		...(chosen.some((value) => value.startsWith(DOCUMENT_FIELD)) && { fields }),
	};
}

function pickKeys<Value>(
	values: Record<string, Value>,
	isPicked: (key: string) => boolean,
): Record<string, Value> {
	return Object.fromEntries(Object.entries(values).filter(([key]) => isPicked(key)));
}
