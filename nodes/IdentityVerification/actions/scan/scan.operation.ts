import type { INodeProperties } from 'n8n-workflow';

import { SCAN } from '../../contract/endpoints';
import type { ScanRequest } from '../../contract/endpoints';
import type { Received } from '../../contract/read';
import type { ScanResult } from '../../contract/result';
import type { ConnectedItem } from '../../item';
import { LEFT_OUT_HINT } from '../../operation';
import type { Done, Operation, PaidCall } from '../../operation';
import {
	additionalFilesOption,
	identitiesOf,
	readAdditionalFiles,
} from '../../parameters/image/additionalFiles';
import { imageFields } from '../../parameters/image/imageFields';
import type { ImageParameter } from '../../parameters/image/imageFields';
import { readImage, readOptionalImage } from '../../parameters/image/readImage';
import { readAdditionalFields, readOutputOf, requiredText } from '../../parameters/readParameters';
import {
	additionalRequestFieldsOption,
	branchField,
	maxPaidRequestsField,
	maxPaidRequestsOption,
	maxRateLimitWaitOption,
	profileField,
	sendOtherFileTypesOption,
	stopBelowCreditsOption,
} from '../../parameters/sharedFields';
import { documentFieldsField, outputField } from '../../result/outputField';
import type { OUTPUTS, Output } from '../../result/outputField';
import { resultItem } from '../../result/resultItem';

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

/** What a tool returns goes to the model's provider, so its default returns as little as possible. */
const outputFields: INodeProperties[] = [
	{ ...outputField, displayOptions: { hide: { '@tool': [true] } } },
	{
		...outputField,
		default: 'decisionOnly' satisfies (typeof OUTPUTS)[number],
		description: 'How much of the result to return to the model and store',
		displayOptions: { show: { '@tool': [true] } },
	},
	documentFieldsField,
];

/** Reads and checks an identity document in one request (interface.md#scan). */
export const scanOperation: Operation = {
	kind: 'scan',
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
		maxPaidRequestsField,
	],
	options: [
		additionalFilesOption,
		additionalRequestFieldsOption,
		maxPaidRequestsOption,
		maxRateLimitWaitOption,
		sendOtherFileTypesOption,
		stopBelowCreditsOption,
	],
};

/** A scan that is left to do. */
export interface ScanTask extends PaidCall<ScanRequest> {
	kind: 'scan';
	/** How much of the result goes into the item. */
	output: Output;
}

/**
 * Reads and checks everything that a scan needs. Sends nothing.
 * @throws NodeOperationError that names the item, or n8n's own error of an expression
 */
export async function prepareScan(item: ConnectedItem): Promise<ScanTask> {
	const output = readOutputOf(item);
	const fields = readAdditionalFields(item, SCAN.fields);
	const profile = requiredText(item, profileField);
	const document = await readImage(item, documentImage);
	const face = await readOptionalImage(item, faceImage);
	const files = await readAdditionalFiles(item, SCAN.fields, fields);
	return {
		kind: 'scan',
		name: document.name,
		request: { own: { profile, document, face }, additional: { ...fields, ...files } },
		// The service's own text can contain personal data.
		showsServiceText: output === 'simplified' || output === 'raw',
		requestIdentity: {
			document: document.identity,
			face: face?.identity,
			files: identitiesOf(files),
			profile,
		},
		output,
	};
}

/** Makes the item of a scan. The scan is paid for by now. */
export function scanDone(
	{ itemIndex }: ConnectedItem,
	{ output }: ScanTask,
	result: Received<ScanResult>,
): Done {
	const { json, branch } = resultItem(result, output);
	return {
		item: { json, pairedItem: { item: itemIndex } },
		hints: json.unreadable ? [LEFT_OUT_HINT] : [],
		branch,
	};
}
