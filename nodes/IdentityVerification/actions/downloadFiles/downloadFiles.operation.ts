import { NodeApiError } from 'n8n-workflow';
import type { IBinaryData, IBinaryKeyData, INodeProperties } from 'n8n-workflow';

import { itemError } from '../../errors/nodeErrors';
import { fileNotFetched } from '../../errors/requestErrors';
import type { ConnectedItem, ItemContext } from '../../item';
import type { ItemOperation } from '../../operation';
import { positiveNumber, readText } from '../../parameters/readParameters';
import { download, incomplete } from '../../transport/download';
import { storedBy } from '../../transport/storing';
import { remoteFiles } from './remoteFiles';
import type { RemoteFile } from './remoteFiles';

// The interface doesn't document how to fetch an image by its opaque text
// (interface.md#not-described).
const SKIPPED =
	'Some files or images were skipped: the result has no web address for them. The images of a webhook result are in the web portal of the service.';

const WHERE_RESULTS_COME_FROM =
	"Put this after a Scan Document, a Wait for Result or an Identity Verification Trigger whose 'Output' is Simplified or Raw.";

const NOT_STORED = 'it arrived incomplete, or n8n could not store it';

const maxFileSizeOption: INodeProperties = {
	displayName: 'Max File Size (MB)',
	name: 'maxFileSize',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 100,
	description: 'An item with a larger file fails. Defaults to 100.',
};

const binaryFieldPrefixOption: INodeProperties = {
	displayName: 'Binary Field Prefix',
	name: 'binaryFieldPrefix',
	type: 'string',
	default: '',
	placeholder: 'e.g. result_',
	description:
		'Text to put before the names of the binary fields, such as front, face and file_0. Use it if the item already has files in fields with these names.',
};

/**
 * Attaches the files and images of a result that an earlier node returned (interface.md#result).
 */
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
	options: [binaryFieldPrefixOption, maxFileSizeOption],
	async prepare(item) {
		const { context, itemIndex } = item;
		const { json, binary = {} } = context.getInputData()[itemIndex] ?? { json: {} };
		const ownNames = Object.values(binary).map(({ fileName }) => String(fileName ?? ''));
		const found = remoteFiles(json, ownNames);
		if (!found) {
			const message = 'The item contains no files or images of a result';
			throw itemError(item, message, WHERE_RESULTS_COME_FROM);
		}
		const files = withPrefix(item, found.files);
		refuseTakenFields(item, files, binary);
		const maxBytes = positiveNumber(item, maxFileSizeOption) * 1024 * 1024;
		return {
			async send() {
				const fetched: Array<[string, IBinaryData]> = [];
				for (const file of files) {
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

/** @throws NodeOperationError when the prefix isn't text */
function withPrefix(item: ItemContext, files: RemoteFile[]): RemoteFile[] {
	const { name, displayName } = binaryFieldPrefixOption;
	const prefix = readText(item, { name: `options.${name}`, displayName }).trim();
	return files.map((file) => ({ ...file, field: `${prefix}${file.field}` }));
}

/**
 * Refuses instead of renaming: under another name, an expression such as `$binary.front` would find
 * the wrong file.
 * @throws NodeOperationError when a file would replace one that the item already has
 */
function refuseTakenFields(item: ItemContext, files: RemoteFile[], binary: IBinaryKeyData): void {
	const taken = files.filter(({ field }) => Object.hasOwn(binary, field));
	if (taken.length === 0) return;
	const fields = taken.map(({ field }) => `'${field}'`).join(', ');
	const message = `The item already has a file in ${fields}, where a file of the result would go`;
	const advice = "To keep both, set 'Binary Field Prefix' in the options, for example to result_.";
	throw itemError(item, message, advice);
}

async function fetchFile(
	item: ConnectedItem,
	{ url, fileName }: RemoteFile,
	maxBytes: number,
): Promise<IBinaryData> {
	const { stream, mimeType, transfer } = await download(item, url, maxBytes);
	const work = item.context.helpers.prepareBinaryData(stream, fileName, mimeType);
	try {
		// n8n's storage can hang even when the whole file has arrived.
		const ended = await storedBy(transfer, work);
		if (ended.kind === 'stored') return ended.binary;
		if (ended.kind === 'failed' && ended.error instanceof NodeApiError) throw ended.error;
		const hasArrived = ended.kind === 'failed' || stream.readableEnded;
		throw hasArrived ? fileNotFetched(item, NOT_STORED) : incomplete(item, ended);
	} finally {
		// Lets the connection serve other requests.
		if (stream.readableEnded) transfer.complete();
		transfer.close();
		stream.destroy();
	}
}
