import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { nodeError } from '../../errors/nodeErrors';
import type { ItemContext } from '../../item';
import type { ItemOperation } from '../../operation';
import { positiveNumber, readText } from '../../parameters/readParameters';
import type { RemoteFile } from '../../transport/download';
import { MAX_FILES, remoteFiles } from './remoteFiles';
import type { RemoteFiles } from './remoteFiles';
import { takenNames } from './takenNames';
import type { TakenNames } from './takenNames';

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
	// The files of an item are fetched one after another.
	parallel: 4,
	async prepare(item) {
		const { context, itemIndex } = item;
		const input: INodeExecutionData = context.getInputData()[itemIndex] ?? { json: {} };
		const { json, binary } = input;
		const taken = takenNames(context, input);
		const found = remoteFiles(json, taken.fileNames);
		if (!found) {
			const message = 'The item contains no files or images of a result';
			throw nodeError(item, { message, advice: WHERE_RESULTS_COME_FROM, charge: 'none' });
		}
		const files = withPrefix(item, found.files);
		refuseTakenFields(item, files, taken);
		return {
			kind: 'downloads',
			files,
			maxBytes: positiveNumber(context, maxFileSizeOption, itemIndex) * 1024 * 1024,
			toDone: (fetched) => ({
				item: {
					json,
					binary: { ...binary, ...fetched },
					pairedItem: { item: itemIndex },
				},
				hints: hintsOf(found),
			}),
		};
	},
};

function hintsOf({ skipped, left }: RemoteFiles): string[] {
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
 * @throws NodeOperationError when a file would replace one that the item already has
 */
function refuseTakenFields(
	item: ItemContext,
	files: RemoteFile[],
	{ fields: own }: TakenNames,
): void {
	const taken = files.filter(({ field }) => own.includes(field));
	if (taken.length === 0) return;
	const fields = taken.map(({ field }) => `'${field}'`).join(', ');
	const message = `The item already has a file in ${fields}, where a file of the result would go`;
	const advice = "To keep both, set 'Binary Field Prefix' in the options, for example to result_.";
	throw nodeError(item, { message, advice, charge: 'none' });
}
