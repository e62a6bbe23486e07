import { NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { isRecord, parseJson } from '../contract';

/** The profile that a request names (§2.1). */
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

/** Request fields that the interface doesn't show (§4.1, §4.2). */
export const additionalRequestFields: INodeProperties = {
	displayName: 'Additional Request Fields',
	name: 'additionalRequestFields',
	type: 'json',
	default: '{}',
	description:
		'A JSON object of further fields to send with the request, for what this node has no parameter for. Fields that have a parameter can not be set here.',
};

/**
 * Reads a text parameter that may not be empty.
 * @throws NodeOperationError when it is empty
 */
export function requiredText(
	context: IExecuteFunctions,
	itemIndex: number,
	{ name, displayName }: INodeProperties,
): string {
	const value = String(context.getNodeParameter(name, itemIndex, '') ?? '').trim();
	if (value) return value;
	throw new NodeOperationError(context.getNode(), `${displayName} is empty [item ${itemIndex}]`, {
		itemIndex,
		description: `Set ${displayName}. Nothing was sent.`,
	});
}

/**
 * Reads a number above 0 of the Options collection, also where an expression gives it as text.
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
	throw new NodeOperationError(
		context.getNode(),
		`${displayName} is not a number above 0 [item ${itemIndex}]`,
		{ itemIndex, description: `Correct ${displayName} in the options. Nothing was sent.` },
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
	const value = context.getNodeParameter(additionalRequestFields.name, itemIndex, {});
	const fields = typeof value === 'string' ? parseJson(value.trim() || '{}') : value;
	const taken = isRecord(fields) ? reserved.filter((name) => Object.hasOwn(fields, name)) : [];
	if (isRecord(fields) && taken.length === 0) return fields;
	throw new NodeOperationError(
		context.getNode(),
		taken.length > 0
			? `Additional Request Fields can not set ${taken.join(', ')} [item ${itemIndex}]`
			: `Additional Request Fields is not a JSON object [item ${itemIndex}]`,
		{ itemIndex, description: 'Correct Additional Request Fields. Nothing was sent.' },
	);
}
