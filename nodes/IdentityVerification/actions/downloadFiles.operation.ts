import { NodeApiError } from 'n8n-workflow';
import type { IBinaryData, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { isRecord, isWebAddress } from '../contract';
import { download } from '../transport/download';
import { fileNotFetched } from '../transport/errors';
import type { Connection } from '../transport/request';
import { itemError } from './operation';
import type { ItemOperation } from './operation';
import { positiveNumber } from './parameters';

// How to download an image by its opaque text is not shown (interface.md#not-described).
const SKIPPED =
	'Some files or images were skipped: the result holds no web address for them. Images of a webhook result can be seen in the web portal of the service.';

const WHERE_RESULTS_COME_FROM =
	"Put this behind a Scan Document or an Identity Verification Trigger whose 'Output' is Simplified or Raw.";

/** In characters. */
const MAX_NAME_LENGTH = 200;

/** In megabytes. */
const DEFAULT_MAX_FILE_SIZE = 100;

const maxFileSizeOption: INodeProperties = {
	displayName: 'Max File Size (MB)',
	name: 'maxFileSize',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: DEFAULT_MAX_FILE_SIZE,
	description: `An item with a larger file fails. Defaults to ${DEFAULT_MAX_FILE_SIZE}.`,
};

/** A file of a result, and how it is attached to the item. */
interface RemoteFile {
	/** Name of the binary field. */
	field: string;
	/** Without path parts. */
	fileName: string;
	url: string;
}

/** Attaches the files and images of a result that an earlier node returned (interface.md#result). */
export const downloadFiles: ItemOperation = {
	kind: 'items',
	choice: {
		name: 'Download Files',
		value: 'downloadFiles',
		action: 'Download files of result',
		description: 'Attach the reports and images of a scan or webhook result as binary data',
	},
	parameters: [
		{
			displayName: `${WHERE_RESULTS_COME_FROM} Each file is added to its item as a binary field.`,
			name: 'downloadFilesNotice',
			type: 'notice',
			default: '',
		},
	],
	options: [maxFileSizeOption],
	async prepare(connection, itemIndex) {
		const { context } = connection;
		const item: INodeExecutionData = context.getInputData()[itemIndex] ?? { json: {} };
		const { files, skipped } = remoteFiles(item.json) ?? noResult(context, itemIndex);
		const maxBytes = positiveNumber(context, itemIndex, maxFileSizeOption) * 1024 * 1024;
		return {
			async run() {
				const fetched: Array<[string, IBinaryData]> = [];
				for (const file of files) {
					fetched.push([file.field, await attach(connection, itemIndex, file, maxBytes)]);
				}
				return {
					item: {
						json: item.json,
						binary: { ...item.binary, ...Object.fromEntries(fetched) },
						pairedItem: { item: itemIndex },
					},
					hints: skipped > 0 ? [SKIPPED] : [],
				};
			},
		};
	},
};

async function attach(
	connection: Connection,
	itemIndex: number,
	{ url, fileName }: RemoteFile,
	maxBytes: number,
): Promise<IBinaryData> {
	const { context } = connection;
	const { stream, mimeType } = await download(connection, itemIndex, url, maxBytes);
	return await context.helpers
		.prepareBinaryData(stream, fileName, mimeType)
		.catch((error: unknown) => {
			if (error instanceof NodeApiError) throw error;
			const item = { node: context.getNode(), itemIndex };
			throw fileNotFetched(item, 'it did not arrive whole, or n8n could not store it');
		})
		.finally(() => stream.destroy());
}

function noResult(context: Connection['context'], itemIndex: number): never {
	const message = 'The item holds no files or images of a result';
	throw itemError(context, itemIndex, message, WHERE_RESULTS_COME_FROM);
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
