import type { Bed } from './bed';
import { Section, atMost, median, ratios } from './figures';
import { measureAwaited, measureUnawaited } from './waitingPairs';
import { addWaitingMemory } from './waitingMemory';
import { installFlows } from './waitingFlows';
import type { Flows } from './waitingFlows';

/** How much longer a result may take through a Wait for Result. */
const MOST = 2;
const WARM_UP_PAIRS = 10;
const PAIRS_PER_ROUND = 10;

/** Settings of n8n that decide what an event costs. */
const SETTINGS = [
	{ setting: 'default', env: {} },
	{ setting: 'lazy', env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' } },
] as const;

/** Time of a result that an execution waits for, against one that leaves at the trigger; and the memory of waiting. */
export async function measureWaiting(bed: Bed, rounds: number): Promise<Section> {
	const section = new Section('Wait for Result');
	for (const { setting, env } of SETTINGS) {
		await bed.withN8n({ ...env }, async (running) => {
			const flows = await installFlows(bed, running);
			await measurePairs(flows, WARM_UP_PAIRS);
			const waited: number[] = [];
			const own: number[] = [];
			for (let round = 0; round < rounds; round++) {
				const pairs = await measurePairs(flows, PAIRS_PER_ROUND);
				waited.push(median(pairs.map(([time]) => time)));
				own.push(median(pairs.map(([, time]) => time)));
			}
			section.add('from webhook to the node behind Wait for Result', 'ms', waited, { setting });
			section.add('from webhook to the node behind the trigger', 'ms', own, { setting });
			section.add('ratio', 'x', ratios(waited, own), { setting, target: atMost(MOST) });
		});
	}
	await addWaitingMemory(section, bed, rounds);
	return section;
}

/** The times of a result that is waited for and of one that isn't, in turns. */
async function measurePairs(flows: Flows, count: number): Promise<[number, number][]> {
	const pairs: [number, number][] = [];
	while (pairs.length < count) {
		pairs.push([await measureAwaited(flows), await measureUnawaited(flows)]);
	}
	return pairs;
}
