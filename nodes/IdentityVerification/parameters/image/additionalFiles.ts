import type { INodeProperties } from 'n8n-workflow';

import { isRecord } from '../../contract/json';
import { nodeError } from '../../errors/nodeErrors';
import type { ConnectedItem } from '../../item';
import type { Image } from '../../transport/requestFields';
import { additionalRequestFieldsOption } from '../sharedFields';
import { forMessage } from './imageProblems';
import { readFile } from './readImage';

/** A file as entered in the option. */
interface Entry {
	requestField: string;
	binaryField: unknown;
	/** Path of the parameter that `binaryField` is read from. */
	path: string;
}

/** Images of a request, keyed by their request field. */
type AdditionalFiles = Record<string, Image>;

/** Files for request fields that the interface doesn't document, such as the back of a document. */
export const additionalFilesOption: INodeProperties = {
	displayName: 'Additional Files',
	name: 'additionalFiles',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add File',
	default: {},
	description:
		'Further files to send as base64 text, such as the back of a document, if your service accepts them. Each is checked and sent like the image of the operation.',
	options: [
		{
			displayName: 'File',
			name: 'files',
			values: [
				{
					displayName: 'Request Field',
					name: 'requestField',
					type: 'string',
					default: '',
					placeholder: 'e.g. documentBack',
					description: 'The name of the request field in which your service expects this file',
				},
				{
					displayName: 'Binary Field',
					name: 'binaryField',
					type: 'string',
					default: '',
					placeholder: 'e.g. back',
					hint: 'The input binary field with the file, or an expression for a file from an earlier node',
				},
			],
		},
	],
};

const OPTION = `'${additionalFilesOption.displayName}'`;

/**
 * Finds and checks the files of Additional Files in the same way as `readImage`.
 * @param own the operation's own request fields
 * @param additional what Additional Request Fields sends
 * @throws NodeOperationError when the option has no file, a file can't be sent, or its request field
 * is empty or set twice
 */
export async function readAdditionalFiles(
	item: ConnectedItem,
	own: readonly string[],
	additional: object,
): Promise<AdditionalFiles> {
	const entries = entriesOf(item);
	const names = entries.map(({ requestField }) => requestField);
	for (const [index, name] of names.entries()) {
		const isRepeated = names.indexOf(name) < index;
		const problem = nameProblem(name, isRepeated, own, additional);
		if (problem) {
			throw nodeError(item, {
				message: `${OPTION} ${problem}`,
				advice: `Correct ${OPTION} in the options for this item.`,
				charge: 'none',
			});
		}
	}
	const files: Array<[string, Image]> = [];
	for (const { requestField, binaryField, path } of entries) {
		const subject = `The file for ${quoted(requestField)}`;
		const field = `'Binary Field' of ${OPTION}`;
		files.push([requestField, await readFile(item, { subject, field, path }, binaryField)]);
	}
	return Object.fromEntries(files);
}

/** Lets a later try recognize the files. Undefined if there are none. */
export function identitiesOf(files: AdditionalFiles): Record<string, string> | undefined {
	const identities = Object.entries(files).map(([name, { identity }]) => [name, identity]);
	return identities.length > 0 ? Object.fromEntries(identities) : undefined;
}

function entriesOf(item: ConnectedItem): Entry[] {
	const name = `options.${additionalFilesOption.name}`;
	const value: unknown = item.context.getNodeParameter(name, item.itemIndex, null);
	if (value === null) return [];
	const entries: unknown = isRecord(value) ? value.files : undefined;
	// n8n turns anything but a list of files, such as an expression, into an empty option.
	if (!Array.isArray(entries) || entries.length === 0) {
		throw nodeError(item, {
			message: `${OPTION} has no file`,
			advice: `Add a file to ${OPTION}, or remove it from the options. It cannot be an expression.`,
			charge: 'none',
		});
	}
	return entries.filter(isRecord).map((entry, index) => ({
		requestField: isText(entry.requestField) ? String(entry.requestField).trim() : '',
		binaryField: entry.binaryField,
		path: `${name}.files[${index}].binaryField`,
	}));
}

function isText(value: unknown): boolean {
	return typeof value === 'string' || typeof value === 'number';
}

function nameProblem(
	name: string,
	isRepeated: boolean,
	own: readonly string[],
	additional: object,
): string | undefined {
	if (!name) return 'has a file without a request field';
	if (own.includes(name)) return `cannot set ${quoted(name)}`;
	if (isRepeated) return `sets ${quoted(name)} twice`;
	if (!Object.hasOwn(additional, name)) return undefined;
	return `sets ${quoted(name)}, and so does '${additionalRequestFieldsOption.displayName}'`;
}

function quoted(requestField: string): string {
	return `'${forMessage(requestField)}'`;
}
