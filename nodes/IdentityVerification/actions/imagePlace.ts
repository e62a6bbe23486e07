import type { IBinaryData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isAgentTool } from '../runtime';
import { isRecord } from '../contract';

/** How many characters of a name a message shows at most. */
const MAX_NAME = 100;

/** How many binary fields a message names at most. */
const MAX_FIELDS = 20;

/** Anything else can be an image that was put there by mistake. */
const FIELD_NAME = /^[\p{L}\p{N} _.-]{0,64}$/u;

/** The parameter of an item that an image comes from. */
export interface ImagePlace {
	context: IExecuteFunctions;
	itemIndex: number;
	name: string;
	label: string;
	/** Label of the parameter that names it. */
	field: string;
}

/**
 * Names the file, the parameter that points to it, and what the item has instead, for a message.
 * @param file a file, or the name of the field that it is in
 */
export function whereFileIs(
	{ context, itemIndex, field }: ImagePlace,
	file: IBinaryData | string,
	fileName: unknown = typeof file === 'string' ? undefined : file.fileName,
): string {
	const fields = binaryFields(context.getInputData()[itemIndex] ?? { json: {} });
	const named = typeof fileName === 'string' && fileName ? `"${shortened(fileName)}"` : '';
	const inField = typeof file === 'string' ? fieldOf(file, fields) : '';
	const points = [named, inField].filter(Boolean).join(' in ') || 'a file without a name';
	const where = `'${field}' points to ${points}`;
	// The items of an agent's tool hold what the model has filled in.
	return isAgentTool(context) ? where : `${where}. The item has ${listed(fields)}`;
}

function fieldOf(name: string, fields: string[]): string {
	const isName = fields.includes(name) || FIELD_NAME.test(name);
	return isName ? `the field "${shortened(name)}"` : 'a value that is not the name of a field';
}

/** A workflow can have its files among the fields of the JSON. */
function binaryFields({ json, binary = {} }: INodeExecutionData): string[] {
	const inJson = Object.keys(json).filter(
		(name) => isRecord(json[name]) && 'mimeType' in json[name],
	);
	return [...Object.keys(binary), ...inJson];
}

function listed(fields: string[]): string {
	if (fields.length === 0) return 'no binary fields';
	const names = fields.slice(0, MAX_FIELDS).map(shortened).join(', ');
	const more = fields.length - MAX_FIELDS;
	return `these binary fields: ${names}${more > 0 ? `, and ${more} more` : ''}`;
}

/** The name of a file or of a field, for a message: in one line, and without the quotes that end it. */
export function shortened(text: string): string {
	const name = text.replace(/[\p{Cc}"]+/gu, ' ');
	return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}
