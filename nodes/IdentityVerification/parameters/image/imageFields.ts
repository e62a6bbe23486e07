import type { INodeProperties } from 'n8n-workflow';

/** Describes the parameters of an image: its source, and where to find it there. */
export interface ImageParameter {
	/** What the parameter names start with. */
	name: string;
	/** What the labels start with. */
	label: string;
	defaultBinaryField: string;
	isOptional?: boolean;
	show?: NonNullable<INodeProperties['displayOptions']>['show'];
}

/** Parameters for an image that comes from a binary field or as base64 text. */
export function imageFields(parameter: ImageParameter): INodeProperties[] {
	return [
		sourceField(parameter),
		fileField(parameter),
		toolFileField(parameter),
		base64Field(parameter),
	];
}

/** Where an image can come from. */
export function sourcesOf({ isOptional }: ImageParameter) {
	return [
		{ name: 'Base64 Text', value: 'base64' },
		{ name: 'Binary Field', value: 'binary' },
		...(isOptional ? [{ name: 'None', value: 'none' }] : []),
	];
}

function sourceField(parameter: ImageParameter): INodeProperties {
	const { name, label, isOptional, show } = parameter;
	const initialSource = isOptional ? 'none' : 'binary';
	return {
		displayName: `${label} Source`,
		name: `${name}Source`,
		type: 'options',
		noDataExpression: true,
		options: sourcesOf(parameter),
		default: initialSource,
		description: `Where the ${label.toLowerCase()} comes from`,
		displayOptions: { show },
	};
}

function fileField(parameter: ImageParameter): INodeProperties {
	const { label, defaultBinaryField } = parameter;
	return {
		...binaryField(parameter),
		placeholder: `e.g. ${defaultBinaryField}`,
		hint: `The input binary field with the ${label.toLowerCase()}, or an expression for a file from an earlier node`,
		displayOptions: { show: showFor(parameter, 'binary'), hide: { '@tool': [true] } },
	};
}

/** A tool has no input item of its own. */
function toolFileField(parameter: ImageParameter): INodeProperties {
	const { defaultBinaryField } = parameter;
	const fileOfNode = `{{ $('Node with the File').item.binary.${defaultBinaryField} }}`;
	return {
		...binaryField(parameter),
		default: '',
		placeholder: `e.g. ${fileOfNode}`,
		hint: `A file from an earlier node: replace 'Node with the File' with its name, and '${defaultBinaryField}' with its binary field`,
		// `@tool` must be first, because n8n stops checking at an expression in a condition.
		displayOptions: { show: { '@tool': [true], ...showFor(parameter, 'binary') } },
	};
}

function base64Field(parameter: ImageParameter): INodeProperties {
	const { name, label } = parameter;
	return {
		displayName: `${label} Base64`,
		name: `${name}Base64`,
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. {{ $json.image }}',
		description: `The ${label.toLowerCase()} as base64 text. A data URI works, too.`,
		displayOptions: { show: showFor(parameter, 'base64') },
	};
}

function binaryField({ name, label, defaultBinaryField }: ImageParameter) {
	return {
		displayName: `${label} Binary Field`,
		name: `${name}BinaryField`,
		type: 'string',
		required: true,
		default: defaultBinaryField,
	} as const;
}

function showFor({ name, show }: ImageParameter, source: string) {
	return { ...show, [`${name}Source`]: [source] };
}
