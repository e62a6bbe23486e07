import { isRecord } from '../../contract/json';
import { listIn } from '../../contract/lists';
import { isWebAddress } from '../../contract/text';
import { DistinctNames } from './distinctNames';
import type { NamingRules } from './distinctNames';
import { FILE_NAMING, safeFileName } from './fileName';

/** A file of a result, and how it is attached to the item. */
export interface RemoteFile {
	/** The binary field: `front`, `back` or `face` of an image, `file_0`, `file_1` … of a report. */
	field: string;
	/** Distinct among the item's files. */
	fileName: string;
	url: string;
}

export interface RemoteFiles {
	files: RemoteFile[];
	/** How many entries have no web address, or aren't in a list where one is documented. */
	skipped: number;
}

const RESULT_KEYS = ['decision', 'outputFile', 'outputImage', 'files'];

/**
 * A name that an expression can use after a dot. An image with any other name is called `image`.
 */
const FIELD_NAME = /^[a-z]\w{0,63}$/i;

const FIELD_NAMING: NamingRules = {
	keyOf: (name) => name,
	numbered: (name, number) => `${name}_${number}`,
};

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
	const fields = new DistinctNames(FIELD_NAMING);
	const fileNames = new DistinctNames(FILE_NAMING, takenNames);
	const files = found.map(({ field, fileName, url }) => ({
		field: fields.add(field),
		fileName: fileNames.add(safeFileName(fileName)),
		url,
	}));
	return { files, skipped: all.length - found.length };
}

/** Anything that isn't a list counts as one entry, so it is reported as skipped. */
function listOf(value: unknown): unknown[] {
	if (value === undefined || value === null) return [];
	return listIn(value)?.elements ?? [undefined];
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
		fileName: String(fileName ?? name ?? ''),
		url: String(fileUrl ?? ''),
	};
}
