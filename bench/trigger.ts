import type { WorkflowFile } from '../dev/stack/api';
import { poll } from '../dev/stack/poll';
import { DECISIONS } from '../nodes/IdentityVerification/contract/vocabulary';
import { SECRET_HEADER } from './bed';
import type { Bed, RunningN8n } from './bed';
import { measureEvents, warmUp } from './events';
import type { Run, Way } from './events';
import { Section, atLeast, ratios } from './figures';
import { TRIGGER_PAYLOAD_BYTES, payloadOf } from './payload';
import { branchNode, namedWorkflow, switchNode } from './workflows';
import { triggerNode, webhookStart, withCredential } from './workflows';
import type { Link } from './workflows';

/**
 * Settings of n8n that decide what an event costs. In two of them, n8n itself decides the ratio: by default, it prepares
 * an isolate for each event of any trigger but its own Webhook node, and the legacy engine needs none for anybody.
 */
export const TRIGGER_SETTINGS = [
	{ setting: 'default', env: {}, least: undefined },
	{ setting: 'lazy', env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' }, least: 3.5 },
	{ setting: 'legacy', env: { N8N_EXPRESSION_ENGINE: 'legacy' }, least: undefined },
] as const;

const TRIGGER_CPU = 'trigger, CPU';
const DONE = 'Done';

/** CPU time of an event and events a second, of the trigger against Webhook + Switch; both ask for a secret. */
export async function measureTrigger(bed: Bed, rounds: number): Promise<Section> {
	const section = new Section('Trigger');
	for (const { setting, env, least } of TRIGGER_SETTINGS) {
		await bed.withN8n({ ...env }, async (running) => {
			const ways = [await installTrigger(running), await installWebhook(running)];
			const [ours = [], theirs = []] = await takeTurns(running, ways, rounds);
			const [ourCpu, theirCpu] = [ours, theirs].map((runs) => runs.map((run) => run.cpuMsPerEvent));
			const speedOf = (runs: Run[]) => runs.map((run) => run.eventsPerSecond);
			const target = least === undefined ? undefined : atLeast(least);
			section.add(TRIGGER_CPU, 'ms/event', ourCpu ?? [], { setting });
			section.add('Webhook + Switch, CPU', 'ms/event', theirCpu ?? [], { setting });
			section.add('CPU, Webhook + Switch to trigger', 'x', ratios(theirCpu ?? [], ourCpu ?? []), {
				setting,
				target,
			});
			section.add('trigger', 'events/s', speedOf(ours), { setting });
			section.add('Webhook + Switch', 'events/s', speedOf(theirs), { setting });
			section.add('ratio', 'x', ratios(speedOf(ours), speedOf(theirs)), { setting });
		});
	}
	return section;
}

/** CPU time that n8n takes for an event at least, in milliseconds; undefined if it wasn't measured. */
export function leastCpuMsPerEvent(sections: Section[]): number | undefined {
	const figures = sections.flatMap((section) => section.figures);
	const costs = figures.filter(({ name }) => name === TRIGGER_CPU).map(({ value }) => value);
	return costs.length === 0 ? undefined : Math.min(...costs);
}

async function takeTurns(running: RunningN8n, ways: Way[], rounds: number): Promise<Run[][]> {
	const body = JSON.stringify(payloadOf(TRIGGER_PAYLOAD_BYTES));
	for (const way of ways) await warmUp(running, way, body);
	const runs = ways.map((): Run[] => []);
	for (let round = 0; round < rounds; round++) {
		for (const [index, way] of ways.entries()) {
			runs[index]?.push(await measureEvents(running, way, body));
		}
	}
	return runs;
}

async function installTrigger(running: RunningN8n): Promise<Way> {
	const trigger = triggerNode('Trigger', {
		parameters: { authentication: 'webhookSecret' },
		credentialId: running.credentialIds.identityVerificationApi,
	});
	const nodes = [trigger, branchNode(DONE)];
	const workflow = namedWorkflow('Trigger', nodes, branchesOf('Trigger'));
	return await install(running, workflow, `${trigger.webhookId}/webhook`);
}

async function installWebhook(running: RunningN8n): Promise<Way> {
	const path = 'webhook-and-switch';
	const parameters = { path, authentication: 'headerAuth', responseMode: 'onReceived' };
	const webhook = withCredential(webhookStart(parameters), 'httpHeaderAuth', running.credentialIds);
	const nodes = [webhook, switchNode('={{ $json.body.decision }}', DECISIONS), branchNode(DONE)];
	const links: Link[] = [[webhook.name, 'Switch'], ...branchesOf('Switch')];
	return await install(running, namedWorkflow('Webhook', nodes, links), path);
}

function branchesOf(from: string): Link[] {
	return DECISIONS.map((_, output) => [from, DONE, output]);
}

async function install(
	{ n8n, api }: RunningN8n,
	workflow: WorkflowFile,
	path: string,
): Promise<Way> {
	await api.saveWorkflow(workflow);
	await api.activate(workflow.id);
	const url = `${n8n.url}/webhook/${path}`;
	const options = { what: `${url} to listen`, timeoutMs: 30_000 };
	await poll(async () => {
		const answer = await fetch(url, { method: 'POST', headers: { [SECRET_HEADER]: 'wrong' } });
		return answer.status === 404 ? undefined : true;
	}, options);
	return { url, workflowId: workflow.id };
}
