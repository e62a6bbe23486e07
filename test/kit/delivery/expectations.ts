import pMap from 'p-map';

import type { N8nApi } from '../../../dev/stack/api';
import { runAgain } from './executions';
import type { EventExecution } from './executions';
import type { Tally } from './tally';
import type { WaitingTally } from './waitingTally';

const RETRIES_AT_ONCE = 2;

/** Prints the counts of a run. */
export function report(what: string, counts: Tally | WaitingTally | string): void {
	process.stdout.write(`\n${what}: ${String(counts)}\n`);
}

/** Each event is stored once for each time that it was answered 200, and all were in the end. */
export function expectNothingLost(tally: Tally): void {
	expect(tally.takenEarly).toEqual([]);
	expect(tally.lost).toEqual([]);
	expect(tally.surplus).toEqual([]);
	expect(tally.empty).toEqual([]);
	expect(tally.undelivered).toEqual([]);
}

/** Runs again what was interrupted, and expects each event to be handled this time. */
export async function expectRunAgain(api: N8nApi, { interrupted }: Tally): Promise<void> {
	const retry = async (execution: EventExecution) => await runAgain(api, execution);
	const again = await pMap(interrupted, retry, { concurrency: RETRIES_AT_ONCE });
	report('Run again', `${again.length} interrupted executions`);
	expect(again.map((execution) => execution.isHandled)).toEqual(again.map(() => true));
	expect(again.map((execution) => execution.customData)).toEqual(
		interrupted.map(({ customData }) => customData),
	);
}

/** Each person's execution went on once, at the output of the decision, with its own data; nothing else happened. */
export function expectEachGoneOn(tally: WaitingTally, people: number): void {
	expect(tally.people.length).toBe(people);
	expect(tally.takenEarly).toEqual([]);
	expect(tally.undelivered).toEqual([]);
	expect(tally.stuck).toEqual([]);
	expect(tally.lost).toEqual([]);
	expect(tally.repeated).toEqual([]);
	expect(tally.misled).toEqual([]);
	expect(tally.unmarked).toEqual([]);
	expect(tally.miscounted).toEqual([]);
	expect(tally.strangers).toEqual([]);
}
