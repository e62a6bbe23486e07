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
			displayName: `${label} Binary Field`,
			name: `${name}BinaryField`,
			type: 'string',
			required: true,
			default: defaultBinaryField,
			placeholder: `e.g. ${defaultBinaryField}`,
			hint: `The name of the input binary field containing the ${lowerCase}, or an expression that names a file of an earlier node`,
			displayOptions: { show: { ...show, [`${name}Source`]: ['binary'] } },
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
