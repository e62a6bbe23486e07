import type { Bed, RunningN8n } from './bed';
import { measureEvents, warmUp } from './events';
import type { Run, Way } from './events';
import { Section, atLeast, ratios } from './figures';
import { TRIGGER_PAYLOAD_BYTES, payloadOf } from './payload';
import { NONE, SECRET, installWays } from './triggerWays';

/** A round is short here, and other programs disturb it: more rounds make up for that. */
const ROUNDS_FOR_TARGET = 2;

/** Settings of n8n that decide what an event costs, with the ratio that each has to reach. */
export const TRIGGER_SETTINGS = [
	{ setting: 'default', env: {}, least: undefined },
	{ setting: 'lazy', env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' }, least: 3.5 },
	{ setting: 'legacy', env: { N8N_EXPRESSION_ENGINE: 'legacy' }, least: 1.2 },
] as const;

const TRIGGER_CPU = 'trigger, CPU';

/** Events a second of the trigger against Webhook + Switch, under settings of n8n. */
export async function measureTrigger(bed: Bed, rounds: number): Promise<Section> {
	const section = new Section('Trigger');
	for (const { setting, env, least } of TRIGGER_SETTINGS) {
		await bed.withN8n({ ...env }, async (running) => {
			for (const authentication of [NONE, SECRET]) {
				const ways = await installWays(running, authentication);
				const times = least === undefined ? 1 : ROUNDS_FOR_TARGET;
				const runs = await alternate(running, ways, rounds * times);
				const options = { setting: triggerLabel(setting, authentication) };
				addRuns(section, runs, options, least);
			}
		});
	}
	return section;
}

/** What the figures of a setting of n8n and a way to authenticate are filed under. */
export function triggerLabel(setting: string, authentication: string): string {
	return `${setting}, ${authentication}`;
}

function addRuns(
	section: Section,
	runs: [Run[], Run[]],
	options: { setting: string },
	least: number | undefined,
): void {
	const [ours, theirs] = runs.map((list) => list.map((run) => run.eventsPerSecond));
	const [ourCpu, theirCpu] = runs.map((list) => list.map((run) => run.cpuMsPerEvent));
	const target = least === undefined ? undefined : atLeast(least);
	section.add('trigger', 'events/s', ours ?? [], options);
	section.add('Webhook + Switch', 'events/s', theirs ?? [], options);
	section.add('ratio', 'x', ratios(ours ?? [], theirs ?? []), { ...options, target });
	section.add(TRIGGER_CPU, 'ms/event', ourCpu ?? [], options);
	section.add('Webhook + Switch, CPU', 'ms/event', theirCpu ?? [], options);
}

/** CPU time that n8n takes for an event at least, in milliseconds; undefined if it wasn't measured. */
export function leastCpuMsPerEvent(sections: Section[]): number | undefined {
	const figures = sections.flatMap((section) => section.figures);
	const costs = figures.filter(({ name }) => name === TRIGGER_CPU).map(({ value }) => value);
	return costs.length === 0 ? undefined : Math.min(...costs);
}

async function alternate(
	running: RunningN8n,
	[ours, theirs]: [Way, Way],
	rounds: number,
): Promise<[Run[], Run[]]> {
	const body = JSON.stringify(payloadOf(TRIGGER_PAYLOAD_BYTES));
	for (const way of [ours, theirs]) await warmUp(running, way, body);
	const runs: [Run[], Run[]] = [[], []];
	for (let round = 0; round < rounds; round++) {
		runs[0].push(await measureEvents(running, ours, body));
		runs[1].push(await measureEvents(running, theirs, body));
	}
	return runs;
}
