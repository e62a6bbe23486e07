import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { SCAN } from '../contract';
import type { ScanRequest } from '../contract';
import { OUTPUTS, outputField, resultItem } from '../resultItem';
import type { Output } from '../resultItem';
import { call, imagesOf } from '../transport';
import type { Connection, RequestFields } from '../transport';
import { readImage, readOptionalImage } from './image';
import { imageFields, sendOtherFileTypesOption } from './imageFields';
import type { ImageParameter } from './imageFields';
import { itemError } from './itemError';
import type { Operation } from './operation';
import { LEFT_OUT_HINT } from './outputHint';
import {
	additionalRequestFields,
	branchField,
	profileField,
	readAdditionalFields,
	readRepeatAfterServerErrors,
	repeatAfterServerErrorsOption,
	requiredText,
} from './parameters';
import { scanSummary } from './scanSummary';

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

/** What a tool puts out goes to the model's provider, so it's as little as possible unless chosen. */
const outputFields: INodeProperties[] = [
	{ ...outputField, displayOptions: { hide: { '@tool': [true] } } },
	{
		...outputField,
		default: 'decisionOnly' satisfies Output,
		description: 'How much of the result to return to the model and store',
		displayOptions: { show: { '@tool': [true] } },
	},
];

/** Reads and checks an identity document in one request (interface.md#scan). */
export const scan: Operation = {
	choice: {
		name: 'Scan',
		value: 'scan',
		action: 'Scan an identity document',
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
		additionalRequestFields,
	],
	options: [
		{
			displayName: 'Low Credit Warning',
			name: 'lowCredit',
			type: 'number',
			noDataExpression: true,
			typeOptions: { minValue: 0 },
			default: 100,
			description: 'Show a hint when fewer credits than this are left after the run. 0 for never.',
		},
		repeatAfterServerErrorsOption,
		sendOtherFileTypesOption,
	],
	async prepare(connection, itemIndex) {
		const { context } = connection;
		const output = readOutput(context, itemIndex);
		const request = await readRequest(connection, itemIndex);
		const options = {
			serverErrorsCostNothing: readRepeatAfterServerErrors(context),
			showsServiceText: output !== 'decisionOnly',
		};
		return {
			requestIdentity: { ...imagesOf(request.own), profile: request.own.profile },
			async run() {
				const result = await call(connection, itemIndex, SCAN, request, options);
				const json = resultItem(result, output);
				return {
					item: { json, pairedItem: { item: itemIndex } },
					hints: json.unreadable ? [LEFT_OUT_HINT] : [],
				};
			},
		};
	},
	summarize(context) {
		const lowCredit = Number(context.getNodeParameter('options.lowCredit', 0, 0));
		return (done) => scanSummary(done, lowCredit);
	},
};

async function readRequest(
	{ context }: Connection,
	itemIndex: number,
): Promise<RequestFields<ScanRequest>> {
	return {
		additional: readAdditionalFields(context, itemIndex, SCAN.fields),
		own: {
			profile: requiredText(context, itemIndex, profileField),
			document: await readImage(context, itemIndex, documentImage),
			face: await readOptionalImage(context, itemIndex, faceImage),
		},
	};
}

/** An imported workflow can hold any value here: only a known one may decide what n8n stores. */
function readOutput(context: IExecuteFunctions, itemIndex: number): Output {
	const value = context.getNodeParameter(outputField.name, itemIndex);
	const known = OUTPUTS.find((output) => output === value);
	if (known) return known;
	const message = 'Output has a value that does not exist';
	throw itemError(context, itemIndex, message, 'Choose Output again for this item.');
}
