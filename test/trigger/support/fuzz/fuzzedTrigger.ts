import type { INodeParameters } from 'n8n-workflow';

import { webhookOf } from '../../../kit/engine/webhook';
import type { Exchanged, Outputs } from '../../../kit/engine/webhook';
import { triggerSetup } from '../../../kit/engine/callTrigger';
import { WEBHOOK_SECRET } from '../../../kit/settings';

export interface Outcome {
	status: number;
	/** What the trigger answered itself. */
	refusal?: unknown;
	/** Items of each output, if the workflow starts. */
	started?: Outputs;
}

/** Takes the bytes of a body. */
type Send = (rawBody: Buffer) => Promise<Outcome>;

/** A trigger in n8n's webhook context that takes bodies without a server between. */
export function fuzzedTrigger(parameters: INodeParameters): Send {
	const { prepare } = webhookOf(triggerSetup({ parameters }));
	return async (rawBody) => {
		const answered: { status: number; body: unknown }[] = [];
		const httpRequest = {
			rawBody,
			// n8n has read it by then.
			readRawBody: async () => undefined,
			once: () => undefined,
			query: { secret: WEBHOOK_SECRET },
			headers: {},
			params: {},
		};
		const exchanged = { httpRequest, httpResponse: recorder(answered) } as unknown;
		const { workflowData: started, noWebhookResponse } = await prepare(exchanged as Exchanged)();
		expect(answered).toHaveLength(noWebhookResponse ? 1 : 0);
		const [answer = { status: 200, body: undefined }] = answered;
		return { status: answer.status, refusal: answer.body, started };
	};
}

function recorder(answered: { status: number; body: unknown }[]) {
	return {
		status: (status: number) => ({
			json: (body: unknown) =>
				void answered.push({ status, body: JSON.parse(JSON.stringify(body)) }),
		}),
	};
}

/** What n8n makes of the bytes of an `application/json` body; `unparsable` for its own 422. */
export function parsedByN8n(bytes: Buffer): { body: unknown } | 'unparsable' {
	if (bytes.length === 0) return { body: undefined };
	try {
		return { body: JSON.parse(bytes.toString().replace(/^\ufeff/, '')) as unknown };
	} catch {
		return 'unparsable';
	}
}
