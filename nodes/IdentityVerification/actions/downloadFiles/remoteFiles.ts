import { isRecord } from '../../contract/json';
import { isTextOrNumber, isWebAddress } from '../../contract/text';
import type { RemoteFile } from '../../transport/download';
import { distinctName, keyOf, numberedFileName, safeFileName } from './fileName';

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
	const simplified = listOf(json.files);
	const images = [
		...Object.entries(isRecord(json.outputImage) ? json.outputImage : {}),
		...simplified.flatMap((file) =>
			isImage(file) ? [[file.image, file.fileUrl ?? file.value] as const] : [],
		),
	];
	const reports = [...listOf(json.outputFile), ...simplified.filter((file) => !isImage(file))];
	// The reports come first: if an image has the field name of a report, the image is renamed.
	const all = [...reports.map(reportFile), ...images.flatMap(imageFile)];
	const found = all.filter(({ url }) => isWebAddress(url));
	const fields = new Set<string>();
	const fileNames = new Set(takenNames.map(keyOf));
	const files = found.slice(0, MAX_FILES).map(({ field, fileName, url }) => ({
		field: distinctName(field, fields, (name, number) => `${name}_${number}`),
		fileName: distinctName(safeFileName(fileName), fileNames, numberedFileName),
		url,
	}));
	return { files, skipped: all.length - found.length, left: found.length - files.length };
}

/** Anything that isn't a list counts as one entry, so it is reported as skipped. */
function listOf(value: unknown): unknown[] {
	if (value === undefined || value === null) return [];
	return Array.isArray(value) ? value : [undefined];
}

function isImage(file: unknown): file is { image: string; fileUrl?: unknown; value?: unknown } {
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
		fileName: textOf(fileName ?? name),
		url: textOf(fileUrl),
	};
}

function textOf(value: unknown): string {
	return isTextOrNumber(value) ? String(value) : '';
}
