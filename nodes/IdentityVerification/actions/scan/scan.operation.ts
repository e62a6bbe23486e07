import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { SCAN } from '../../contract/endpoints';
import { DECISIONS, KNOWN_DATA_KEYS } from '../../contract/vocabulary';
import { outputField, resultItem } from '../../resultItem';
import type { ItemJson, Output } from '../../resultItem';
import { call } from '../../transport/call';
import type { ConnectedItem } from '../../transport/request';
import { additionalFilesOption, identitiesOf, readAdditionalFiles } from '../../parameters/image/additionalFiles';
import { imageFields } from '../../parameters/image/imageFields';
import type { ImageParameter } from '../../parameters/image/imageFields';
import { readImage, readOptionalImage } from '../../parameters/image/readImage';
import { LEFT_OUT_HINT } from '../../operation';
import type { Done, ItemOperation } from '../../operation';
import {
	additionalRequestFieldsOption,
	branchField,
	isOn,
	profileField,
	readAdditionalFields,
	readOutput,
	repeatAfterServerErrorsOption,
	requiredText,
	sendOtherFileTypesOption,
} from '../../parameters/readParameters';

/** An agent's tool can return chosen fields of Simplified. */
const SELECTED_FIELDS = 'selectedFields';

/** Prefix of a document field's name. */
const DOCUMENT_FIELD = 'fields.';

/** What the model can't act without. */
const ALWAYS_SELECTED = ['decision', 'transactionId', 'unrecognizedDecision', 'unreadable'];

const SELECTABLE = [
	{ name: 'Details', value: 'details' },
	{ name: 'Files', value: 'files' },
	{ name: 'Missing Fields', value: 'missingFields' },
	{ name: 'Sanctions', value: 'sanctions' },
	{ name: 'Warnings', value: 'warnings' },
	...KNOWN_DATA_KEYS.map((name) => ({
		name: `Document: ${titleOf(name)}`,
		value: DOCUMENT_FIELD + name,
	})),
].sort((a, b) => a.name.localeCompare(b.name));

/** What a tool returns goes to the model's provider, so the default is the least. */
const outputFields: INodeProperties[] = [
	{ ...outputField, displayOptions: { hide: { '@tool': [true] } } },
	{
		...outputField,
		options: [
			...outputField.options,
			{
				name: 'Selected Fields',
				value: SELECTED_FIELDS,
				description: 'The decision, the transaction ID and the fields that you choose',
			},
		].sort((a, b) => a.name.localeCompare(b.name)),
		default: 'decisionOnly' satisfies Output,
		description: 'How much of the result to return to the model and store',
		displayOptions: { show: { '@tool': [true] } },
	},
	{
		displayName: 'Fields',
		name: SELECTED_FIELDS,
		type: 'multiOptions',
		noDataExpression: true,
		options: SELECTABLE,
		default: [],
		description: 'What to return besides the decision and the transaction ID',
		displayOptions: { show: { '@tool': [true], [outputField.name]: [SELECTED_FIELDS] } },
	},
];

const UNRECOGNIZED = 'without a recognized decision';
const FAILED = 'failed';

const documentImage: ImageParameter = {
	name: 'document',
	label: 'Document Image',
	defaultBinaryField: 'data',
};

const faceImage: ImageParameter = {
	name: 'face',
	label: 'Face Image',
	defaultBinaryField: 'face',
	isOptional: true,
};

