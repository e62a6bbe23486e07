import type {
	IBinaryData,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import {
	CREATE_HOSTED_LINK,
	FACE_ONLY_MODE,
	LATEST_LINK_VERSION,
	MODES,
	SIGNATURE_MODE,
} from '../contract';
import type { HostedLink, LinkRequest, Mode, Received } from '../contract';
import { isAgentTool } from '../runtime';
import { imagesOf } from '../transport/body';
import type { RequestFields } from '../transport/body';
import { call } from '../transport/call';
import { idText } from '../transport/errors';
import type { Connection } from '../transport/request';
import { addAddress } from '../waiting/address';
import type { WaitingExecution } from '../waiting/address';
import { executionThatWaits } from '../waiting/awaitedLink';
import { readImage } from './image';
import { imageFields, sendOtherFileTypesOption } from './imageParameter';
import type { ImageParameter } from './imageParameter';
import { CREATE_LINK_OPERATION, LEFT_OUT_HINT, itemError } from './operation';
import type { Done, ItemOperation } from './operation';
import {
	additionalRequestFieldsOption,
	profileField,
	readAdditionalFields,
	readRepeatAfterServerErrors,
	readText,
	repeatAfterServerErrorsOption,
	requiredText,
} from './parameters';

const DATA_URI = /^data:(image\/[\w.+-]+);base64,(.*)$/s;

/** How the base64 text of an image file begins. */
const SIGNATURES: ReadonlyArray<[start: string, mimeType: string]> = [
	['iVBORw0KGgo', 'image/png'],
	['/9j/', 'image/jpeg'],
	['R0lGOD', 'image/gif'],
];

const NO_QR_CODE_HINT = 'A QR code was not an image, or could not be stored as binary data.';

const referenceFace: ImageParameter = {
	name: 'referenceFace',
	label: 'Reference Face',
	defaultBinaryField: 'face',
	show: { mode: [FACE_ONLY_MODE] },
};

const modeField: INodeProperties = {
	displayName: 'Mode',
	name: 'mode',
	type: 'options',
	options: MODES.map(({ mode, checks, credits }) => ({
		name: `${checks} (${credits} ${credits === 1 ? 'Credit' : 'Credits'})`,
		value: mode,
	})).sort((a, b) => a.name.localeCompare(b.name)),
	default: 0,
	description: 'What the end user is asked for. The credits are used when the link is created.',
};

const contractSignField: INodeProperties = {
	displayName: 'Contract Template ID',
	name: 'contractSign',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. tpl_123',
	description: 'ID of the contract template that the end user signs',
	displayOptions: { show: { mode: [SIGNATURE_MODE] } },
};

/** What comes back with the result of a link (interface.md#hosted-link). */
const customDataField: INodeProperties = {
	displayName: 'Custom Data',
	name: 'customData',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.applicantId }}',
	description:
		'Your own identifier of the end user, which comes back with the result. Prefer an ID to a name or an e-mail address.',
};

const CUSTOM_DATA_ADVICE =
	'Use an ID, such as {{ $json.applicantId }}, or turn it into text with JSON.stringify(…).';

const qrCodeOption: INodeProperties = {
	displayName: 'QR Code Binary Field',
	name: 'qrCodeBinaryField',
	type: 'string',
	default: 'qrCode',
	placeholder: 'e.g. qrCode',
	hint: 'The name of the output binary field to put the QR code image in',
};

/** Creates a link under which an end user completes a verification (interface.md#hosted-link). */
export const createHostedLink: ItemOperation = {
	kind: 'items',
	choice: {
		name: 'Create Hosted Link',
		value: CREATE_LINK_OPERATION,
		action: 'Create hosted verification link',
		description:
			'Create a new hosted link for one end user to verify themselves. Uses 1 or 2 credits.',
	},
	toolDescription:
		'Creates a link under which one person verifies their identity, and returns its url and reference. Every call makes a new link and uses paid credits: call it once for a person, and give the url to that person only. The result of the verification does not come back here.',
	parameters: [
		profileField,
		modeField,
		...imageFields(referenceFace),
		contractSignField,
		customDataField,
	],
	options: [
		additionalRequestFieldsOption,
		qrCodeOption,
		repeatAfterServerErrorsOption,
		{ ...sendOtherFileTypesOption, displayOptions: { show: { '/mode': [FACE_ONLY_MODE] } } },
	],
	async prepare(connection, itemIndex) {
		const { context } = connection;
		const execution = executionThatWaits(connection, itemIndex);
		const customData = readText(context, itemIndex, customDataField, CUSTOM_DATA_ADVICE);
		const request = await readRequest(connection, itemIndex, customData, execution);
		const { profile, mode } = request.own;
		const qrCodeField = String(
			context.getNodeParameter(`options.${qrCodeOption.name}`, itemIndex, '') ?? '',
		).trim();
		const options = {
			serverErrorsCostNothing: readRepeatAfterServerErrors(context),
			showsServiceText: true,
			itemName: nameOf(customData) ?? request.own.referenceFace?.name,
		};
		return {
			requestIdentity: { ...imagesOf(request.own), profile, mode },
			async run() {
				const link = await call(connection, itemIndex, CREATE_HOSTED_LINK, request, options);
				const awaited = execution && {
					customData,
					awaitedBy: execution.executionId,
					createdAt: new Date().toISOString(),
				};
				return await linkItem(context, itemIndex, link, { qrCodeField, awaited });
			},
		};
	},
};

