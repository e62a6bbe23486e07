import type { IWebhookFunctions } from 'n8n-workflow';

import { isId } from '../contract/ids';
import { isRecord } from '../contract/json';
import type { ParsedBody } from '../contract/read';
import { openAddress } from './address';
import type { AwaitedCustomData } from './address';
import { deliver } from './deliver';
import { notDelivered } from './notDelivered';
import type { Delivery } from './notDelivered';
import { resumeEndpoint } from './resumeEndpoint';

/**
 * Finds out which execution waits for a result, and delivers it.
 * @param body the body of the result, in which Custom Data is the caller's own value alone
 * @param customData Custom Data as the service returned it
 * @param provenSecret the webhook secret that the sender has proved to know, if any
 */
export async function openAndDeliver(
	context: IWebhookFunctions,
	body: ParsedBody,
	customData: AwaitedCustomData,
	provenSecret: string | undefined,
): Promise<Delivery> {
	// Anyone who has seen Custom Data could post any decision with it.
	if (provenSecret === undefined) return notDelivered('unproven');
	if (customData.kind === 'damaged') return notDelivered('damaged');
	const { profileId } = isRecord(body.json) ? body.json : {};
	if (!isId(profileId)) return notDelivered('unopened');
	const execution = openAddress(provenSecret, String(profileId), customData);
	if (!execution) return notDelivered('unopened');
	const endpoint = resumeEndpoint(context);
	if (endpoint === undefined) return notDelivered('senderGone');
	return await deliver(endpoint, execution, body, provenSecret);
}
