import type { INodeProperties } from 'n8n-workflow';

import { signCustomData } from '../signedCustomData';
import type { Connection } from '../transport/request';
import { addAddress } from '../waiting/address';
import type { WaitingExecution } from '../waiting/address';
import { itemError } from './operation';
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
		"Whether to append a signature made with the credential's webhook secret, so that the trigger can tell results of these links from forged ones. Set its 'Authentication' to Signed Custom Data: with another one, 'Custom Data' comes back with the signature at its end.",
};

/**
 * Reads Custom Data.
 * @throws NodeOperationError when it isn't text
 */
export function readCustomData({ context }: Connection, itemIndex: number): string {
	return readText(context, itemIndex, customDataField, ADVICE);
}

/**
 * Custom Data as the service gets it: with the address of the execution that waits for the result, or signed
 * where that is asked for. An address is a proof, too.
 * @throws NodeOperationError when it is to be signed and the credential has no webhook secret
 */
export function customDataToSend(
	{ context, service: { webhookSecret } }: Connection,
	itemIndex: number,
	profile: string,
	value: string,
	execution: WaitingExecution | undefined,
): string {
	if (execution) return addAddress(webhookSecret, profile, value, execution);
	if (!context.getNodeParameter('options.signCustomData', itemIndex, false)) return value;
	if (webhookSecret) return signCustomData(webhookSecret, profile, value);
	throw itemError(
		context,
		itemIndex,
		"'Custom Data' cannot be signed: the credential has no webhook secret",
		"Set 'Webhook Secret' in the credential, then run this item again.",
	);
}
