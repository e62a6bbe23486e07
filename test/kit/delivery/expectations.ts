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