/** Reads and checks an identity document in one request (interface.md#scan). */
export const scan: ItemOperation = {
	kind: 'items',
	choice: {
		name: 'Scan Document',
		value: 'scan',
		action: 'Scan identity document',
		description: 'Check an image of an identity document, optionally against a face. Uses credits.',
	},
	toolDescription:
		'Checks the image of an identity document that the workflow holds, and returns the decision: accept, review or reject. Every call uses paid credits: call it once for a document.',
	branches: true,
	parameters: [
		profileField,
		...imageFields(documentImage),
		...imageFields(faceImage),
		...outputFields,
		branchField,
	],
	options: [
		additionalFilesOption,
		additionalRequestFieldsOption,
		repeatAfterServerErrorsOption,
		sendOtherFileTypesOption,
	],
	async prepare(item) {
		const { itemIndex } = item;
		const selection = readSelection(item);
		const output = selection ? 'simplified' : readOutput(item);
		const fields = readAdditionalFields(item, SCAN.fields);
		const profile = requiredText(item, profileField);
		const document = await readImage(item, documentImage);
		const face = await readOptionalImage(item, faceImage);
		const files = await readAdditionalFiles(item, SCAN.fields, fields);
		const request = { own: { profile, document, face }, additional: { ...fields, ...files } };
		const options = {
			serverErrorsCostNothing: isOn(item, repeatAfterServerErrorsOption),
			// It can hold personal data.
			showsServiceText: !selection && output !== 'decisionOnly',
		};
		const named = { ...item, name: document.name };
		return {
			requestIdentity: {
				document: document.identity,
				face: face?.identity,
				files: identitiesOf(files),
				profile,
			},
			async send() {
				const result = await call(named, SCAN, request, options);
				const whole = resultItem(result, output);
				const json = selection ? selected(whole, selection) : whole;
				return {
					item: { json, pairedItem: { item: itemIndex } },
					hints: json.unreadable ? [LEFT_OUT_HINT] : [],
					credit: result.value.credit ?? undefined,
				};
			},
		};
	},
	summarize,
};

/** The fields that an agent's tool returns; undefined where Output decides. */
function readSelection({ context, itemIndex, isAgentTool }: ConnectedItem): string[] | undefined {
	const output = context.getNodeParameter(outputField.name, itemIndex);
	if (output !== SELECTED_FIELDS || !isAgentTool) return undefined;
	const chosen: unknown[] = [context.getNodeParameter(SELECTED_FIELDS, itemIndex, [])].flat();
	return SELECTABLE.map(({ value }) => value).filter((value) => chosen.includes(value));
}

function selected(item: ItemJson, selection: string[]): ItemJson {
	const keys = [...ALWAYS_SELECTED, ...selection];
	const fields = Object.entries(item.fields ?? {}).filter(([name]) =>
		selection.includes(DOCUMENT_FIELD + name),
	);
	return {
		...Object.fromEntries(Object.entries(item).filter(([key]) => keys.includes(key))),
		// A text that isn't a documented decision could hold anything.
		...(item.unrecognizedDecision === true && { decision: null }),
		...(selection.some((value) => value.startsWith(DOCUMENT_FIELD)) && {
			fields: Object.fromEntries(fields) as object,
		}),
	};
}

/** Such as `Country Iso2` for `countryIso2`. */
function titleOf(name: string): string {
	const words = name.replace(/[A-Z]/g, ' $&').replace(/^dob\b|\bId$/, (word) => word.toUpperCase());
	return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Says where to look: the editor shows the first output, which can be empty. */
function summarize(done: Done[]): string[] {
	if (done.length === 0) return [];
	const outcomes = done.map(({ item }) => outcomeOf(item));
	const counts = [...DECISIONS, UNRECOGNIZED, FAILED]
		.map((name) => ({ name, count: outcomes.filter((outcome) => outcome === name).length }))
		.filter(({ count }) => count > 0)
		.map(({ name, count }) => `${count} ${name}`);
	// Parallel answers arrive in any order: the lowest figure is the newest.
	const [credit] = done.flatMap((each) => each.credit ?? []).sort((a, b) => a - b);
	const left = credit === undefined ? '' : `; ${credit} credits left`;
	const documents = done.length === 1 ? '1 document' : `${done.length} documents`;
	return [`${documents}: ${counts.join(', ')}${left}.`];
}

function outcomeOf({ error, json }: INodeExecutionData): unknown {
	if (error) return FAILED;
	return json.unrecognizedDecision ? UNRECOGNIZED : json.decision;
}
