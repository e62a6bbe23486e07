import type { INodeProperties } from 'n8n-workflow';

import { CREATE_HOSTED_LINK } from '../../contract/endpoints';
import { idText } from '../../contract/text';
import {
	FACE_ONLY_MODE,
	LATEST_LINK_VERSION,
	MODES,
	SIGNATURE_MODE,
} from '../../contract/vocabulary';
import type { Mode } from '../../contract/vocabulary';
import { addAddress } from '../../delivery/address';
import { itemError } from '../../errors/nodeErrors';
import type { ItemContext } from '../../item';
import { CREATE_LINK_OPERATION, LEFT_OUT_HINT } from '../../operation';
import type { ItemOperation } from '../../operation';
import {
	additionalFilesOption,
	identitiesOf,
	readAdditionalFiles,
} from '../../parameters/image/additionalFiles';
import { imageFields } from '../../parameters/image/imageFields';
import type { ImageParameter } from '../../parameters/image/imageFields';
import { readImage } from '../../parameters/image/readImage';
import { isOn, readAdditionalFields, requiredText } from '../../parameters/readParameters';
import {
	additionalRequestFieldsOption,
	profileField,
	repeatAfterServerErrorsOption,
	sendOtherFileTypesOption,
} from '../../parameters/sharedFields';
import { call } from '../../transport/call';
import { executionThatWaits } from '../waitForResult/requirements';
import { customDataField, readCustomData } from './customData';
import { storeQrCode } from './qrCode';

const NO_QR_CODE_HINT = 'A QR code was not an image, or could not be stored as binary data.';

const referenceFace: ImageParameter = {
	name: 'referenceFace',
	label: 'Reference Face',
	defaultBinaryField: 'face',
	show: { mode: [FACE_ONLY_MODE] },
};

/** Request fields that the node sets, which hold no file of the user's own. */
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

const qrCodeOption: INodeProperties = {
	displayName: 'QR Code Binary Field',
	name: 'qrCodeBinaryField',
	type: 'string',
	default: 'qrCode',
	placeholder: 'e.g. qrCode',
	hint: 'The name of the output binary field to put the QR code image in',
};

/** Creates a link with which an end user completes a verification (interface.md#hosted-link). */
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
		'Creates a link with which one person verifies their identity, and returns its url and reference. Every call makes a new link and uses paid credits: call it once for a person, and give the url to that person only. The result of the verification is not returned here.',
	parameters: [
		profileField,
		modeField,
		...imageFields(referenceFace),
		contractSignField,
		customDataField,
	],
	options: [
		additionalFilesOption,
		additionalRequestFieldsOption,
		qrCodeOption,
		repeatAfterServerErrorsOption,
		sendOtherFileTypesOption,
	],
	async prepare(item) {
		const { context, itemIndex, isAgentTool } = item;
		const execution = executionThatWaits(item, itemIndex);
		const customData = readCustomData(item);
		const fields = readAdditionalFields(item, CREATE_HOSTED_LINK.fields);
		const mode = readMode(item);
		const profile = requiredText(item, profileField);
		const face = mode === FACE_ONLY_MODE ? await readImage(item, referenceFace) : undefined;
		const files = await readAdditionalFiles(item, NOT_A_FILE, fields);
		const contractSign =
			mode === SIGNATURE_MODE ? requiredText(item, contractSignField) : undefined;
		const own = {
			customData: execution
				? addAddress(item.service.webhookSecret, profile, customData, execution)
				: customData,
			mode,
			profile,
			referenceFace: face,
			contractSign,
		};
		const additional = { version: LATEST_LINK_VERSION, ...fields, ...files };
		const qrCode = context.getNodeParameter(`options.${qrCodeOption.name}`, itemIndex, '');
		const qrCodeField = String(qrCode ?? '').trim();
		const options = {
			serverErrorsCostNothing: isOn(item, repeatAfterServerErrorsOption),
			showsServiceText: true,
		};
		const named = { ...item, name: nameOf(customData) ?? face?.name };
		return {
			requestIdentity: {
				referenceFace: face?.identity,
				files: identitiesOf(files),
				profile,
				mode,
				contractSign,
			},
			async send() {
				const link = await call(named, CREATE_HOSTED_LINK, { own, additional }, options);
				const { reference, url, qrCode: picture } = link.value;
				const unreadable = link.unreadable.list();
				const isIncomplete = unreadable.length > 0;
				const json = {
					reference: reference?.toString() ?? null,
					url,
					customData,
					// A Wait for Result finds its link by this.
					...(execution && {
						awaitedBy: execution.executionId,
						createdAt: new Date().toISOString(),
					}),
					...(isIncomplete && { unreadable }),
					// A model can't use the picture: it's thousands of characters of base64.
					...(!isAgentTool && { qrCode: picture ?? null }),
				};
				// The link is paid for: it's returned even if its picture can't be stored.
				const stored = qrCodeField
					? await storeQrCode(context, picture ?? '').catch(() => undefined)
					: undefined;
				return {
					item: {
						json,
						...(stored && { binary: { [qrCodeField]: stored } }),
						pairedItem: { item: itemIndex },
					},
					hints: [
						...(isIncomplete ? [LEFT_OUT_HINT] : []),
						...(qrCodeField && !stored ? [NO_QR_CODE_HINT] : []),
					],
				};
			},
		};
	},
};

/** Without a digit, Custom Data could be the name of a person. */
function nameOf(customData: string): string | undefined {
	return (/\d/.test(customData) && idText(customData)) || undefined;
}

/** An expression can give the number as text. */
function readMode(item: ItemContext): Mode {
	const value = String(item.context.getNodeParameter(modeField.name, item.itemIndex) ?? '').trim();
	const known = MODES.find(({ mode }) => String(mode) === value);
	if (known) return known.mode;
	const modes = MODES.map(({ mode }) => mode).join(', ');
	const advice = "Choose 'Mode', or correct its expression for this item.";
	throw itemError(item, `'Mode' is not one of ${modes}`, advice);
}
