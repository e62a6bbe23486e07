import { createHash } from 'node:crypto';

import type { IBinaryData, IExecuteFunctions, NodeOperationError } from 'n8n-workflow';

import { isAgentTool } from '../runtime';
import { isRecord } from '../contract';
import type { Image } from '../transport/body';
import { sendOtherFileTypesOption, shortened, whereFileIs } from './imageParameter';
import type { ImageParameter, ImagePlace } from './imageParameter';
import { itemError } from './operation';

/** Multiple of 3, so that each chunk is whole groups of base64. */
const CHUNK_BYTES = 48 * 1024;

/** How many bytes from the start of a file tell its kind. Divisible by three, so that they are whole groups of base64. */
const HEAD_BYTES = 768;

/** Characters of base64 text that hold the first bytes of an image. */
const HEAD_BASE64 = (HEAD_BYTES / 3) * 4;

/** Anything shorter can't be an image: it's a word or an ID, which can be valid base64 too. */
const MIN_BASE64 = 136;

const USE_AN_IMAGE =
	"Images are JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC and AVIF files. If your service takes other files too, switch on 'Send Other File Types' in the options.";

const IMAGE_STARTS = [
	...['\xff\xd8\xff', '\x89PNG\r\n\x1a\n', 'GIF87a', 'GIF89a'],
	// TIFF and BigTIFF
	...['II*\0', 'MM\0*', 'II+\0', 'MM\0+'],
];

/** HEIC, HEIF and AVIF, as the box `ftyp` of the file names them. */
const IMAGE_BRANDS = /^(heic|heix|heim|heis|hevc|hevx|hevm|hevs|mif1|msf1|avif|avis)$/;

/** Lengths of the header that follows the first 14 bytes of a BMP: a text can begin with BM too. */
const BMP_HEADER_LENGTHS = [12, 16, 40, 52, 56, 64, 108, 124];

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
 * Finds the image that the parameters name, and checks it by its first bytes. What is returned holds
 * no image: it is read when the request is sent.
 * @throws NodeOperationError when there is no image, or it is empty, not valid base64, or a file of
 * another kind that isn't to be sent
 */
export async function readImage(
	context: IExecuteFunctions,
	itemIndex: number,
	{ name, label }: ImageParameter,
): Promise<Image> {
	const isText = context.getNodeParameter(`${name}Source`, itemIndex) === 'base64';
	const field = `${label} ${isText ? 'Base64' : 'Binary Field'}`;
	const place = { context, itemIndex, label, name, field };
	return isText ? textImage(place) : await fileImage(place);
}

function textImage(place: ImagePlace): Image {
	const text = base64Text(place);
	const head = Buffer.from(text.slice(0, HEAD_BASE64), 'base64');
	const where = `It comes from '${place.field}'`;
	if (text && !isBase64(text)) throw unusable(place, 'is not valid base64 text', where);
	if (text && text.length < MIN_BASE64 && !sendsOtherFileTypes(place)) {
		throw unusable(place, 'is too short to be a picture', where);
	}
	assertSendable(place, head, where);
	return rereadImage(undefined, sha256(text), async () => base64Text(place));
}

function base64Text({ context, itemIndex, name }: ImagePlace): string {
	const text = String(context.getNodeParameter(`${name}Base64`, itemIndex, '') ?? '').trim();
	return text.slice(text.startsWith('data:') ? text.indexOf(',') + 1 : 0).replace(/\s+/g, '');
}

/** A pattern for the whole text would overflow the stack at some megabytes. */
function isBase64(text: string): boolean {
	return text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.replace(/={1,2}$/, ''));
}

async function fileImage(place: ImagePlace): Promise<Image> {
	const { context, itemIndex } = place;
	const { helpers } = context;
	const file = fileOrField(place);
	if (isAgentTool(context) && typeof file === 'string') throw noFileFromAgent(place);
	const { id, data = '', fileName } = assertFile(place, file);
	const where = whereFileIs(place, file, fileName);
	const imageName = typeof fileName === 'string' ? shortened(fileName) : undefined;
	if (!id) {
		assertSendable(place, Buffer.from(data.slice(0, HEAD_BASE64), 'base64'), where);
		return rereadImage(imageName, sha256(data), async () =>
			(await helpers.getBinaryDataBuffer(itemIndex, fileOrField(place))).toString('base64'),
		);
	}
	const stored = await readStored(context, id).catch(() => {
		throw unusable(place, "cannot be read from n8n's storage", where);
	});
	assertSendable(place, stored.head, where);
	const open = async () => await helpers.getBinaryStream(id, CHUNK_BYTES);
	return { identity: stableIdOf(id), name: imageName, bytes: stored.bytes, open };
}

