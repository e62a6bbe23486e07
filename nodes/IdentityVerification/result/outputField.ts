import type { INodeProperties } from 'n8n-workflow';

/** How much of a result a node puts into an item. */
export const OUTPUTS = ['decisionOnly', 'raw', 'simplified'] as const;
export type Output = (typeof OUTPUTS)[number];

/** An imported workflow can contain any value, and only a known one may decide what n8n stores. */
export function isOutput(value: unknown): value is Output {
	return OUTPUTS.some((known) => known === value);
}

export const outputField = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Decision Only',
			value: 'decisionOnly',
			description: 'Decision, identifiers, warnings and scores, without personal data',
		},
		{
			name: 'Raw',
			value: 'raw',
			description: 'The whole result as the service sent it',
		},
		{
			name: 'Simplified',
			value: 'simplified',
			description: 'The decision, the first reading of each field, warnings, sanctions and files',
		},
	],
	default: 'simplified',
	description: 'How much of the result to return and store',
} satisfies INodeProperties & { default: Output };
