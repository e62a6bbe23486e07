import { isTextOrNumber } from '../../contract/ids';
import { isRecord } from '../../contract/json';
import { parseUrl } from '../../nodejs';
import type { RemoteFile } from '../../transport/download';
import { distinctName, nameKeyOf, numberedFileName, safeFileName } from './fileName';

export interface RemoteFiles {
	files: RemoteFile[];
	/** How many of them have no web address, or aren't in a list where one is documented. */
	skipped: number;
	/** How many more files there are than count. */
	left: number;
}

/** How many files of an item count. A result usually has a few. */
export const MAX_FILES = 100;

const RESULT_KEYS = ['decision', 'outputFile', 'outputImage', 'files'];

/** The most characters of a web address. A longer one isn't parsed, and doesn't count as one. */
const MAX_ADDRESS_LENGTH = 4_096;

/**
 * A name that an expression can use after a dot. An image with any other name is called `image`.
 */
const FIELD_NAME = /^[a-z]\w{0,63}$/i;

/**
 * Finds the files of a Raw result (`outputFile`, `outputImage`) or of a Simplified one (`files`,
 * some with `image`).
 * @param takenNames file names that the item has already
 * @returns undefined when the item isn't a result
 */
export function remoteFiles(
	json: Record<string, unknown>,
	takenNames: string[] = [],
): RemoteFiles | undefined {
	if (!RESULT_KEYS.some((key) => key in json)) return undefined;
	const simplified = entriesOf(json.files);
	const images = [
		...Object.entries(isRecord(json.outputImage) ? json.outputImage : {}),
		...simplified.flatMap((file) =>
			isImageEntry(file) ? [[file.image, file.fileUrl ?? file.value] as const] : [],
		),
	];
	const reports = [
		...entriesOf(json.outputFile),
		...simplified.filter((file) => !isImageEntry(file)),
	];
	// Reports are first: if an image has the field name of a report, the image is renamed.
	const all = [...reports.map(reportEntry), ...images.flatMap(imageEntry)];
	// Parsing a long address can take a tenth of a second.
	const counted = all.slice(0, MAX_FILES);
	const fields = new Set<string>();
	const fileNames = new Set(takenNames.map(nameKeyOf));
	const files = counted.flatMap(({ field, nameAt, ...file }) => {
		const address = webAddress(file.url);
		if (!address) return [];
		return {
			...file,
			field: distinctName(field, fields, (name, number) => `${name}_${number}`),
			fileName: distinctName(safeFileName(nameAt(address)), fileNames, numberedFileName),
		};
	});
	return { files, skipped: counted.length - files.length, left: all.length - counted.length };
}

/** Anything that isn't a list counts as one entry, so it is reported as skipped. */
function entriesOf(value: unknown): unknown[] {
	if (value === undefined || value === null) return [];
	return Array.isArray(value) ? value : [undefined];
}

function isImageEntry(
	file: unknown,
): file is { image: string; fileUrl?: unknown; value?: unknown } {
	return isRecord(file) && typeof file.image === 'string';
}

/** A file that a result names. Its address isn't parsed yet. */
interface Entry extends Omit<RemoteFile, 'fileName'> {
	nameAt(address: URL): string;
}

function imageEntry([image, url]: readonly [string, unknown]): Entry[] {
	if (typeof url !== 'string' || !url) return [];
	const nameAt = ({ pathname }: URL) => {
		const lastPart = pathname.split('/').at(-1) ?? '';
		return lastPart.includes('.') ? lastPart : image;
	};
	return [{ field: FIELD_NAME.test(image) ? image : 'image', nameAt, isImage: true, url }];
}

function reportEntry(file: unknown, index: number): Entry {
	const { fileName, name, fileUrl } = isRecord(file) ? file : {};
	return {
		field: `file_${index}`,
		nameAt: () => textOrEmpty(fileName ?? name),
		isImage: false,
		url: textOrEmpty(fileUrl),
	};
}

function textOrEmpty(value: unknown): string {
	return isTextOrNumber(value) ? String(value) : '';
}

/**
 * Parses a web address. Undefined if it isn't one: the images of a webhook have none
 * (interface.md#result).
 */
function webAddress(url: string): URL | undefined {
	const isAddress = url.length <= MAX_ADDRESS_LENGTH && /^https?:/i.test(url);
	return isAddress ? parseUrl(url) : undefined;
}
