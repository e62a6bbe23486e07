import { setTimeout as sleep } from 'node:timers/promises';

import pMap from 'p-map';

import { accepted } from '../../../../dev/sandbox/client';
import type { SandboxClient, SentWebhook } from '../../../../dev/sandbox/client';
import type { LinkRecord } from '../../../../dev/sandbox/state';
import type { N8nApi, WorkflowFile } from '../../../../dev/stack/api';
import { fetchN8n } from '../../../../dev/stack/fetchN8n';
import { poll } from '../../../../dev/stack/poll';
import { shuffled } from '../../runs';
import { START, TRIGGER, triggerFlow, waitingFlow } from '../waitingFlow';
import { waitNode, webhookPath } from '../workflow';
import { executionsAfter, executionsWith, recentId, runInterruptedAgain } from './executions';
import { isAnswered, problemsOf } from './problems';

const CONNECTIONS = 8;
/** Buttons of the sandbox's hosted page, one for each decision. */
const BUTTONS = ['accept', 'lowConfidence', 'aml'];
const TIMEOUT_MS = 180_000;

/** Where results come from, and where they go. */
export interface Way {
	/** Client of a sandbox that runs outside of Jest, because inside Jest it would be slow. */
	sandbox: SandboxClient;
	api: N8nApi;
	/** Address of webhooks, without a trailing slash. */
	webhookUrl: string;
	credentialId: string;
	webhookSecret: string;
}

/** How results are sent. */
interface Sending {
	/** How long each connection rests after a result. */
	pauseMs?: number;
	/**
	 * Called once, when a third of the results has been sent. The second third is sent meanwhile, the
	 * last one when it's done.
	 */
	disturb?: () => Promise<void>;
}

interface DeliveryOptions extends Sending {
	/** Names the profile and, with a number, each person. */
	name: string;
	count: number;
	/** How long the workflow takes for a result. */
	secondsEach: number;
	/** Called when executions wait, and before any result arrives. */
	whileWaiting?: () => Promise<void>;
	/** Called when each result has been sent once. */
	whenSent?: () => Promise<void>;
}

/** What became of results. */
interface Delivery {
	/** Everything that went wrong, in a line each. */
	problems: string[];
	/** How many had to be sent again. */
	unanswered: number;
	/** How many executions were interrupted, and run again. */
	interrupted: number;
}

/**
 * Sends results in random order at 8 connections: an execution waits for every second one, and the
 * others start one. Then resends what wasn't answered, runs again what was interrupted, and
 * compares what n8n has with what was sent. The results are in the portal beforehand: while the
 * trigger isn't active, n8n refuses them.
 */
export async function deliverMany(way: Way, options: DeliveryOptions): Promise<Delivery> {
	const { sandbox, api, credentialId } = way;
	const { name, count, secondsEach, pauseMs, disturb, whileWaiting, whenSent } = options;
	const branch = (branchName: string) => waitNode(branchName, secondsEach);
	const flow = waitingFlow({ credentialId, profile: name, branch });
	const trigger = triggerFlow(credentialId, branch);
	await api.saveWorkflow(trigger);
	const webhookUrl = `${way.webhookUrl}${webhookPath(trigger, TRIGGER)}?secret=${way.webhookSecret}`;
	await sandbox.setProfile(name, { webhookUrl });
	const lastId = await recentId(api);
	await createLinks(way, flow, name, count);
	await finishLinks(sandbox, name, count);
	await api.activate(trigger.id);
	await whileWaiting?.();
	await sendUnanswered(sandbox, name, { pauseMs, disturb });
	await whenSent?.();
	const unanswered = (await unansweredOf(sandbox, name)).length;
	await sendUnanswered(sandbox, name);
	let interrupted = 0;
	for (const { id } of [flow, trigger]) interrupted += await runInterruptedAgain(api, id);
	const executions = await executionsAfter(api, lastId);
	const of = ({ id }: WorkflowFile) =>
		executions.filter(({ workflowId }) => workflowId === api.idOf(id));
	const problems = problemsOf({
		links: await linksOf(sandbox, name),
		webhooks: await webhooksOf(sandbox, name),
		waited: of(flow),
		started: of(trigger),
	});
	const counts = `${count} sent, ${unanswered} resent, ${interrupted} executions run again`;
	process.stdout.write(`\n${name}: ${counts}\n`);
	return { problems, unanswered, interrupted };
}

/**
 * Sends the results of a profile that haven't been answered yet, by pressing Resend in the portal.
 */
export async function sendUnanswered(
	sandbox: SandboxClient,
	profile: string,
	{ pauseMs = 0, disturb }: Sending = {},
): Promise<void> {
	const webhooks = shuffled(await unansweredOf(sandbox, profile));
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
	const options = { concurrency: CONNECTIONS, stopOnError: false };
	await pMap(webhooks.slice(0, 2 * third), send, options).finally(async () => await disturbance);
	await pMap(webhooks.slice(2 * third), send, options);
}

/** Creates links: every second one in an execution that then waits for its result. */
async function createLinks(
	{ sandbox, api, webhookUrl }: Way,
	flow: WorkflowFile,
	profile: string,
	count: number,
): Promise<void> {
	await api.saveWorkflow(flow);
	await api.activate(flow.id);
	const create = async (index: number) => {
		const applicantId = `${profile}-${index}`;
		if (index % 2 === 1) return await sandbox.link({ profile, customData: applicantId });
		return await fetchN8n(webhookUrl + webhookPath(flow, START), {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ applicantId }),
		});
	};
	await pMap(Array.from({ length: count }).keys(), create, { concurrency: CONNECTIONS });
	const areWaiting = async () => {
		const waiting = await executionsWith(api, flow.id, ['waiting']);
		return waiting.count === Math.ceil(count / 2) || undefined;
	};
	await poll(areWaiting, { what: 'the executions to wait', timeoutMs: TIMEOUT_MS });
}

/**
 * Lets a person finish each link. Their webhooks are in the portal's list afterwards, sent once.
 */
async function finishLinks(sandbox: SandboxClient, profile: string, count: number): Promise<void> {
	const finish = async ({ url }: LinkRecord, index: number) => {
		await accepted(sandbox.finish(url, BUTTONS[index % BUTTONS.length] ?? ''));
	};
	await pMap(await linksOf(sandbox, profile), finish, { concurrency: CONNECTIONS });
	const areSent = async () => {
		const sent = await webhooksOf(sandbox, profile);
		return (sent.length === count && sent.every(({ attempts }) => attempts[0])) || undefined;
	};
	await poll(areSent, { what: 'each webhook to be sent', timeoutMs: TIMEOUT_MS });
}

async function linksOf(sandbox: SandboxClient, profile: string): Promise<LinkRecord[]> {
	return (await sandbox.state()).links.filter((link) => link.profile === profile);
}

/** The webhooks of a profile in the portal's list. */
async function webhooksOf(sandbox: SandboxClient, profile: string): Promise<SentWebhook[]> {
	return (await sandbox.state()).webhooks.filter((webhook) => webhook.profile === profile);
}

async function unansweredOf(sandbox: SandboxClient, profile: string): Promise<SentWebhook[]> {
	return (await webhooksOf(sandbox, profile)).filter((webhook) => !isAnswered(webhook));
}
