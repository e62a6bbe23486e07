import { setTimeout as sleep } from 'node:timers/promises';

import type { N8nApi } from '../../../dev/stack/api';
import { inParallel } from '../../../nodes/IdentityVerification/run/parallel';
import { newestId, settledExecutions } from './executions';
import { Portal, isAnswered, isReceived } from './portal';
import type { SentWebhook, Service } from './portal';
import { Tally } from './tally';
import { eventPath, eventWorkflow } from './workflow';

const CONNECTIONS = 16;

/** Where events go. */
export interface Receiver {
	service: Service;
	api: N8nApi;
	/** Address of webhooks, without a trailing slash. */
	webhookUrl: string;
	credentialId: string;
	webhookSecret: string;
}

export interface DeliveryOptions {
	/** Names the profile and, with a number, the events. */
	name: string;
	count: number;
	/** How long the workflow takes for an event; default is no time. */
	secondsEach?: number;
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
export async function deliver(receiver: Receiver, options: DeliveryOptions): Promise<Tally> {
	const { service, api, webhookUrl, credentialId, webhookSecret } = receiver;
	const { name, count, secondsEach = 0 } = options;
	const portal = new Portal(service);
	const workflow = eventWorkflow(credentialId, secondsEach);
	await api.saveWorkflow(workflow);
	const url = `${webhookUrl}${eventPath(workflow)}?secret=${webhookSecret}`;
	await portal.setProfile(name, { webhookUrl: url });
	const customData = Array.from({ length: count }, (_, index) => `${name}-${index}`);
	await portal.finishLinks(name, customData, CONNECTIONS);
	const lastId = await newestId(api);
	await api.activate(workflow.id);
	const refused = await portal.webhooks(name);
	await sendAll(portal, refused, options);
	const first = await portal.webhooks(name);
	const unanswered = first.filter((webhook) => !isAnswered(webhook));
	await sendAll(portal, unanswered, { name, count });
	const last = await portal.webhooks(name);
	const answers = last.flatMap(({ attempts }) => attempts).filter(isReceived);
	const executions = await settledExecutions(api, workflow.id, { lastId, atLeast: answers.length });
	return new Tally({ refused, first, last, executions });
}

async function sendAll(
	portal: Portal,
	webhooks: SentWebhook[],
	{ pauseMs = 0, disturb }: DeliveryOptions,
): Promise<void> {
	const third = Math.ceil(webhooks.length / 3);
	let sent = 0;
	let disturbance: Promise<void> | undefined;
	await inParallel(webhooks.length, CONNECTIONS, async (index) => {
		const webhook = webhooks[index];
		if (index >= 2 * third) await disturbance;
		if (webhook) await portal.resend(webhook);
		sent += 1;
		if (sent === third) disturbance = disturb?.();
		// Its failure is thrown where it's awaited.
		disturbance?.catch(() => undefined);
		await sleep(pauseMs);
	});
	await disturbance;
}
