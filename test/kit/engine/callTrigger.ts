import type { RequestListener } from 'node:http';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { IdentityVerificationApi } from '../../../credentials/IdentityVerificationApi.credentials';
import { IdentityVerificationTrigger } from '../../../nodes/IdentityVerification/IdentityVerificationTrigger.node';
import { callWebhook, jsonByOutput } from '.';
import type { NodeSetup, WebhookOutcome } from '.';
import { fixture } from '../data/fixtures';
import { WEBHOOK_SECRET } from '../settings';
import { NOT_AUTHENTICATED, UNAVAILABLE } from './refusals';

export interface TriggerCall {
	/** Sent as JSON, bytes as they are; a result with the decision accept unless it is given. */
	body?: unknown;
	/** Carries the right secret unless it is given. */
	query?: Record<string, string>;
	headers?: Record<string, string | undefined>;
	/** What n8n takes at most, in bytes. */
	limit?: number;
	/** Answers what the trigger asks this n8n. */
	n8n?: RequestListener;
	parameters?: INodeParameters;
	/** Values of the credential; null for a trigger without one. */
	credential?: { webhookSecret?: string } | null;
	/** What n8n fails with when it reads the credential. */
	credentialFailure?: Error;
	settings?: NodeSetup['settings'];
}

/** What a sender gets, and which items start the workflow, by output. */
export interface TriggerAnswer {
	status: number;
	body: unknown;
	/** Undefined: the workflow does not start. */
	started: IDataObject[][] | undefined;
}

/** The trigger as a workflow holds it. */
export function triggerSetup({
	parameters,
	settings,
	credential = { webhookSecret: WEBHOOK_SECRET },
	credentialFailure,
}: TriggerCall = {}): NodeSetup {
	return {
		node: IdentityVerificationTrigger,
		parameters,
		settings,
		...(credential && {
			credential: {
				type: new IdentityVerificationApi(),
				values: { apiKey: 'key', baseUrl: 'https://api.example.com', ...credential },
				failure: credentialFailure,
			},
		}),
	};
}

/** Sends a webhook to the trigger in n8n's webhook context. */
export async function callTrigger(call: TriggerCall = {}): Promise<TriggerAnswer> {
	const { query = { secret: WEBHOOK_SECRET }, headers, limit, n8n } = call;
	const body = 'body' in call ? call.body : fixture('webhook-accept');
	return answerOf(
		await callWebhook({ ...triggerSetup(call), request: { body, query, headers, limit, n8n } }),
	);
}

/** A refusal of the node itself, which has to be complete, or what n8n answers for it. */
function answerOf(outcome: WebhookOutcome): TriggerAnswer {
	const { noWebhookResponse, webhookResponse, workflowData, sent } = outcome;
	expect(sent.ended).toBe(noWebhookResponse ?? false);
	const started = workflowData && jsonByOutput(workflowData);
	return noWebhookResponse
		? { status: sent.status, body: JSON.parse(sent.body) as unknown, started }
		: { status: 200, body: webhookResponse, started };
}

export const RECEIVED = { received: true };

/** The webhook is taken, and nothing starts. */
export const IGNORED: TriggerAnswer = { status: 200, body: RECEIVED, started: undefined };

/** The webhook is not authentic. */
export const REFUSED: TriggerAnswer = {
	status: 401,
	body: { error: NOT_AUTHENTICATED },
	started: undefined,
};

/** The trigger can't decide on the webhook at the moment. */
export const SEND_AGAIN: TriggerAnswer = {
	status: 503,
	body: { error: UNAVAILABLE },
	started: undefined,
};
