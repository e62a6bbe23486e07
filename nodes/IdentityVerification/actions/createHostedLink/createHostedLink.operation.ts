import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { CREATE_HOSTED_LINK } from '../../contract/endpoints';
import type { HostedLink, LinkRequest } from '../../contract/endpoints';
import { idText } from '../../contract/ids';
import { distinct } from '../../contract/read';
import type { Received } from '../../contract/read';
import {
	FACE_ONLY_MODE,
	LATEST_LINK_VERSION,
	MODES,
	SIGNATURE_MODE,
} from '../../contract/vocabulary';
import type { Mode } from '../../contract/vocabulary';
import { addAddress } from '../../delivery/address';
import { nodeError } from '../../errors/nodeErrors';
import type { ConnectedItem, ItemContext } from '../../item';
import { CREATE_LINK_OPERATION, LEFT_OUT_HINT } from '../../operation';
import type { Done, LinkItem, Operation, PaidCall } from '../../operation';
import {
	additionalFilesOption,
	identitiesOf,
	readAdditionalFiles,
} from '../../parameters/image/additionalFiles';
import { imageFields } from '../../parameters/image/imageFields';
import type { ImageParameter } from '../../parameters/image/imageFields';
import { readImage } from '../../parameters/image/readImage';
import { readAdditionalFields, requiredText } from '../../parameters/readParameters';
import {
	additionalRequestFieldsOption,
	maxPaidRequestsField,
	maxPaidRequestsOption,
	maxRateLimitWaitOption,
	profileField,
	sendOtherFileTypesOption,
} from '../../parameters/sharedFields';
import { checkedWaitingExecution } from '../waitForResult/requirements';
import { customDataField, readCustomData } from './customData';
import { storeQrCode } from './qrCode';

const NOT_AWAITED_HINT =
	'A link came without a reference, so Wait for Result cannot wait for it: its result goes to the outputs of the trigger.';

const NO_CUSTOM_DATA_HINT =
	"A link has no Custom Data, so its result says only by the link's reference whose it is. Enter your own ID for the end user.";

const NO_QR_CODE_HINT = 'A QR code was not an image, or could not be stored as binary data.';

const faceParameter: ImageParameter = {
	name: 'referenceFace',
	label: 'Reference Face',
	defaultBinaryField: 'face',
	show: { mode: [FACE_ONLY_MODE] },
};

/** Request fields that the node itself sets, so no additional file may use them. */
const NOT_A_FILE = [...CREATE_HOSTED_LINK.fields, 'version'];

