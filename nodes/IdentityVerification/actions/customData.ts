import type { INodeProperties } from 'n8n-workflow';

import { signCustomData } from '../signedCustomData';
import type { Connection } from '../transport';
import { itemError } from './itemError';
import { readText } from './parameters';

const ADVICE =
	'Use an ID, such as {{ $json.applicantId }}, or turn it into text with JSON.stringify(…).';

/** What comes back with the result of a link (interface.md#hosted-link). */
export const customDataField: INodeProperties = {
	displayName: 'Custom Data',
	name: 'customData',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.applicantId }}',
	description:
		'Your own identifier of the end user, which comes back with the result. Prefer an ID to a name or an e-mail address.',
};

/** Entry of the Options collection; the trigger checks the signature. */
export const signCustomDataOption: INodeProperties = {
	displayName: 'Sign Custom Data',
	name: 'signCustomData',
	type: 'boolean',
	default: false,
	description:
		"Whether to append a signature made with the credential's webhook secret, so that the trigger can tell results of these links from forged ones. Set its Authentication to Signed Custom Data: with another one, Custom Data comes back with the signature at its end.",
};

/**
 * Reads Custom Data, signed where that is asked for.
 * @throws NodeOperationError when it isn't text, or is to be signed and the credential
 * has no webhook secret
 */
export function readCustomData(
	{ context, service }: Connection,
	itemIndex: number,
	profile: string,
): string {
	const value = readText(context, itemIndex, customDataField, ADVICE);
	if (!context.getNodeParameter('options.signCustomData', itemIndex, false)) return value;
	if (service.webhookSecret) return signCustomData(service.webhookSecret, profile, value);
	throw itemError(
		context,
		itemIndex,
		'Custom Data cannot be signed: the credential has no webhook secret',
		'Set Webhook Secret in the credential, then run this item again.',
	);
}
