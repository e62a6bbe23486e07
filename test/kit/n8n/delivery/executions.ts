import pMap from 'p-map';
import { z } from 'zod/v4';

import type { N8nApi } from '../../../../dev/stack/api';
import { executionAnswer, isFinished, STATUSES, UNFINISHED } from '../../../../dev/stack/execution';
import { poll } from '../../../../dev/stack/poll';
import { absent } from '../../../../dev/stack/rest';

const READERS = 4;
const RETRIES_AT_ONCE = 2;
/** More than a process that dies while it stores executions leaves unused. */
const IDS_AT_ONCE = 50;
/**
 * How long nothing may change until executions that a killed process left are taken for what they
 * are: longer than one of them takes. Where all have finished otherwise, nothing waits.
 */
const QUIET_MS = 15_000;
const SETTLE_TIMEOUT_MS = 600_000;
/** What a killed process leaves, besides executions that wait. */
const INTERRUPTED = ['crashed', 'running', 'new'];
/**
 * What can still succeed: a worker that starts lists an execution that it had begun as crashed even
 * while another one runs it.
 */
const OPEN = ['crashed', ...UNFINISHED];

const page = z.object({
	results: z.array(z.object({ id: z.string(), status: z.string() })),
	count: z.number(),
});

const ownedExecution = executionAnswer.extend({ workflowId: z.string() });
type OwnedExecution = z.infer<typeof ownedExecution>;

/**
 * Reads the IDs after `lastId` until none of the next ones is known. n8n's list would leave some
 * out: it orders by start and continues by ID, and in queue mode executions don't start in the
 * order of their IDs. A process that dies while it stores an execution leaves its ID unused in
 * PostgreSQL; n8n then answers 200, without data.
 */
export async function executionsAfter(api: N8nApi, lastId: number): Promise<OwnedExecution[]> {
	const ids = Array.from({ length: IDS_AT_ONCE }, (_, index) => lastId + index + 1);
	const read = async (id: number) =>
		await api.get(`/executions/${id}`, ownedExecution.optional()).catch(absent);
	const found = await pMap(ids, read, { concurrency: READERS });
	const known = found.filter((execution) => execution !== undefined);
	if (known.length === 0) return [];
	return [...known, ...(await executionsAfter(api, lastId + IDS_AT_ONCE))];
}

/**
 * The highest ID of the executions that started last; 0 if none. Executions to come have higher
 * ones.
 */
export async function recentId(api: N8nApi): Promise<number> {
	const { results } = await api.get('/executions?limit=100', page);
	return Math.max(0, ...results.map(({ id }) => Number(id)));
}

/** How many executions of a workflow have one of these statuses, and the newest of them. */
export async function executionsWith(
	api: N8nApi,
	workflowId: string,
	status: readonly string[],
): Promise<z.infer<typeof page>> {
	const filter = JSON.stringify({ workflowId: api.idOf(workflowId), status });
	return await api.get(`/executions?filter=${encodeURIComponent(filter)}&limit=100`, page);
}

/**
 * As *Stop* and *Retry* in n8n's executions list, by turns with the workflow as it was and as it is
 * saved now. Executions that wait are left alone. Returns how many there were.
 */
export async function runInterruptedAgain(api: N8nApi, workflowId: string): Promise<number> {
	await settle(api, workflowId);
	const { results, count } = await executionsWith(api, workflowId, INTERRUPTED);
	if (results.length < count) throw new Error(`${count} executions were interrupted.`);
	const runAgain = async (execution: (typeof results)[number], index: number) => {
		if (!isFinished(execution)) await api.stopExecution(execution.id);
		await api.retryExecution(execution.id, index % 2 === 1);
	};
	await pMap(results, runAgain, { concurrency: RETRIES_AT_ONCE });
	return count;
}

/** Resolves when no execution of a workflow is open, or nothing changes any more. */
async function settle(api: N8nApi, workflowId: string): Promise<void> {
	const countOf = async (status: string[]) => (await executionsWith(api, workflowId, status)).count;
	let known = '';
	let since = Date.now();
	const isSettled = async () => {
		// In this order, one that comes in between isn't overlooked.
		const stored = await countOf(STATUSES);
		const open = await countOf(OPEN);
		const counts = `${stored} ${open}`;
		if (counts !== known) [known, since] = [counts, Date.now()];
		return open === 0 || Date.now() - since > QUIET_MS || undefined;
	};
	const what = `the executions of ${workflowId}`;
	await poll(isSettled, { what, timeoutMs: SETTLE_TIMEOUT_MS, intervalMs: 500 });
}
