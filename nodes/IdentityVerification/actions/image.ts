import { createHash } from 'node:crypto';

import type {
	IBinaryData,
	INodeProperties,
	INodePropertyOptions,
	NodeOperationError,
} from 'n8n-workflow';

import { isRecord } from '../contract/read';
import type { Image } from '../transport/body';
import { itemError } from '../transport/errors';
import type { ConnectedItem } from '../transport/request';
import { HEAD_BYTES, headOf, isBase64, isImage, otherKind } from './imageContent';
import { isOn, sendOtherFileTypesOption } from './parameters';

/** Multiple of 3, so that each chunk is whole groups of base64. */
const CHUNK_BYTES = 48 * 1024;

/** Shorter base64 is a word, an ID, or what a model made up. */
const MIN_BASE64_LENGTH = 136;

const MAX_NAME_LENGTH = 100;

const USE_AN_IMAGE =
	"Images are JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC and AVIF files. If your service takes other files too, switch on 'Send Other File Types' in the options.";

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

type ImageItem = Pick<ConnectedItem, 'context' | 'itemIndex' | 'isAgentTool'>;

/** Where an image of an item comes from. */
interface ImagePlace extends ImageItem, ImageParameter {
	/** Label of the parameter. */
	field: string;
	/** A file or the name of its field, as the parameter gives it; missing for base64 text. */
	given?: unknown;
	file?: IBinaryData;
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

/** Reads an image whose source can be None. */
export async function readOptionalImage(
	item: ImageItem,
	parameter: ImageParameter,
): Promise<Image | undefined> {
	const source = item.context.getNodeParameter(`${parameter.name}Source`, item.itemIndex);
	return source === 'none' ? undefined : await readImage(item, parameter);
}

/**
 * Finds an image and checks it by its first bytes. The rest of a stored file is read when it is sent.
 * @throws NodeOperationError when there is no image, or it can't be sent
 */
export async function readImage(item: ImageItem, parameter: ImageParameter): Promise<Image> {
	const { name, label } = parameter;
	const isText = item.context.getNodeParameter(`${name}Source`, item.itemIndex) === 'base64';
	const field = `${label} ${isText ? 'Base64' : 'Binary Field'}`;
	const place = { ...item, ...parameter, field };
	return isText ? textImage(place) : await fileImage(place);
}

function textImage(place: ImagePlace): Image {
	const { context, itemIndex, name } = place;
	const given = String(context.getNodeParameter(`${name}Base64`, itemIndex, '') ?? '');
	const values: unknown[] = Object.values(context.getInputData()[itemIndex]?.json ?? {});
	// An expression's value is a copy: keeping the item's own text saves memory.
	const text = (values.find((value): value is string => value === given) ?? given).trim();
	const start = text.startsWith('data:') ? text.indexOf(',') + 1 : 0;
	const base64 = text.slice(start).replace(/\s+/g, '');
	if (!isBase64(base64)) throw unusable(place, 'is not valid base64 text');
	const isShort = base64 && base64.length < MIN_BASE64_LENGTH;
	if (isShort && !isOn(place, sendOtherFileTypesOption)) {
		throw unusable(place, 'is too short to be a picture');
	}
	return imageInMemory(place, base64);
}

function imageInMemory(place: ImagePlace, base64: string): Image {
	assertSendable(place, headOf(base64));
	const identity = createHash('sha256').update(base64, 'base64').digest('hex');
	return { identity, name: fileNameOf(place), toJSON: () => base64 };
}

async function fileImage(parameter: ImagePlace): Promise<Image> {
	const { context, itemIndex, name, label, field } = parameter;
	const value: unknown = context.getNodeParameter(`${name}BinaryField`, itemIndex, '') ?? '';
	const given = typeof value === 'object' ? value : String(value).trim();
	if (parameter.isAgentTool && !isRecord(given)) {
		throw itemError(
			parameter,
			`The ${label.toLowerCase()} is missing: AI agents can't pass files to tools. Set '${field}' to an expression`,
			"Name the file of an earlier node, such as {{ $('Form').item.binary.data }}.",
		);
	}
	const file = findFile(parameter, given);
	const place = { ...parameter, given, file };
	if (!file) throw unusable(place, 'is missing');
	const { id, data } = file;
	if (!id) {
		const isWhole = isBase64(data);
		return imageInMemory(place, isWhole ? data : Buffer.from(data, 'base64').toString('base64'));
	}
	const { head, bytes } = await readStored(context, id).catch(() => {
		throw unusable(place, "cannot be read from n8n's storage");
	});
	assertSendable(place, head);
	const open = async () => await context.helpers.getBinaryStream(id, CHUNK_BYTES);
	// n8n moves an uploaded file to another folder when its execution ends: only its own ID stays.
	return { identity: id.split(/[/:]/).at(-1) ?? id, name: fileNameOf(place), bytes, open };
}

function findFile({ context, itemIndex }: ImageItem, given: unknown): IBinaryData | undefined {
	try {
		const file = context.helpers.assertBinaryData(itemIndex, given as IBinaryData | string);
		return typeof (file.id || file.data) === 'string' ? file : undefined;
	} catch {
		return undefined;
	}
}

/** Size and first bytes of a stored file. */
async function readStored({ helpers }: ImagePlace['context'], id: string) {
	const { fileSize } = await helpers.getBinaryMetadata(id);
	const head: Buffer[] = [];
	let bytes = 0;
	// Leaving the loop closes the stream.
	for await (const chunk of await helpers.getBinaryStream(id, HEAD_BYTES)) {
		head.push(chunk as Buffer);
		bytes += (chunk as Buffer).length;
		if (bytes >= HEAD_BYTES) break;
	}
	return { bytes: fileSize, head: Buffer.concat(head).subarray(0, HEAD_BYTES) };
}

function assertSendable(place: ImagePlace, head: Buffer): void {
	if (head.length === 0) throw unusable(place, 'is empty');
	if (isImage(head) || isOn(place, sendOtherFileTypesOption)) return;
	throw unusable(place, `is ${otherKind(head)}`, USE_AN_IMAGE);
}

function unusable(place: ImagePlace, problem: string, advice?: string): NodeOperationError {
	const { label, field, given } = place;
	const where = given === undefined ? `It comes from '${field}'` : whereFileIs(place);
	const message = `The ${label.toLowerCase()} ${problem}. ${where}`;
	return itemError(place, message, advice ?? `Check '${field}'.`);
}

function whereFileIs(place: ImagePlace): string {
	const { context, itemIndex, isAgentTool, field, file } = place;
	const fileName = fileNameOf(place);
	const name = fileName ? `"${fileName}"` : 'a file without a name';
	const where = `'${field}' ${file ? `points to ${isAgentTool ? 'this file' : name}` : 'names no file'}`;
	// The items of an agent's tool hold what the model has filled in.
	if (isAgentTool) return where;
	const fields = Object.keys(context.getInputData()[itemIndex]?.binary ?? {}).map(shortened);
	const listed =
		fields.length > 0 ? `these binary fields: ${fields.join(', ')}` : 'no binary fields';
	return `${where}. The item has ${listed}`;
}

/** The user decides what an agent's model learns, and a name can be personal data. */
function fileNameOf({ file, isAgentTool }: ImagePlace): string | undefined {
	const name: unknown = file?.fileName;
	return typeof name === 'string' && !isAgentTool ? shortened(name) : undefined;
}

/** In one line, and without the quotes that end it in a message. */
function shortened(text: string): string {
	const name = text.replace(/[\p{Cc}"]+/gu, ' ');
	return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
}
