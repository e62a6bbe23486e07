import type {
	IBinaryData,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import { isRecord } from '../contract';
import { isAgentTool } from '../runtime';

/** How many characters of a name a message shows at most. */
const MAX_NAME = 100;

/** How many binary fields a message names at most. */
const MAX_FIELDS = 20;

/** Anything else can be an image that was put there by mistake. */
const FIELD_NAME = /^[\p{L}\p{N} _.-]{0,64}$/u;

export interface ImageParameter {
	/** Start of the parameter names. */
	name: string;
	/** Start of the labels. */
	label: string;
	defaultBinaryField: string;
	isOptional?: boolean;
	show?: NonNullable<INodeProperties['displayOptions']>['show'];
}

/** The parameter of an item that an image comes from. */
export interface ImagePlace {
	context: IExecuteFunctions;
	itemIndex: number;
	name: string;
	label: string;
	/** Label of the parameter that names it. */
	field: string;
}

/** An option of operations that send an image. */
export const sendOtherFileTypesOption: INodeProperties = {
	displayName: 'Send Other File Types',
	name: 'sendOtherFileTypes',
	type: 'boolean',
	default: false,
	description:
		'Whether to also send files that are not images, such as PDF files. Use it only if your service takes them: you may pay for a file that it can not read.',
};

/** Parameters for an image that comes from a binary field or as base64 text. */
export function imageFields(parameter: ImageParameter): INodeProperties[] {
	const { name, label, defaultBinaryField, isOptional, show } = parameter;
	const lowerCase = label.toLowerCase();
	const none: INodePropertyOptions = { name: 'None', value: 'none' };
	const initialSource = isOptional ? none.value : 'binary';
	const isBinary = { ...show, [`${name}Source`]: ['binary'] };
	const fileOfNode = `{{ $('Node with the File').item.binary.${defaultBinaryField} }}`;
	const binaryField = {
		displayName: `${label} Binary Field`,
		name: `${name}BinaryField`,
		type: 'string',
		required: true,
		default: defaultBinaryField,
	} as const;
	return [
		{
			displayName: `${label} Source`,
			name: `${name}Source`,
			type: 'options',
			noDataExpression: true,
			options: [
				{ name: 'Base64 Text', value: 'base64' },
				{ name: 'Binary Field', value: 'binary' },
				...(isOptional ? [none] : []),
			],
			default: initialSource,
			description: `Where the ${lowerCase} comes from`,
			displayOptions: { show },
		},
		{
			...binaryField,
			placeholder: `e.g. ${defaultBinaryField}`,
			hint: `The name of the input binary field containing the ${lowerCase}, or an expression that names a file of an earlier node`,
			displayOptions: { show: isBinary, hide: { '@tool': [true] } },
		},
		{
			...binaryField,
			// A tool has no input item of its own. n8n looks no further once it meets an expression in a condition.
			default: `=${fileOfNode}`,
			placeholder: `e.g. ${fileOfNode}`,
			hint: `An expression that names the file of an earlier node: put its name in place of Node with the File, and that of its binary field in place of ${defaultBinaryField}`,
			displayOptions: { show: { '@tool': [true], ...isBinary } },
		},
		{
			displayName: `${label} Base64`,
			name: `${name}Base64`,
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. {{ $json.image }}',
			description: `The ${lowerCase} as base64 text. A data URI is fine too.`,
			displayOptions: { show: { ...show, [`${name}Source`]: ['base64'] } },
		},
	];
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
