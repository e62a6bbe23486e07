import { SCAN } from '../../contract/endpoints';
import { LEFT_OUT_HINT } from '../../operation';
import type { ItemOperation } from '../../operation';
import {
	additionalFilesOption,
	identitiesOf,
	readAdditionalFiles,
} from '../../parameters/image/additionalFiles';
import { imageFields } from '../../parameters/image/imageFields';
import type { ImageParameter } from '../../parameters/image/imageFields';
import { readImage, readOptionalImage } from '../../parameters/image/readImage';
import { readAdditionalFields, requiredText } from '../../parameters/readParameters';
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
import { readScanOutput, scanOutputFields } from './scanOutput';

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
	async prepare(item) {
		const { itemIndex } = item;
		const output = readScanOutput(item);
		const fields = readAdditionalFields(item, SCAN.fields);
		const profile = requiredText(item, profileField);
		const document = await readImage(item, documentImage);
		const face = await readOptionalImage(item, faceImage);
		const files = await readAdditionalFiles(item, SCAN.fields, fields);
		return {
			kind: 'scan',
			name: document.name,
			request: { own: { profile, document, face }, additional: { ...fields, ...files } },
			showsServiceText: output.showsServiceText,
			requestIdentity: {
				document: document.identity,
				face: face?.identity,
				files: identitiesOf(files),
				profile,
			},
			toDone(result) {
				const { json, branch } = output.itemOf(result);
				return {
					item: { json, pairedItem: { item: itemIndex } },
					hints: json.unreadable ? [LEFT_OUT_HINT] : [],
					branch,
					credit: result.value.credit ?? undefined,
				};
			},
		};
	},
};
