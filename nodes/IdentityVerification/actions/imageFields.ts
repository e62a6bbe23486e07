import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

export interface ImageParameter {
	/** Start of the parameter names. */
	name: string;
	/** Start of the labels. */
	label: string;
	defaultBinaryField: string;
	isOptional?: boolean;
	show?: NonNullable<INodeProperties['displayOptions']>['show'];
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
