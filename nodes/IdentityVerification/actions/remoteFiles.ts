import { isRecord, isWebAddress } from '../contract';

const MAX_NAME_LENGTH = 200;

/** A file of a result, and how it is attached to the item. */
export interface RemoteFile {
	/** Name of the binary field. */
	field: string;
	/** Without path parts. */
	fileName: string;
	url: string;
}

/**
 * Finds the files and images of a result item, in the form of Raw (`outputFile`, `outputImage`) or of Simplified
 * (`files`, where an image is one that names itself under `image`).
 * @returns undefined when the item isn't a result; `skipped` counts entries without a web address
 */
export function remoteFiles(
	json: Record<string, unknown>,
): { files: RemoteFile[]; skipped: number } | undefined {
	const { outputFile, outputImage } = json;
	const isResult = ['decision', 'outputFile', 'outputImage', 'files'].some((key) => key in json);
	if (!isResult) return undefined;
	const raw: unknown[] = Array.isArray(outputFile) ? outputFile : [];
	const files: unknown[] = Array.isArray(json.files) ? json.files : [];
	const images = [
		...Object.entries(isRecord(outputImage) ? outputImage : {}),
		...files.filter(isImage).map(({ image, fileUrl, value }) => [image, fileUrl ?? value] as const),
	];
	const reports = [...raw, ...files.filter((file) => !isImage(file))];
	const candidates = [...images.flatMap(imageFile), ...reports.map(reportFile)];
	const found = candidates.filter(({ url }) => isWebAddress(url));
	return { files: found, skipped: candidates.length - found.length };
}

function isImage(file: unknown): file is { image: string; fileUrl?: unknown; value?: unknown } {
	return isRecord(file) && typeof file.image === 'string';
}

function imageFile([key, value]: readonly [string, unknown]): RemoteFile[] {
	if (typeof value !== 'string' || !value) return [];
	const lastPart = isWebAddress(value) ? (new URL(value).pathname.split('/').at(-1) ?? '') : '';
	return [{ field: key, fileName: safeName(lastPart.includes('.') ? lastPart : key), url: value }];
}

function reportFile(file: unknown, index: number): RemoteFile {
	const { fileName, name, fileUrl } = isRecord(file) ? file : {};
	return {
		field: `file_${index}`,
		fileName: safeName(String(fileName ?? name ?? '')),
		url: String(fileUrl ?? ''),
	};
}

/** A name can't lead out of a folder, hide a file or its type, or hold what a disk refuses. */
function safeName(name: string): string {
	const lastPart = name.split(/[\\/]/).at(-1) ?? '';
	const end = lastPart.replace(/[\p{C}<>:"|?*]/gu, '').slice(-MAX_NAME_LENGTH);
	return end.replace(/^[\p{Cs}.\s]+|[.\s]+$/gu, '') || 'file';
}
