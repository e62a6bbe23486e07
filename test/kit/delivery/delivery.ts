import { setTimeout as sleep } from 'node:timers/promises';

import pMap from 'p-map';

import { accepted } from '../../../dev/sandbox/client';
import type { SandboxClient, SentWebhook } from '../../../dev/sandbox/client';
import type { N8nApi } from '../../../dev/stack/api';
import { poll } from '../../../dev/stack/poll';
import { recentId, settledExecutions } from './executions';
import { isAnswered, isReceived, Tally } from './tally';
import { eventPath, eventWorkflow } from './workflow';

const CONNECTIONS = 16;
/** Buttons of the sandbox's hosted page, one for each decision. */
export const BUTTONS = ['accept', 'lowConfidence', 'aml'];
const FIRST_ATTEMPT_TIMEOUT_MS = 180_000;

/** Where events come from, and where they go. */
export interface Way {
	/** Client of a sandbox that runs outside of Jest, because inside Jest it would be slow. */
	sandbox: SandboxClient;
	api: N8nApi;
	/** Address of webhooks, without a trailing slash. */
	webhookUrl: string;
	credentialId: string;
	webhookSecret: string;
}

export interface DeliveryOptions extends Sending {
	/** Names the profile and, with a number, the events. */
	name: string;
	count: number;
	/** How long the workflow takes for an event; default is no time. */
	secondsEach?: number;
}

/** How webhooks are sent. */
export interface Sending {
	/** How many are sent at once; default is 16. */
	connections?: number;
	/** How long each connection rests after an event. */
	pauseMs?: number;
	/**
	 * Called once, when a third of the events has been sent. The second third is sent meanwhile, the
	 * last one when it's done.
	 */
	disturb?: () => Promise<void>;
}

/**
 * Sends events to a workflow of their own at 16 connections, then resends what wasn't answered, and
 * waits until n8n is done. The events wait in the portal beforehand: while the workflow isn't
 * active, n8n refuses them.
 */
export async function deliver(way: Way, options: DeliveryOptions): Promise<Tally> {
	const { sandbox, api, webhookUrl, credentialId, webhookSecret } = way;
	const { name, count, secondsEach = 0 } = options;
	const workflow = eventWorkflow(credentialId, secondsEach);
	await api.saveWorkflow(workflow);
	const url = `${webhookUrl}${eventPath(workflow)}?secret=${webhookSecret}`;
	await sandbox.setProfile(name, { webhookUrl: url });
	await finishLinks(sandbox, name, count);
	const lastId = await recentId(api);
	await api.activate(workflow.id);
	const refused = await webhooksOf(sandbox, name);
	await sendAll(sandbox, refused, options);
	const first = await webhooksOf(sandbox, name);
	const unanswered = first.filter((webhook) => !isAnswered(webhook));
	await sendAll(sandbox, unanswered);
	const last = await webhooksOf(sandbox, name);
	const answers = last.flatMap(({ attempts }) => attempts).filter(isReceived);
	const executions = await settledExecutions(api, workflow.id, { lastId, atLeast: answers.length });
	return new Tally({ refused, first, last, executions });
}

/** Creates links and lets a person finish each. Their webhooks are in the portal's list afterwards. */
async function finishLinks(sandbox: SandboxClient, profile: string, count: number): Promise<void> {
	const finish = async (index: number) => {
		const { url } = await sandbox.link({ mode: 1, profile, customData: `${profile}-${index}` });
		await accepted(sandbox.finish(url, BUTTONS[index % BUTTONS.length] ?? ''));
	};
	await pMap(Array.from({ length: count }).keys(), finish, { concurrency: CONNECTIONS });
	await untilSent(sandbox, profile, count);
}

/** Resolves when the webhook of each link of a profile has been sent once. */
export async function untilSent(
	sandbox: SandboxClient,
	profile: string,
	count: number,
): Promise<void> {
	const options = {
		what: 'the first attempt of each webhook',
		timeoutMs: FIRST_ATTEMPT_TIMEOUT_MS,
	};
	await poll(async () => {
		const sent = await webhooksOf(sandbox, profile);
		return (sent.length === count && sent.every(({ attempts }) => attempts[0])) || undefined;
	}, options);
}

/** The webhooks of a profile in the portal's list. */
export async function webhooksOf(sandbox: SandboxClient, profile: string): Promise<SentWebhook[]> {
	return (await sandbox.state()).webhooks.filter((webhook) => webhook.profile === profile);
}

/** Presses Resend for each of these webhooks, in their order. */
export async function sendAll(
	sandbox: SandboxClient,
	webhooks: SentWebhook[],
	{ connections = CONNECTIONS, pauseMs = 0, disturb }: Sending = {},
): Promise<void> {
	const third = Math.ceil(webhooks.length / 3);
	let sent = 0;
	let disturbance: Promise<void> | undefined;
	const send = async (webhook: SentWebhook) => {
		await sandbox.resend(webhook);
		sent += 1;
		if (sent === third) disturbance = disturb?.();
		// Its failure is thrown where it's awaited.
		disturbance?.catch(() => undefined);
		await sleep(pauseMs);
	};
	// With a failure, the others end first: nothing may be sent, or disturbed, after this.
	const options = { concurrency: connections, stopOnError: false };
	await pMap(webhooks.slice(0, 2 * third), send, options).finally(async () => await disturbance);
	await pMap(webhooks.slice(2 * third), send, options);
}
