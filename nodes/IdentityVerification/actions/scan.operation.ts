import type { INodeExecutionData } from 'n8n-workflow';

import { DECISIONS, SCAN } from '../contract';
import type { ScanRequest } from '../contract';
import { imagesOf } from '../transport/body';
import type { RequestFields } from '../transport/body';
import { call } from '../transport/call';
import type { Connection } from '../transport/request';
import { isAgentTool } from '../runtime';
import { readImage, readOptionalImage } from './image';
import { imageFields, sendOtherFileTypesOption } from './imageParameter';
import type { ImageParameter } from './imageParameter';
import { LEFT_OUT_HINT } from './operation';
import type { Done, ItemOperation } from './operation';
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
	options: [additionalRequestFieldsOption, repeatAfterServerErrorsOption, sendOtherFileTypesOption],
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
	summarize,
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

/** How the documents of a run were decided, and how many credits are left; a single item says that itself. */
function summarize(done: Done[]): string[] {
	if (done.length < 2) return [];
	const credit = remainingCredit(done);
	const left = credit === undefined ? '' : `; ${credit} credits left`;
	return [`${done.length} documents: ${counts(done.map(({ item }) => item))}${left}`];
}

function counts(items: INodeExecutionData[]): string {
	const results = items.filter(({ error }) => !error);
	const recognized = results.filter(({ json }) => !json.unrecognizedDecision);
	const decided = DECISIONS.map((decision): [string, number] => [
		decision,
		recognized.filter(({ json }) => json.decision === decision).length,
	]);
	const others: Array<[string, number]> = [
		['without a recognized decision', results.length - recognized.length],
		['failed', items.length - results.length],
	];
	return [...decided, ...others]
		.filter(([, count]) => count > 0)
		.map(([name, count]) => `${count} ${name}`)
		.join(', ');
}

/** Parallel answers arrive in any order: the lowest figure is the newest. */
function remainingCredit(done: Done[]): number | undefined {
	const credits = done.flatMap(({ credit }) => credit ?? []);
	return credits.reduce<number | undefined>(
		(least, credit) => Math.min(least ?? credit, credit),
		undefined,
	);
}
