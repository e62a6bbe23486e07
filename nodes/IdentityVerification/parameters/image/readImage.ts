import { createHash } from 'node:crypto';

import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { isRecord } from '../../contract/json';
import { nodeError } from '../../errors/nodeErrors';
import { canceledBefore } from '../../errors/requestErrors';
import { HEAD_BYTES, kindOf } from '../../fileKind';
import type { ConnectedItem } from '../../item';
import { PIECE_BYTES } from '../../transport/body';
import type { Image } from '../../transport/requestFields';
import type { Interruption } from '../../transport/requestFailure';
import { Transfer } from '../../transport/transfer';
import { enteredAt, isOn } from '../readParameters';
import { sendOtherFileTypesOption } from '../sharedFields';
import { MIN_BASE64_LENGTH, MIN_BASE64_LENGTH_OF_OTHERS, readBase64 } from './base64';
import type { Base64Reading } from './base64';
import { isCutOff } from './completeness';
import { sourcesOf } from './imageFields';
import type { ImageParameter } from './imageFields';
import { fileNameOf, needsExpression, unusable } from './imageProblems';
import type { ImagePlace } from './imageProblems';

/** Where to look for a file. */
interface Wanted extends Pick<ImagePlace, 'subject' | 'field'> {
	/** Path of the parameter that names its binary field. */
	path: string;
}

/** The part of a stored file that is read to check it. */
interface StoredFile {
	kind: 'file';
	bytes: number;
	head: Buffer;
}

/** Reads an image whose source can be None. */
export async function readOptionalImage(
	item: ConnectedItem,
	parameter: ImageParameter,
): Promise<Image | undefined> {
	return readSource(item, parameter) === 'none' ? undefined : await readImage(item, parameter);
}

/**
 * Finds an image and checks it. An image in memory is checked completely, a stored one only by its
 * first bytes, because the rest is read when it is sent.
 * @throws NodeOperationError when there is no image, or it can't be sent
 */
export async function readImage(item: ConnectedItem, parameter: ImageParameter): Promise<Image> {
	const { name, label } = parameter;
	const { context, itemIndex } = item;
	const subject = `The ${label.toLowerCase()}`;
	if (readSource(item, parameter) === 'base64') {
		const given: unknown = context.getNodeParameter(`${name}Base64`, itemIndex, '') ?? '';
		return textImage({ ...item, subject, field: `'${label} Base64'`, isFile: false }, given);
	}
	const path = `${name}BinaryField`;
	const given: unknown = context.getNodeParameter(path, itemIndex, '');
	return await readFile(item, { subject, field: `'${label} Binary Field'`, path }, given);
}

/** @throws NodeOperationError when the source is unknown */
function readSource(item: ConnectedItem, parameter: ImageParameter): unknown {
	const { name, label } = parameter;
	const source = item.context.getNodeParameter(`${name}Source`, item.itemIndex);
	const offered = sourcesOf(parameter).map(({ value }) => value);
	if (offered.some((value) => value === source)) return source;
	throw nodeError(item, {
		message: `'${label} Source' is not one of ${offered.join(', ')}`,
		advice: `Choose '${label} Source' again.`,
		charge: 'none',
	});
}

/**
 * Finds and checks the file of a binary field in the same way.
 * @param given the name of the field, or an expression's value: a file of an earlier node
 */
export async function readFile(
	item: ConnectedItem,
	{ path, ...wanted }: Wanted,
	given: unknown,
): Promise<Image> {
	const named = isRecord(given) ? given : String(given ?? '').trim();
	const file = findFile(item, named);
	const name = fileNameOf(item, file);
	const place = { ...item, ...wanted, name, isFile: true, entered: enteredAt(item, path) };
	if (item.isAgentTool && !isRecord(named)) throw needsExpression(place);
	const { id, data }: { id?: unknown; data?: unknown } = file ?? {};
	if (typeof id === 'string' && id) return await storedImage(place, id);
	// Its content is in the item, as of a file that a Code node made.
	if (data === undefined || data === null) throw unusable(place, 'missing');
	if (typeof data !== 'string') throw unusable(place, 'notBase64');
	return imageInMemory(place, readBase64(data, 0));
}

function findFile({ context, itemIndex }: ConnectedItem, given: object | string) {
	try {
		return context.helpers.assertBinaryData(itemIndex, given as IBinaryData | string);
	} catch {
		return undefined;
	}
}

