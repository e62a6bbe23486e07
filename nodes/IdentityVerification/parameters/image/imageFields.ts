import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** The parameters of an image: its source, and where it is in that source. */
export interface ImageParameter {
	/** Start of the parameter names. */
	name: string;
	/** Start of the labels. */
	label: string;
	defaultBinaryField: string;
	isOptional?: boolean;
	show?: NonNullable<INodeProperties['displayOptions']>['show'];
}

/** Parameters for an image that comes from a binary field or as base64 text. */
export function imageFields(parameter: ImageParameter): INodeProperties[] {
	const { name, label, defaultBinaryField, isOptional, show } = parameter;
	const lowerCase = label.toLowerCase();
	const none: INodePropertyOptions = { name: 'None', value: 'none' };
	const initialSource = isOptional ? none.value : 'binary';
	const showFor = (source: string) => ({ ...show, [`${name}Source`]: [source] });
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
			displayOptions: { show: showFor('binary'), hide: { '@tool': [true] } },
		},
		{
			...binaryField,
			// A tool has no input item of its own.
			// `@tool` is first: n8n stops checking at an expression in a condition.
			default: '',
			placeholder: `e.g. ${fileOfNode}`,
			hint: `An expression for a file from an earlier node: replace 'Node with the File' with that node's name, and ${defaultBinaryField} with its binary field`,
			displayOptions: { show: { '@tool': [true], ...showFor('binary') } },
		},
		{
			displayName: `${label} Base64`,
			name: `${name}Base64`,
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. {{ $json.image }}',
			description: `The ${lowerCase} as base64 text. A data URI is fine too.`,
			displayOptions: { show: showFor('base64') },
		},
	];
}
