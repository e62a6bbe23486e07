import type { IWebhookDescription, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { isRecord, parseJson } from '../../contract/json';
import type { LenientReading } from '../../contract/read';
import { readWebhookResult } from '../../contract/result';
import type { WebhookResult } from '../../contract/result';
import { readWebhookSecret } from '../../credential';
import { REFUSAL_CODES, RESULT_PATH, SIGNATURE_HEADER } from '../../delivery/protocol';
import { isSigned } from '../../delivery/signature';
import { routeAll } from '../../result/outputs';
import { webhookItem } from '../../result/webhookItem';
import { RECEIVED, refuse, refuseAndLog } from '../../webhookAnswer';
import type { Refusal } from '../../webhookAnswer';
import { STRONG_SECRET } from './requirements';

/** The endpoint at which a waiting execution receives its result. */
export const RESULT_WEBHOOK: IWebhookDescription = {
	name: 'default',
	httpMethod: 'POST',
	responseMode: 'onReceived',
	responseData: '',
	path: RESULT_PATH,
	isFullPath: true,
	restartWebhook: true,
};

/** The answer to anything that wasn't signed with the credential's webhook secret. */
const NOT_SIGNED: Refusal = {
	status: 401,
	error: 'Only the trigger can deliver a result to this execution.',
	code: REFUSAL_CODES.notSigned,
};

/** The answer to the result of another link. */
const OTHER_LINK: Refusal = {
	status: 409,
	error: 'The execution is waiting for the result of another link.',
	code: REFUSAL_CODES.otherLink,
};

/**
 * Receives the result that an execution waits for. After anything else, the execution keeps
 * waiting. Answers 200 for the result, 400 if it can't be read, 401 without the trigger's
 * signature, and 409 if it belongs to another link.
 * @returns the result on the output of its decision
 */
export async function resume(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const secret = await readWebhookSecret(context);
	if (secret === '') {
		return refuseAndLog(
			context,
			NOT_SIGNED,
			`${STRONG_SECRET.message}: enter one in the credential`,
		);
	}
	const { rawBody }: { rawBody?: Uint8Array } = context.getRequestObject();
	const signature = context.getHeaderData()[SIGNATURE_HEADER];
	if (!rawBody || !isSigned(secret, rawBody, signature)) return refuse(context, NOT_SIGNED);
	const result = readDelivered(rawBody);
	if (!result.ok) return refuse(context, { status: 400, error: 'Not a readable result' });
	const reference = context.evaluateExpression('{{ $json.reference }}', 0);
	if (String(result.value.hosted) !== reference) return refuse(context, OTHER_LINK);
	const { json, branch } = webhookItem(context, result);
	const decisions = routeAll([{ item: { json, pairedItem: { item: 0 } }, branch }]);
	// No Result, the first output, gets none.
	return { webhookResponse: RECEIVED, workflowData: [[], ...decisions] };
}

/** Reads the body of a delivery from the bytes that were signed, whatever n8n has made of them. */
function readDelivered(bytes: Uint8Array): LenientReading<WebhookResult> {
	const delivered = parseJson(new TextDecoder().decode(bytes));
	const { json, isRepaired } = isRecord(delivered) ? delivered : {};
	return readWebhookResult({ json, isRepaired: isRepaired !== false });
}
