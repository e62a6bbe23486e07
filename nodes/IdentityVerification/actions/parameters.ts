import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { isRecord, parseJson } from '../contract';
import { isOutput, outputField } from '../resultItem';
import type { Output } from '../resultItem';
import { itemError } from './operation';

/** The profile that a request names (interface.md#profile). */
export const profileField: INodeProperties = {
	displayName: 'Profile',
	name: 'profile',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. kyc-standard',
	description:
		"The profile ID from the service's web portal. A profile holds the verification settings and the webhook URL.",
};

/** Request fields that the interface doesn't show (interface.md#scan and interface.md#hosted-link). */
export const additionalRequestFieldsOption: INodeProperties = {
	displayName: 'Additional Request Fields',
	name: 'additionalRequestFields',
	type: 'json',
	default: '{}',
	description:
		'A JSON object of extra request fields that this node has no parameter for. Fields that have a parameter cannot be set here.',
};

/** Of an operation whose items are results. Its name determines the outputs of the node. */
export const branchField: INodeProperties = {
	displayName: 'Branch on Decision',
	name: 'branchOnDecision',
	type: 'boolean',
	noDataExpression: true,
	default: true,
	description:
		'Whether the node has an output for each decision. Turn this off to get all results from one output, such as for a spreadsheet. Check the connections after each change: the editor keeps them by position.',
	displayOptions: { hide: { '@tool': [true] } },
};

/** An option of operations that cost credits. */
export const repeatAfterServerErrorsOption: INodeProperties = {
	displayName: 'Repeat After Server Errors',
	name: 'repeatAfterServerErrors',
	type: 'boolean',
	noDataExpression: true,
	default: false,
	description:
		"Whether 'Retry On Fail' sends a request again after a server error (5xx). Turn this on only if you know that your service doesn't charge for such requests.",
};

/** Whether the user knows that the service charges nothing when it answers with 5xx. */
export function readRepeatAfterServerErrors(context: IExecuteFunctions): boolean {
	const { name } = repeatAfterServerErrorsOption;
	return context.getNodeParameter(`options.${name}`, 0, false) === true;
}

/**
 * Reads a text parameter. A date that an expression gives is taken as ISO text.
 * @param advice what to do when it is no text
 * @throws NodeOperationError when it is an object or a list, or one was put into its text
 */
export function readText(
	context: IExecuteFunctions,
	itemIndex: number,
	{ name, displayName }: INodeProperties,
	advice = `Correct the expression of '${displayName}' for this item.`,
): string {
	const given: unknown = context.getNodeParameter(name, itemIndex, '') ?? '';
	const value = isDate(given) ? (given.toJSON() ?? given) : given;
	const text = typeof value === 'object' ? '' : String(value);
	if (typeof value !== 'object' && !text.includes('[object Object]')) return text;
	const kind = Array.isArray(value) ? 'a list' : 'an object';
	const problem = text ? 'contains "[object Object]" instead of a value' : `is ${kind}, not text`;
	const message = `'${displayName}' ${problem}`;
	throw itemError(context, itemIndex, message, advice);
}

/** A date of JavaScript or Luxon. JSON has no functions, so no data is taken for one. */
function isDate(value: unknown): value is { toJSON(): unknown } {
	if (!isRecord(value) || typeof value.toJSON !== 'function') return false;
	return [value.toISOString, value.toISODate].some((method) => typeof method === 'function');
}

/**
 * Reads a text parameter that may not be empty.
 * @throws NodeOperationError when it is empty, or no text
 */
export function requiredText(
	context: IExecuteFunctions,
	itemIndex: number,
	parameter: INodeProperties,
): string {
	const value = readText(context, itemIndex, parameter).trim();
	if (value) return value;
	const { displayName } = parameter;
	throw itemError(
		context,
		itemIndex,
		`'${displayName}' is empty`,
		`Set '${displayName}' for this item.`,
	);
}

/**
 * Reads a number above 0 from the Options collection, even when an expression gives it as text.
 * @throws NodeOperationError when it is none
 */
export function positiveNumber(
	context: IExecuteFunctions,
	itemIndex: number,
	option: INodeProperties,
): number {
	const { name, displayName } = option;
	const value = Number(context.getNodeParameter(`options.${name}`, itemIndex, option.default));
	if (value > 0) return value;
	throw itemError(
		context,
		itemIndex,
		`'${displayName}' is not a number above 0`,
		`Correct '${displayName}' in the options for this item.`,
	);
}

/**
 * Reads Additional Request Fields.
 * @param reserved names that the operation sets itself
 * @throws NodeOperationError when it is no JSON object, or sets a reserved name
 */
export function readAdditionalFields(
	context: IExecuteFunctions,
	itemIndex: number,
	reserved: readonly string[],
): Record<string, unknown> {
	const value = context.getNodeParameter(
		`options.${additionalRequestFieldsOption.name}`,
		itemIndex,
		{},
	);
	const fields = typeof value === 'string' ? parseJson(value.trim() || '{}') : value;
	const taken = isRecord(fields) ? reserved.filter((name) => Object.hasOwn(fields, name)) : [];
	if (isRecord(fields) && taken.length === 0) return fields;
	throw itemError(
		context,
		itemIndex,
		taken.length > 0
			? `'Additional Request Fields' cannot set ${taken.map((name) => `'${name}'`).join(', ')}`
			: "'Additional Request Fields' is not a JSON object",
		"Correct 'Additional Request Fields' for this item.",
	);
}

/**
 * Reads Output.
 * @throws NodeOperationError when it has a value that doesn't exist
 */
export function readOutput(context: IExecuteFunctions, itemIndex: number): Output {
	const value = context.getNodeParameter(outputField.name, itemIndex);
	if (isOutput(value)) return value;
	const message = "'Output' has a value that does not exist";
	throw itemError(context, itemIndex, message, "Choose 'Output' again for this item.");
}
