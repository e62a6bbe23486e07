import { LiveWorkflow } from '../test/kit/n8n/liveWorkflow';
import type { Bed, RunningN8n } from './bed';
import { measureEvents } from './events';
import type { Run } from './events';
import { ROUNDS, Section, atLeast, ratios } from './figures';
import { START, TRIGGER, switchWorkflow, triggerWorkflow } from './workflows';

/**
 * Settings of n8n that decide what an event costs. In two of them, n8n itself decides the ratio: by
 * default, it prepares an isolate for each event of any trigger but its own Webhook node, and the
 * legacy engine needs none for anybody.
 */
export const TRIGGER_SETTINGS = [
	{ setting: 'default', env: {}, least: undefined },
	{ setting: 'lazy', env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' }, least: 3.5 },
	{ setting: 'legacy', env: { N8N_EXPRESSION_ENGINE: 'legacy' }, least: undefined },
] as const;

/** A running n8n is warm: the first hundreds of events take up to a third longer. */
const UNCOUNTED_ROUNDS = 2;

const TRIGGER_CPU = 'trigger, CPU';

/**
 * CPU time of an event and events a second, of the trigger against Webhook + Switch; both ask for a
 * secret.
 */
export async function measureTrigger(bed: Bed): Promise<Section> {
	const section = new Section('Trigger');
	for (const { setting, env, least } of TRIGGER_SETTINGS) {
		const [ours, theirs] = await bed.withN8n({ ...env }, takeTurns);
		const cpuOf = (runs: Run[]) => runs.map((run) => run.cpuMsPerEvent);
		const speedOf = (runs: Run[]) => runs.map((run) => run.eventsPerSecond);
		const target = least === undefined ? undefined : atLeast(least);
		const cpuRatios = ratios(cpuOf(theirs), cpuOf(ours));
		section.add(TRIGGER_CPU, 'ms/event', cpuOf(ours), { setting });
		section.add('Webhook + Switch, CPU', 'ms/event', cpuOf(theirs), { setting });
		section.add('CPU, Webhook + Switch to trigger', 'x', cpuRatios, { setting, target });
		section.add('trigger', 'events/s', speedOf(ours), { setting });
		section.add('Webhook + Switch', 'events/s', speedOf(theirs), { setting });
		section.add('ratio', 'x', ratios(speedOf(ours), speedOf(theirs)), { setting });
	}
	return section;
}

/**
 * CPU time that n8n takes for an event at least, in milliseconds; undefined if it wasn't measured.
 */
export function leastCpuMsPerEvent(sections: Section[]): number | undefined {
	const figures = sections.flatMap((section) => section.figures);
	const costs = figures.filter(({ name }) => name === TRIGGER_CPU).map(({ value }) => value);
	return costs.length === 0 ? undefined : Math.min(...costs);
}

/** Rounds of the trigger, and of Webhook + Switch. */
async function takeTurns(running: RunningN8n): Promise<[Run[], Run[]]> {
	const { api, credentialIds } = running;
	const ours = await LiveWorkflow.start(api, triggerWorkflow(credentialIds));
	const theirs = await LiveWorkflow.start(api, switchWorkflow(credentialIds));
	const runs: [Run[], Run[]] = [[], []];
	for (let round = 0; round < UNCOUNTED_ROUNDS + ROUNDS; round++) {
		runs[0].push(await measureEvents(running, ours, TRIGGER));
		runs[1].push(await measureEvents(running, theirs, START));
	}
	return [runs[0].slice(UNCOUNTED_ROUNDS), runs[1].slice(UNCOUNTED_ROUNDS)];
}