/** Without a digit, Custom Data could be the name of a person. */
function nameOf(customData: string): string | undefined {
	return (/\d/.test(customData) && idText(customData)) || undefined;
}

async function readRequest(
	connection: Connection,
	itemIndex: number,
	customData: string,
	execution: WaitingExecution | undefined,
): Promise<RequestFields<LinkRequest>> {
	const { context, service } = connection;
	const mode = readMode(context, itemIndex);
	const profile = requiredText(context, itemIndex, profileField);
	return {
		additional: {
			version: LATEST_LINK_VERSION,
			...readAdditionalFields(context, itemIndex, CREATE_HOSTED_LINK.fields),
		},
		own: {
			customData: execution
				? addAddress(service.webhookSecret, profile, customData, execution)
				: customData,
			mode,
			profile,
			...(mode === FACE_ONLY_MODE && {
				referenceFace: await readImage(context, itemIndex, referenceFace),
			}),
			...(mode === SIGNATURE_MODE && {
				contractSign: requiredText(context, itemIndex, contractSignField),
			}),
		},
	};
}

/** Converts a mode that an expression gave as text. Otherwise, the request would lack the fields that its mode needs. */
function readMode(context: IExecuteFunctions, itemIndex: number): Mode {
	const value = String(context.getNodeParameter(modeField.name, itemIndex) ?? '').trim();
	const known = MODES.find(({ mode }) => String(mode) === value);
	if (known) return known.mode;
	throw itemError(
		context,
		itemIndex,
		`'Mode' is not one of ${MODES.map(({ mode }) => mode).join(', ')}`,
		"Choose 'Mode', or correct its expression for this item.",
	);
}

interface LinkOptions {
	/** Binary field for the QR code; empty where it isn't asked for. */
	qrCodeField: string;
	/** What a Wait for Result finds its link by. */
	awaited?: { customData: string; awaitedBy: string; createdAt: string };
}

/** The item of a new hosted link (interface.md#hosted-link). */
export async function linkItem(
	context: IExecuteFunctions,
	itemIndex: number,
	{ value: { reference, url, qrCode }, unreadable }: Received<HostedLink>,
	{ qrCodeField, awaited }: LinkOptions,
): Promise<Done> {
	const isIncomplete = unreadable.length > 0;
	const hints = isIncomplete ? [LEFT_OUT_HINT] : [];
	const item: INodeExecutionData = {
		json: {
			reference: reference?.toString() ?? null,
			url,
			// A model can't use the picture, and would be sent some thousand characters of base64.
			...(!isAgentTool(context) && { qrCode: qrCode ?? null }),
			...awaited,
			...(isIncomplete && { unreadable }),
		},
		pairedItem: { item: itemIndex },
	};
	if (!qrCodeField) return { item, hints };
	// The link is paid for: it's returned even if its picture can't be stored.
	const binary = await qrCodeBinary(context, qrCode ?? '').catch(() => undefined);
	return binary
		? { item: { ...item, binary: { [qrCodeField]: binary } }, hints }
		: { item, hints: [...hints, NO_QR_CODE_HINT] };
}

/**
 * Stores the `qrCode` of a hosted link (interface.md#hosted-link) as binary data.
 * @returns undefined when it is neither a data URI nor the base64 text of an image: its form isn't shown
 */
async function qrCodeBinary(
	{ helpers }: IExecuteFunctions,
	qrCode: string,
): Promise<IBinaryData | undefined> {
	const [, type, content] = DATA_URI.exec(qrCode) ?? [];
	const base64 = content ?? qrCode;
	const mimeType = type ?? SIGNATURES.find(([start]) => base64.startsWith(start))?.[1];
	if (!mimeType) return undefined;
	const extension = mimeType.replace(/^image\/(\w+).*$/, '$1');
	return await helpers.prepareBinaryData(
		Buffer.from(base64, 'base64'),
		`qr-code.${extension}`,
		mimeType,
	);
}
