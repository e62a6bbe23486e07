import { NodeApiError } from 'n8n-workflow';
import type { IBinaryData, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { download } from '../transport/download';
import { fileNotFetched } from '../transport/errors';
import type { Connection } from '../transport/request';
import { itemError } from './itemError';
import type { ItemOperation } from './operation';
import { positiveNumber } from './parameters';
import { remoteFiles } from './remoteFiles';
import type { RemoteFile } from './remoteFiles';

// How to download an image by its opaque text is not shown (interface.md#not-described).
const SKIPPED =
	'Some files or images were skipped: the result holds no web address for them. Images of a webhook result can be seen in the web portal of the service.';

const WHERE_RESULTS_COME_FROM =
	"Put this behind a Scan Document or an Identity Verification Trigger whose 'Output' is Simplified or Raw.";

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

/** Attaches the files and images of a result that an earlier node put out (interface.md#result). */
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
