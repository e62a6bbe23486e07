import { isTextOrNumber } from '../../contract/ids';
import { isRecord } from '../../contract/json';
import { parseUrl } from '../../nodejs';
import type { RemoteFile } from '../../transport/download';
import { distinctName, nameKeyOf, numberedFileName, safeFileName } from './fileName';

export interface RemoteFiles {
	files: RemoteFile[];
	/** How many entries have no web address, or aren't in a list where one is documented. */
	skipped: number;
	/** How many more files there are than are fetched. */
	left: number;
}

/** How many files of an item are fetched. A result usually has a few. */
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
	const all = [...reports.map(reportFile), ...images.flatMap(imageFile)];
	const found = all.filter(({ url }) => isWebAddress(url));
	const fields = new Set<string>();
	const fileNames = new Set(takenNames.map(nameKeyOf));
	const files = found.slice(0, MAX_FILES).map(({ field, fileName, url }) => ({
		field: distinctName(field, fields, (name, number) => `${name}_${number}`),
		fileName: distinctName(safeFileName(fileName), fileNames, numberedFileName),
		url,
	}));
	return { files, skipped: all.length - found.length, left: found.length - files.length };
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

function imageFile([image, url]: readonly [string, unknown]): RemoteFile[] {
	if (typeof url !== 'string' || !url) return [];
	const lastPart = isWebAddress(url) ? (new URL(url).pathname.split('/').at(-1) ?? '') : '';
	const field = FIELD_NAME.test(image) ? image : 'image';
	return [{ field, fileName: lastPart.includes('.') ? lastPart : image, url }];
}

function reportFile(file: unknown, index: number): RemoteFile {
	const { fileName, name, fileUrl } = isRecord(file) ? file : {};
	return {
		field: `file_${index}`,
		fileName: textOrEmpty(fileName ?? name),
		url: textOrEmpty(fileUrl),
	};
}

function textOrEmpty(value: unknown): string {
	return isTextOrNumber(value) ? String(value) : '';
}

/** Whether a value is a web address. The images of a webhook have none (interface.md#result). */
export function isWebAddress(value: unknown): value is string {
	return (
		typeof value === 'string' &&
		value.length <= MAX_ADDRESS_LENGTH &&
		/^https?:/i.test(value) &&
		parseUrl(value) !== undefined
	);
}
