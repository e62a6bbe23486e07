import pMap from 'p-map';

import { accepted } from '../../../dev/sandbox/client';
import type { SandboxClient } from '../../../dev/sandbox/client';
import type { LinkRecord } from '../../../dev/sandbox/state';
import type { N8nApi, WorkflowFile } from '../../../dev/stack/api';
import { fetchN8n } from '../../../dev/stack/fetchN8n';
import { poll } from '../../../dev/stack/poll';
import { START, TRIGGER, triggerFlow, waitingFlow } from '../n8n/waitingFlow';
import { waitNode } from '../n8n/workflow';
import { BUTTONS, sendAll, untilSent, webhooksOf } from './delivery';
import type { Sending, Way } from './delivery';
import { executionsWith, recentId, runAgain, settle, shownExecutions } from './executions';
import { isAnswered } from './tally';
import { WaitingTally } from './waitingTally';

const CONNECTIONS = 8;
const RETRIES_AT_ONCE = 2;
const WAIT_TIMEOUT_MS = 180_000;
/** What a killed process leaves, besides executions that wait. */
const INTERRUPTED = ['crashed', 'running', 'new'];

/** People whose results executions wait for. */
export interface WaitingOptions extends Pick<Sending, 'pauseMs' | 'disturb'> {
	/** Names the profile and, with a number, each person. */
	name: string;
	count: number;
	/** How long each execution takes after its result. */
	secondsEach: number;
	/** Called when all executions wait, and before any result arrives. */
	whileWaiting?: () => Promise<void>;
	/** Called when each result has been sent once. */
	whenSent?: () => Promise<void>;
}

/**
 * Lets executions wait at once, and sends their results in random order at 8 connections; then resends what wasn't
 * answered, runs again what was interrupted, and waits until n8n is done. As in `deliver`, the results are in the
 * portal beforehand.
 */
export async function deliverToWaiting(way: Way, options: WaitingOptions): Promise<WaitingTally> {
	const { sandbox, api, webhookUrl, credentialId, webhookSecret } = way;
	const { name, count, secondsEach, pauseMs, disturb } = options;
	const flow = waitingFlow({
		credentialId,
		profile: name,
		branch: (branch) => waitNode(branch, secondsEach),
	});
	const trigger = triggerFlow(credentialId);
	await api.saveWorkflow(trigger);
	const url = `${webhookUrl}${pathOf(trigger, TRIGGER)}?secret=${webhookSecret}`;
	await sandbox.setProfile(name, { webhookUrl: url });
	const lastId = await recentId(api);
	await startAll(way, flow, options);
	await finishAll(sandbox, await linksOf(sandbox, name));
	await api.activate(trigger.id);
	await options.whileWaiting?.();
	const refused = await webhooksOf(sandbox, name);
	await sendUnanswered(sandbox, name, { pauseMs, disturb });
	await options.whenSent?.();
	const first = await webhooksOf(sandbox, name);
	await sendUnanswered(sandbox, name);
	await settle(api, trigger.id, 0);
	const interrupted = await runInterruptedAgain(api, flow, count);
	return new WaitingTally({
		links: await linksOf(sandbox, name),
		refused,
		first,
		last: await webhooksOf(sandbox, name),
		interrupted,
		executions: await shownExecutions(api, flow.id, lastId),
		undelivered: await shownExecutions(api, trigger.id, lastId),
	});
}

/** Sends the results of a profile that haven't been answered yet, in random order at 8 connections. */
export async function sendUnanswered(
	sandbox: SandboxClient,
	profile: string,
	sending?: Sending,
): Promise<void> {
	const webhooks = await webhooksOf(sandbox, profile);
	const unanswered = webhooks.filter((webhook) => !isAnswered(webhook));
	await sendAll(sandbox, shuffled(unanswered), { connections: CONNECTIONS, ...sending });
}

/** Path of the production URL of a trigger or Webhook node. */
function pathOf({ nodes }: WorkflowFile, nodeName: string): string {
	const node = nodes.find(({ name }) => name === nodeName);
	return `/webhook/${String(node?.parameters.path ?? `${node?.webhookId}/webhook`)}`;
}

/** Starts a workflow for an applicant, as its Webhook node is called. */
async function startFor(
	{ webhookUrl }: Pick<Way, 'webhookUrl'>,
	flow: WorkflowFile,
	applicantId: string,
): Promise<void> {
	const { status } = await fetchN8n(webhookUrl + pathOf(flow, START), {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ applicantId }),
	});
	if (status !== 200) throw new Error(`n8n answered ${applicantId} with ${status}.`);
}

/** Resolves when so many executions of a workflow wait. */
async function untilWaiting(api: N8nApi, { id }: WorkflowFile, count: number) {
	const options = { what: `${count} executions to wait`, timeoutMs: WAIT_TIMEOUT_MS };
	await poll(async () => {
		const waiting = await executionsWith(api, id, ['waiting']);
		return waiting.count === count || undefined;
	}, options);
}

async function startAll(way: Way, flow: WorkflowFile, { name, count }: WaitingOptions) {
	const { api } = way;
	await api.saveWorkflow(flow);
	await api.activate(flow.id);
	const start = async (index: number) => await startFor(way, flow, `${name}-${index}`);
	await pMap(Array.from({ length: count }).keys(), start, { concurrency: CONNECTIONS });
	await untilWaiting(api, flow, count);
}

async function finishAll(sandbox: SandboxClient, links: LinkRecord[]): Promise<void> {
	const finish = async ({ url }: LinkRecord, index: number) => {
		await accepted(sandbox.finish(url, BUTTONS[index % BUTTONS.length] ?? ''));
	};
	await pMap(links, finish, { concurrency: CONNECTIONS });
	await untilSent(sandbox, links[0]?.profile ?? '', links.length);
}

async function linksOf(sandbox: SandboxClient, profile: string): Promise<LinkRecord[]> {
	return (await sandbox.state()).links.filter((link) => link.profile === profile);
}

/**
 * As *Stop* and *Retry* in n8n's executions list, by turns with the workflow as it was and as it is saved now. Executions
 * that wait are left alone. Returns how many there were.
 */
async function runInterruptedAgain(api: N8nApi, { id }: WorkflowFile, count: number) {
	await settle(api, id, count);
	const { results, count: interrupted } = await executionsWith(api, id, INTERRUPTED);
	if (results.length < interrupted) throw new Error(`${interrupted} executions were interrupted.`);
	const retry = async (execution: (typeof results)[number], index: number) =>
		await runAgain(api, execution, { loadWorkflow: index % 2 === 1 });
	await pMap(results, retry, { concurrency: RETRIES_AT_ONCE });
	return interrupted;
}

function shuffled<Value>(values: Value[]): Value[] {
	const keyed = values.map((value) => ({ value, key: Math.random() }));
	return keyed.sort((one, other) => one.key - other.key).map(({ value }) => value);
}
