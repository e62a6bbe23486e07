import type { IBinaryKeyData, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { isRecord } from '../../contract/json';
import { nodeError } from '../../errors/nodeErrors';
import type { ConnectedItem, ItemContext } from '../../item';
import { keepsFilesInJson } from '../../n8n/thisN8n';
import type { Done, Operation } from '../../operation';
import { positiveNumber, readText } from '../../parameters/readParameters';
import type { RemoteFile } from '../../transport/download';
import { MAX_FILES, remoteFiles } from './remoteFiles';
import type { RemoteFiles } from './remoteFiles';

// The interface doesn't document how to fetch an image by its opaque text
// (interface.md#not-described).
const SKIPPED =
	'Some files or images were skipped: the result has no usable web address for them. The images of a webhook result are in the web portal of the service.';

const ONLY_THE_FIRST = `Some items have more than ${MAX_FILES} files or images. Only the first ${MAX_FILES} of each were downloaded.`;

const WHERE_RESULTS_COME_FROM =
	"Put this after a Scan Document, a Wait for Result or an Identity Verification Trigger whose 'Output' is Simplified or Raw.";

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
export const downloadOperation: Operation = {
	kind: 'downloads',
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
};

/** How many items are worked on at a time. The files of an item are fetched one after another. */
export const PARALLEL_DOWNLOADS = 4;

/** Files that are left to download, which costs nothing. */
export interface DownloadsTask {
	kind: 'downloads';
	files: RemoteFile[];
	/** Of each file. */
	maxBytes: number;
	/** What the output panel says about files that aren't downloaded. */
	hints: string[];
}

/**
 * Finds the files of an item, and checks that they can be attached. Sends nothing.
 * @throws NodeOperationError that names the item, or n8n's own error of an expression
 */
export function prepareDownloads(item: ConnectedItem): DownloadsTask {
	const { context, itemIndex } = item;
	const own = ownFiles(item);
	const found = remoteFiles(inputOf(item).json, own.fileNames);
	if (!found) {
		const message = 'The item contains no files or images of a result';
		throw nodeError(item, { message, advice: WHERE_RESULTS_COME_FROM, charge: 'none' });
	}
	const files = withPrefix(item, found.files);
	refuseTakenFields(item, files, own.fields);
	return {
		kind: 'downloads',
		files,
		maxBytes: positiveNumber(context, maxFileSizeOption, itemIndex) * 1024 * 1024,
		hints: hintsAbout(found),
	};
}

/** Makes the item to which the files are attached. */
export function downloadsDone(
	item: ConnectedItem,
	{ hints }: DownloadsTask,
	fetched: IBinaryKeyData,
): Done {
	const { json, binary } = inputOf(item);
	const pairedItem = { item: item.itemIndex };
	return { item: { json, binary: { ...binary, ...fetched }, pairedItem }, hints };
}

function inputOf({ context, itemIndex }: ItemContext): INodeExecutionData {
	return context.getInputData()[itemIndex] ?? { json: {} };
}

/** What the item's own files are called, which n8n can keep in its JSON. */
function ownFiles(item: ItemContext): { fields: string[]; fileNames: string[] } {
	const { json, binary } = inputOf(item);
	const inJson = keepsFilesInJson(item.context) && isRecord(json._files) ? json._files : {};
	const files = Object.entries({ ...inJson, ...binary });
	return {
		fields: files.map(([field]) => field),
		fileNames: files.map(([, file]) => (isRecord(file) ? String(file.fileName ?? '') : '')),
	};
}

function hintsAbout({ skipped, left }: RemoteFiles): string[] {
	return [...(skipped > 0 ? [SKIPPED] : []), ...(left > 0 ? [ONLY_THE_FIRST] : [])];
}

/** @throws NodeOperationError when the prefix isn't text */
function withPrefix(item: ItemContext, files: RemoteFile[]): RemoteFile[] {
	const { name, displayName } = binaryFieldPrefixOption;
	const prefix = readText(item, { name: `options.${name}`, displayName }).trim();
	return files.map((file) => ({ ...file, field: `${prefix}${file.field}` }));
}

/**
 * Refuses instead of renaming: under another name, an expression such as `$binary.front` would find
 * the wrong file.
 * @param ownFields the fields of the item's own files
 * @throws NodeOperationError when a file would replace one of them
 */
function refuseTakenFields(item: ItemContext, files: RemoteFile[], ownFields: string[]): void {
	const taken = files.filter(({ field }) => ownFields.includes(field));
	if (taken.length === 0) return;
	const fields = taken.map(({ field }) => `'${field}'`).join(', ');
	const message = `The item already has a file in ${fields}, where a file of the result would go`;
	const advice = "To keep both, set 'Binary Field Prefix' in the options, for example to result_.";
	throw nodeError(item, { message, advice, charge: 'none' });
}