/** An image whose parameter is read anew when it is sent: its expression can give another one then. */
function rereadImage(
	name: string | undefined,
	identity: string,
	read: () => Promise<string>,
): Image {
	const text = async () => {
		const base64 = await read();
		if (sha256(base64) !== identity) throw new Error('The image is not the one that was checked');
		return base64;
	};
	return { identity, name, text };
}

/** n8n moves an uploaded file to another folder when its execution ends: only its own ID stays. */
function stableIdOf(id: string): string {
	return id.split(/[/:]/).at(-1) ?? id;
}

/** A file, if an expression gives one, or the name of a field; n8n checks what is in it. */
function fileOrField(place: ImagePlace): IBinaryData | string {
	const { context, itemIndex, name, field } = place;
	const value: unknown = context.getNodeParameter(`${name}BinaryField`, itemIndex, '');
	if (isFile(value)) return value;
	if (!Array.isArray(value)) return String(value ?? '').trim();
	throw unusable(place, 'is missing', `'${field}' is a list, not a field or a file`);
}

function isFile(value: unknown): value is IBinaryData {
	return isRecord(value);
}

function assertFile(place: ImagePlace, file: IBinaryData | string): IBinaryData {
	const found = foundFile(place, file);
	if (found && typeof (found.id || found.data) === 'string') return found;
	throw unusable(place, 'is missing', whereFileIs(place, file));
}

function foundFile({ context, itemIndex }: ImagePlace, file: IBinaryData | string) {
	try {
		return context.helpers.assertBinaryData(itemIndex, file);
	} catch {
		return undefined;
	}
}

/** Size and first bytes of a stored file. */
async function readStored({ helpers }: IExecuteFunctions, id: string) {
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

function assertSendable(place: ImagePlace, head: Buffer, where: string): void {
	if (head.length === 0) throw unusable(place, 'is empty', where);
	if (isImage(head) || sendsOtherFileTypes(place)) return;
	const kind = otherKind(head);
	const problem = kind ? `is ${kind}, not an image` : 'is not an image that the node knows';
	throw unusable(place, problem, where, USE_AN_IMAGE);
}

/** Only a real true: an expression can give the text "false". */
function sendsOtherFileTypes({ context, itemIndex }: ImagePlace): boolean {
	const option = `options.${sendOtherFileTypesOption.name}`;
	return context.getNodeParameter(option, itemIndex, false) === true;
}

function unusable(
	{ context, itemIndex, label, field }: ImagePlace,
	problem: string,
	where: string,
	advice = `Check '${field}'.`,
): NodeOperationError {
	const message = `The ${label.toLowerCase()} ${problem}. ${where}`;
	return itemError(context, itemIndex, message, advice);
}

function noFileFromAgent({ context, itemIndex, label, field }: ImagePlace): NodeOperationError {
	return itemError(
		context,
		itemIndex,
		`The ${label.toLowerCase()} is missing: AI agents can't pass files to tools. Set '${field}' to an expression`,
		"Name the file of an earlier node, such as {{ $('Form').item.binary.data }}.",
	);
}

/** The SHA-256 of the image in a base64 text, in hexadecimal digits. */
function sha256(base64: string): string {
	return createHash('sha256').update(base64, 'base64').digest('hex');
}

/** Whether a file with this start is a JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC, HEIF or AVIF. */
function isImage(head: Buffer): boolean {
	const start = head.toString('latin1');
	return (
		IMAGE_STARTS.some((image) => start.startsWith(image)) ||
		(start.startsWith('RIFF') && start.startsWith('WEBP', 8)) ||
		(start.startsWith('BM') &&
			head.length >= 18 &&
			BMP_HEADER_LENGTHS.includes(head.readUInt32LE(14))) ||
		brandsOf(head, start).some((brand) => IMAGE_BRANDS.test(brand))
	);
}

function brandsOf(head: Buffer, start: string): string[] {
	if (!start.startsWith('ftyp', 4) || head.length < 16) return [];
	const size = head.readUInt32BE(0);
	// Size 1 means that the real size, 8 bytes long, follows the box's name.
	const brands =
		size === 1 ? start.slice(16, Number(head.readBigUInt64BE(8))) : start.slice(8, size);
	return brands.match(/.{4}/gs) ?? [];
}

/** What a file with this start is, when it's no image; undefined when that can't be told. */
function otherKind(head: Buffer): string | undefined {
	const text = head.toString('utf8');
	if (text.startsWith('%PDF-')) return 'a PDF file';
	return isPlainText(text) ? 'a text file' : undefined;
}

/** The last letter may be cut in the middle. */
function isPlainText(text: string): boolean {
	return !/[^\P{Cc}\s]|\ufffd./su.test(text);
}
