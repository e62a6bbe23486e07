import type { INodeProperties } from 'n8n-workflow';

import { DOCUMENT_FIELDS } from './documentFields';

const DECISION_AND_FIELDS = 'decisionAndFields';

/** The values of the parameter Output. */
export const OUTPUTS = [DECISION_AND_FIELDS, 'decisionOnly', 'raw', 'simplified'] as const;

/** How much of a result a node puts into an item; `chosen` are what Decision and Fields adds. */
export type Output =
	| Exclude<(typeof OUTPUTS)[number], typeof DECISION_AND_FIELDS>
	| { chosen: readonly string[] };

export const outputField = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Decision and Fields',
			value: DECISION_AND_FIELDS,
			description: 'Decision Only, and the fields of the document that you choose',
		},
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
} satisfies INodeProperties & { default: (typeof OUTPUTS)[number] };

/** Shown with Decision and Fields. */
export const documentFieldsField = {
	displayName: 'Fields',
	name: 'documentFields',
	type: 'multiOptions',
	noDataExpression: true,
	options: [...DOCUMENT_FIELDS].sort((a, b) => a.name.localeCompare(b.name)),
	default: [],
	description: 'What to return and store besides Decision Only',
	displayOptions: { show: { [outputField.name]: [DECISION_AND_FIELDS] } },
} satisfies INodeProperties;

/**
 * The Output that both parameters ask for, or which of them has a value that isn't offered; `wrong`
 * begins a sentence about it.
 */
export type OutputReading =
	| { ok: true; output: Output }
	| { ok: false; displayName: string; wrong: string; offered: readonly string[] };

/** Reads both parameters; an imported workflow can contain anything in them. */
export function readOutput(output: unknown, documentFields: unknown): OutputReading {
	const known = OUTPUTS.find((value) => value === output);
	if (!known) {
		const { displayName } = outputField;
		return { ok: false, displayName, wrong: `'${displayName}'`, offered: OUTPUTS };
	}
	if (known !== DECISION_AND_FIELDS) return { ok: true, output: known };
	const fields: unknown[] = [documentFields ?? []].flat();
	const offered = DOCUMENT_FIELDS.map(({ value }) => value);
	const chosen = offered.filter((field) => fields.includes(field));
	if (chosen.length === new Set(fields).size) return { ok: true, output: { chosen } };
	const { displayName } = documentFieldsField;
	return { ok: false, displayName, wrong: `One of the '${displayName}'`, offered };
}
