import { NodeOperationError } from 'n8n-workflow';
import type {
	IBinaryData,
	IExecuteFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import { isAgentTool } from '../agentTool';
import { isRecord } from '../contract';
import type { Image } from '../transport';

/** Multiple of 3, so that each chunk is whole groups of base64. */
const CHUNK_BYTES = 48 * 1024;

/** Less is no picture but a word or an ID, which can be valid base64 too. */
const MIN_BASE64 = 136;

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

/** Reads an image whose source can be None; throws as `readImage` does. */
export async function readOptionalImage(
	context: IExecuteFunctions,
	itemIndex: number,
	parameter: ImageParameter,
): Promise<Image | undefined> {
	const source = context.getNodeParameter(`${parameter.name}Source`, itemIndex);
	return source === 'none' ? undefined : await readImage(context, itemIndex, parameter);
}

/**
 * Reads the image that the parameters name, as a stream where n8n stores it outside memory.
 * @throws NodeOperationError when there is no image, it is empty, or its base64 isn't valid
 */
export async function readImage(
	context: IExecuteFunctions,
	itemIndex: number,
	{ name, label }: ImageParameter,
): Promise<Image> {
	const parameter = (suffix: string): unknown =>
		context.getNodeParameter(`${name}${suffix}`, itemIndex, '');
	const isText = parameter('Source') === 'base64';
	const image = isText
		? withoutPrefix(String(parameter('Base64')).trim()).replace(/\s+/g, '')
		: await fromBinaryField(context, itemIndex, parameter('BinaryField'));
	if (image === undefined) throw noFile(context, itemIndex, label);
	const problem = typeof image === 'string' ? problemOf(image, isText) : undefined;
	if (problem === undefined) return image;
	throw new NodeOperationError(
		context.getNode(),
		`The ${label.toLowerCase()} ${problem} [item ${itemIndex}]`,
		{ itemIndex, description: `Check what ${label} Source points to. Nothing was sent.` },
	);
}

function withoutPrefix(text: string): string {
	return text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text;
}

function problemOf(base64: string, isText: boolean): string | undefined {
	if (base64 === '') return 'is empty';
	// A pattern for the whole text would overflow the stack at some megabytes.
	const isValid = base64.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(base64.replace(/={1,2}$/, ''));
	if (!isValid) return 'is not valid base64 text';
	return isText && base64.length < MIN_BASE64 ? 'is too short to be a picture' : undefined;
}

/** Returns undefined when a tool has no file, or only the name of a field. */
async function fromBinaryField(
	context: IExecuteFunctions,
	itemIndex: number,
	parameter: unknown,
): Promise<Image | undefined> {
	const { helpers } = context;
	if (isAgentTool(context) && !isFile(parameter)) return undefined;
	const file = isFile(parameter) ? parameter : String(parameter).trim();
	const { id } = helpers.assertBinaryData(itemIndex, file);
	if (!id) return (await helpers.getBinaryDataBuffer(itemIndex, file)).toString('base64');
	const { fileSize } = await helpers.getBinaryMetadata(id);
	if (fileSize === 0) return '';
	return { bytes: fileSize, open: async () => await helpers.getBinaryStream(id, CHUNK_BYTES) };
}

/** Tells a file from a name; n8n checks what is in it. */
function isFile(parameter: unknown): parameter is IBinaryData {
	return isRecord(parameter);
}

function noFile(context: IExecuteFunctions, itemIndex: number, label: string): NodeOperationError {
	return new NodeOperationError(
		context.getNode(),
		`The ${label.toLowerCase()} is missing: an AI agent hands its tools no files, so ${label} Binary Field has to be an expression that names one [item ${itemIndex}]`,
		{
			itemIndex,
			description: "Name the file of an earlier node, such as {{ $('Form').item.binary.data }}.",
		},
	);
}
