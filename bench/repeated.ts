import { randomUUID } from 'node:crypto';

import { REMEMBERED } from '../nodes/IdentityVerification/trigger/fields';
import type { RunningN8n } from './bed';
import { measureEvents, warmUp } from './events';
import type { NextBody } from './events';
import { atMost, ratios } from './figures';
import type { Section } from './figures';
import { TRIGGER_PAYLOAD_BYTES, payloadOf } from './payload';
import { installMemories } from './triggerWays';

/** What Skip Repeated Results may add to the CPU time of an event. */
const MOST = 1.15;
/** The difference is small against what other programs do to a round: more rounds make up for that. */
const ROUNDS_FOR_TARGET = 10;
/** More events than fill the trigger's memory, one at a time: of some that come at once, n8n remembers only one. */
const FILL = 2 * REMEMBERED.default;

/** CPU time of an event with Skip Repeated Results, against one without: results that are all new, and a full memory. */
export async function addRepeated(
	section: Section,
	running: RunningN8n,
	rounds: number,
	setting: string,
): Promise<void> {
	const ways = await installMemories(running);
	const [skipping, without] = ways;
	const nextBody = newResults();
	await warmUp(running, without, nextBody);
	for (let sent = 0; sent < FILL; ) sent += await warmUp(running, skipping, nextBody, 1);
	const cpu: [number[], number[]] = [[], []];
	for (let round = 0; round < rounds * ROUNDS_FOR_TARGET; round++) {
		// Neither is always the first one.
		for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
			const way = ways[index] ?? skipping;
			cpu[index]?.push((await measureEvents(running, way, nextBody)).cpuMsPerEvent);
		}
	}
	const options = { setting: `${setting}, ${REMEMBERED.default} results remembered` };
	section.add('Skip Repeated Results, CPU', 'ms/event', cpu[0], options);
	section.add('without it, CPU', 'ms/event', cpu[1], options);
	section.add('ratio of both', 'x', ratios(...cpu), { ...options, target: atMost(MOST) });
}

/** Results that differ in their transaction. */
function newResults(): NextBody {
	const mark = randomUUID();
	const payload = { ...payloadOf(TRIGGER_PAYLOAD_BYTES), transactionId: mark };
	const [before = '', after = ''] = JSON.stringify(payload).split(mark);
	return () => before + randomUUID() + after;
}