const modeField: INodeProperties = {
	displayName: 'Mode',
	name: 'mode',
	type: 'options',
	options: MODES.map(({ mode, checks, credits }) => ({
		name: `${checks} (${credits} ${credits === 1 ? 'Credit' : 'Credits'})`,
		value: mode,
	})).sort((a, b) => a.name.localeCompare(b.name)),
	default: 0,
	// A model that builds a workflow sees only the values of the options.
	description: `What the end user is asked for: ${describeModes()}. The credits are used when the link is created.`,
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

const qrCodeOption: INodeProperties = {
	displayName: 'QR Code Binary Field',
	name: 'qrCodeBinaryField',
	type: 'string',
	default: 'qrCode',
	placeholder: 'e.g. qrCode',
	hint: 'The name of the output binary field to put the QR code image in',
};

/** Creates a link that an end user opens to complete a verification (interface.md#hosted-link). */
export const linkOperation: Operation = {
	kind: 'link',
	choice: {
		name: 'Create Hosted Link',
		value: CREATE_LINK_OPERATION,
		action: 'Create hosted verification link',
		description:
			'Create a new hosted link for one end user to verify themselves. Uses 1 or 2 credits.',
	},
	toolDescription:
		'Creates a link with which one person verifies their identity, and returns its url and reference. Every call makes a new link and uses paid credits: call it once for a person, and give the url to that person only. The result of the verification is not returned here.',
	parameters: [
		profileField,
		modeField,
		...imageFields(faceParameter),
		contractSignField,
		customDataField,
		maxPaidRequestsField,
	],
	options: [
		additionalFilesOption,
		additionalRequestFieldsOption,
		maxPaidRequestsOption,
		maxRateLimitWaitOption,
		qrCodeOption,
		sendOtherFileTypesOption,
	],
};

/** A link that is left to create. */
export interface LinkTask extends PaidCall<LinkRequest> {
	kind: 'link';
	/** The caller's own value, without the address that is sent with it. */
	customData: string;
	/** ID of the execution that will wait for the result, if one does. */
	awaitedBy: string | undefined;
	/** The binary field for the QR code; empty if it isn't wanted. */
	qrCodeField: string;
}

/**
 * Reads and checks everything that a link needs. Sends nothing.
 * @throws NodeOperationError that names the item, or n8n's own error of an expression
 */
export async function prepareLink(item: ConnectedItem): Promise<LinkTask> {
	const { context, itemIndex, service } = item;
	const execution = checkedWaitingExecution(item);
	const customData = readCustomData(item);
	const fields = readAdditionalFields(item, CREATE_HOSTED_LINK.fields);
	const mode = readMode(item);
	const profile = requiredText(item, profileField);
	const isFaceOnly = mode === FACE_ONLY_MODE;
	const referenceFace = isFaceOnly ? await readImage(item, faceParameter) : undefined;
	const files = await readAdditionalFiles(item, NOT_A_FILE, fields);
	const contractSign = mode === SIGNATURE_MODE ? requiredText(item, contractSignField) : undefined;
	const qrCode = context.getNodeParameter(`options.${qrCodeOption.name}`, itemIndex, '');
	const sentData = execution
		? addAddress(service.webhookSecret, profile, customData, execution)
		: customData;
	return {
		kind: 'link',
		name: nameOf(customData) ?? referenceFace?.name,
		request: {
			own: { customData: sentData, mode, profile, referenceFace, contractSign },
			additional: { version: LATEST_LINK_VERSION, ...fields, ...files },
		},
		showsServiceText: true,
		requestIdentity: {
			referenceFace: referenceFace?.identity,
			files: identitiesOf(files),
			profile,
			mode,
			contractSign,
		},
		customData,
		awaitedBy: execution?.executionId,
		qrCodeField: String(qrCode ?? '').trim(),
	};
}

/**
 * Makes the item of a link. The link is paid for by now, so the item is returned even if its QR code
 * can't be stored.
 */
export async function linkDone(
	item: ConnectedItem,
	{ customData, awaitedBy, qrCodeField }: LinkTask,
	{ value: { reference, url, qrCode = null }, unreadable }: Received<HostedLink>,
): Promise<Done> {
	const { itemIndex, isAgentTool } = item;
	const json: LinkItem = { reference: reference?.toString() ?? null, url, customData };
	const isNamed = reference !== undefined;
	if (awaitedBy !== undefined) {
		if (isNamed) json.awaitedBy = awaitedBy;
		json.createdAt = new Date().toISOString();
	}
	const lacking = isNamed ? unreadable : distinct([...unreadable, 'reference']);
	if (lacking.length > 0) json.unreadable = lacking;
	// A model can't use the QR code, which is thousands of characters of base64 text.
	if (!isAgentTool) json.qrCode = qrCode;
	const hints = lacking.length > 0 ? [LEFT_OUT_HINT] : [];
	if (awaitedBy !== undefined && !isNamed) hints.push(NOT_AWAITED_HINT);
	if (json.awaitedBy === undefined && customData === '') hints.push(NO_CUSTOM_DATA_HINT);
	const linked: INodeExecutionData = { json: { ...json }, pairedItem: { item: itemIndex } };
	if (qrCodeField) {
		const stored = await storeQrCode(item, qrCode ?? '');
		if (stored) linked.binary = { [qrCodeField]: stored };
		else hints.push(NO_QR_CODE_HINT);
	}
	return { item: linked, hints };
}

/** Such as `0 is ID and Face Verification (2 credits)`. */
function describeModes(): string {
	return MODES.map(
		({ mode, checks, credits }) =>
			`${mode} is ${checks} (${credits} ${credits === 1 ? 'credit' : 'credits'})`,
	).join(', ');
}

/**
 * A label for messages. Custom Data without a digit isn't used, because it could be a person's
 * name.
 */
function nameOf(customData: string): string | undefined {
	return (/\d/.test(customData) && idText(customData)) || undefined;
}

/** The mode may be a number or text, because an expression can return either. */
function readMode(item: ItemContext): Mode {
	const value = String(item.context.getNodeParameter(modeField.name, item.itemIndex) ?? '').trim();
	const known = MODES.find(({ mode }) => String(mode) === value);
	if (known) return known.mode;
	throw nodeError(item, {
		message: `'Mode' is not one of ${MODES.map(({ mode }) => mode).join(', ')}`,
		advice: "Choose 'Mode', or correct its expression for this item.",
		charge: 'none',
	});
}