function textImage(place: ImagePlace, given: unknown): Image {
	if (typeof given === 'object') throw unusable(place, 'notText');
	const { context, itemIndex } = place;
	const copy = String(given);
	const values: unknown[] = Object.values(context.getInputData()[itemIndex]?.json ?? {});
	// An expression returns a copy; using the item's own text saves memory.
	const text = values.find((value): value is string => value === copy) ?? copy;
	return imageInMemory(place, readBase64(text, minLengthFor(place)), text.length);
}

/** The least number of base64 characters of an image. */
function minLengthFor(place: ImagePlace): number {
	return isOn(place, sendOtherFileTypesOption) ? MIN_BASE64_LENGTH_OF_OTHERS : MIN_BASE64_LENGTH;
}

/**
 * @param characters the length of a given text, which a message states if it isn't complete. For a
 * file, it states the bytes instead.
 */
function imageInMemory(place: ImagePlace, reading: Base64Reading, characters?: number): Image {
	if (reading.kind === 'refused') {
		throw unusable(place, reading.why, { size: characters, found: reading.found });
	}
	const { text, file } = reading;
	assertSendable(place, file.subarray(0, HEAD_BYTES));
	assertWhole(place, file, characters ?? file.length);
	const identity = createHash('sha256').update(file).digest('hex');
	return { identity, name: place.name, toJSON: () => text };
}

async function storedImage(place: ImagePlace, id: string): Promise<Image> {
	const { context } = place;
	const stored = await readStored(place, id);
	if (stored.kind === 'canceled') throw canceledBefore(place);
	if (stored.kind !== 'file') throw unusable(place, 'unreadable');
	const { head, bytes } = stored;
	assertSendable(place, head);
	const open = async () => await context.helpers.getBinaryStream(id, PIECE_BYTES);
	return { identity: identityOf(id), name: place.name, bytes, open };
}

/**
 * Lets a later try recognize a stored file. n8n moves an uploaded file to another folder when its
 * execution ends, so only the last part of its ID stays the same
 * (docs/architecture.md#n8n-binary-id).
 */
function identityOf(id: string): string {
	return id.split(/[/:]/).at(-1) ?? id;
}

/** Reads the beginning of a stored file, unless n8n's storage is silent for the Timeout. */
async function readStored(
	{ context, timeoutMs }: ConnectedItem,
	id: string,
): Promise<StoredFile | Interruption | { kind: 'unreadable' }> {
	const transfer = new Transfer(context.getExecutionCancelSignal(), timeoutMs);
	const reading = readBeginning(context, id, transfer);
	const stored = await transfer.race(reading.catch(() => ({ kind: 'unreadable' as const })));
	transfer.close();
	return stored;
}

/**
 * @param transfer closes the stream when it is interrupted, even if the storage returns the stream
 * later
 */
async function readBeginning(
	{ helpers }: IExecuteFunctions,
	id: string,
	transfer: Transfer,
): Promise<StoredFile> {
	const { fileSize } = await helpers.getBinaryMetadata(id);
	transfer.moved();
	const stream = await helpers.getBinaryStream(id, HEAD_BYTES);
	void transfer.interrupted.then(() => stream.destroy());
	const head: Buffer[] = [];
	let bytes = 0;
	// Leaving the loop closes the stream.
	for await (const chunk of stream) {
		transfer.moved();
		head.push(chunk as Buffer);
		bytes += (chunk as Buffer).length;
		if (bytes >= HEAD_BYTES) break;
	}
	return { kind: 'file', bytes: fileSize, head: Buffer.concat(head).subarray(0, HEAD_BYTES) };
}

function assertSendable(place: ImagePlace, head: Buffer): void {
	if (head.length === 0) throw unusable(place, 'empty');
	const kind = kindOf(head);
	if (kind !== 'image' && !isOn(place, sendOtherFileTypesOption)) throw unusable(place, kind);
	const length = 4 * Math.ceil(head.length / 3);
	if (length < minLengthFor(place)) throw unusable(place, 'tooSmall', { size: head.length });
}

function assertWhole(place: ImagePlace, file: Buffer, size: number): void {
	if (!isCutOff(file) || isOn(place, sendOtherFileTypesOption)) return;
	throw unusable(place, 'cutOff', { size });
}
