import { NodeApiError } from 'n8n-workflow';
import type { IBinaryData, INodeProperties } from 'n8n-workflow';

import { isRecord, isWebAddress } from '../contract/read';
import { download } from '../transport/download';
import { fileNotFetched, itemError } from '../transport/errors';
import type { ConnectedItem } from '../transport/request';
import type { ItemOperation } from './operation';
import { positiveNumber } from './parameters';

// How to fetch an image by its opaque text isn't documented (interface.md#not-described).
const SKIPPED =
	'Some files or images were skipped: the result holds no web address for them. The images of a webhook result are in the web portal of the service.';

const WHERE_RESULTS_COME_FROM =
	"Put this after a Scan Document, a Wait for Result or an Identity Verification Trigger whose 'Output' is Simplified or Raw.";

const RESULT_KEYS = ['decision', 'outputFile', 'outputImage', 'files'];

const MAX_NAME_LENGTH = 200;

const maxFileSizeOption: INodeProperties = {
	displayName: 'Max File Size (MB)',
	name: 'maxFileSize',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 100,
	description: 'An item with a larger file fails. Defaults to 100.',
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
	async prepare(item) {
		const { context, itemIndex } = item;
		const { json, binary } = context.getInputData()[itemIndex] ?? { json: {} };
		const found = remoteFiles(json);
		if (!found) {
			const message = 'The item holds no files or images of a result';
			throw itemError(item, message, WHERE_RESULTS_COME_FROM);
		}
		const maxBytes = positiveNumber(item, maxFileSizeOption) * 1024 * 1024;
		return {
			async run() {
				const fetched: Array<[string, IBinaryData]> = [];
				for (const file of found.files) {
					fetched.push([file.field, await fetchFile(item, file, maxBytes)]);
				}
				return {
					item: {
						json,
						binary: { ...binary, ...Object.fromEntries(fetched) },
						pairedItem: { item: itemIndex },
					},
					hints: found.skipped > 0 ? [SKIPPED] : [],
				};
			},
		};
	},
};

async function fetchFile(
	item: ConnectedItem,
	{ url, fileName }: RemoteFile,
	maxBytes: number,
): Promise<IBinaryData> {
	const { stream, mimeType } = await download(item, url, maxBytes);
	return await item.context.helpers
		.prepareBinaryData(stream, fileName, mimeType)
		.catch((error: unknown) => {
			if (error instanceof NodeApiError) throw error;
			const reason = 'it did not arrive whole, or n8n could not store it';
			throw fileNotFetched(item, reason);
		})
		.finally(() => stream.destroy());
}

/**
 * Finds the files of a Raw result (`outputFile`, `outputImage`) or of a Simplified one (`files`, some with `image`).
 * @returns undefined when the item isn't a result; `skipped` counts entries without a web address
 */
export function remoteFiles(
	json: Record<string, unknown>,
): { files: RemoteFile[]; skipped: number } | undefined {
	if (!RESULT_KEYS.some((key) => key in json)) return undefined;
	const simplified = listOf(json.files);
	const images = [
		...Object.entries(isRecord(json.outputImage) ? json.outputImage : {}),
		...simplified.flatMap((file) =>
			isImage(file) ? [[file.image, file.fileUrl ?? file.value] as const] : [],
		),
	];
	const reports = [...listOf(json.outputFile), ...simplified.filter((file) => !isImage(file))];
	const candidates = [...images.flatMap(imageFile), ...reports.map(reportFile)];
	const files = candidates.filter(({ url }) => isWebAddress(url));
	return { files, skipped: candidates.length - files.length };
}

function listOf(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}

function isImage(file: unknown): file is { image: string; fileUrl?: unknown; value?: unknown } {
	return isRecord(file) && typeof file.image === 'string';
}

function imageFile([field, url]: readonly [string, unknown]): RemoteFile[] {
	if (typeof url !== 'string' || !url) return [];
	const lastPart = isWebAddress(url) ? (new URL(url).pathname.split('/').at(-1) ?? '') : '';
	return [{ field, fileName: safeName(lastPart.includes('.') ? lastPart : field), url }];
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
