import { SCAN } from '../contract';
import type { ScanRequest } from '../contract';
import { imagesOf } from '../transport/body';
import type { RequestFields } from '../transport/body';
import { call } from '../transport/call';
import type { Connection } from '../transport/request';
import { isAgentTool } from '../runtime';
import { readImage, readOptionalImage } from './image';
import { imageFields, sendOtherFileTypesOption } from './imageFields';
import type { ImageParameter } from './imageFields';
import type { ItemOperation } from './operation';
import { LEFT_OUT_HINT } from './outputHint';
import {
	additionalRequestFieldsOption,
	branchField,
	profileField,
	readAdditionalFields,
	readRepeatAfterServerErrors,
	repeatAfterServerErrorsOption,
	requiredText,
} from './parameters';
import { readScanOutput, scanOutputFields } from './scanOutput';
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
		...scanOutputFields,
		branchField,
	],
	options: [
		additionalRequestFieldsOption,
		{
			displayName: 'Low Credit Warning',
			name: 'lowCredit',
			type: 'number',
			noDataExpression: true,
			typeOptions: { minValue: 0 },
			default: 100,
			description:
				'Show a hint when fewer credits than this are left after the run. 0 for never, as without this option.',
		},
		repeatAfterServerErrorsOption,
		sendOtherFileTypesOption,
	],
	async prepare(connection, itemIndex) {
		const { context } = connection;
		const { shape, showsServiceText } = readScanOutput(context, itemIndex);
		const request = await readRequest(connection, itemIndex);
		const options = {
			serverErrorsCostNothing: readRepeatAfterServerErrors(context),
			showsServiceText,
			// What an agent's model gets of a file is up to its user.
			itemName: isAgentTool(context) ? undefined : request.own.document.name,
		};
		return {
			requestIdentity: { ...imagesOf(request.own), profile: request.own.profile },
			async run() {
				const result = await call(connection, itemIndex, SCAN, request, options);
				const json = shape(result);
				return {
					item: { json, pairedItem: { item: itemIndex } },
					hints: json.unreadable ? [LEFT_OUT_HINT] : [],
					credit: result.value.credit ?? undefined,
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
