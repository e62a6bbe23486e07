import { parse as parseFlatted } from 'flatted';
import pMap from 'p-map';
import { z } from 'zod/v4';

import type { N8nApi } from '../../../dev/stack/api';
import { executionAnswer, isFinished, STATUSES, UNFINISHED } from '../../../dev/stack/execution';
import { poll } from '../../../dev/stack/poll';
import { absent } from '../../../dev/stack/rest';
import { HANDLE } from './workflow';

const READERS = 4;
/** More than a process that dies while it stores executions leaves unused. */
const IDS_AT_ONCE = 50;
/** A run whose killed process left executions unfinished waits this long; another one doesn't. */
const QUIET_MS = 30_000;
const SETTLE_TIMEOUT_MS = 600_000;
const RETRY_TIMEOUT_MS = 120_000;

const page = z.object({
	results: z.array(z.object({ id: z.string(), status: z.string() })),
	count: z.number(),
});

const shownExecution = executionAnswer.extend({ workflowId: z.string() });
/** An execution as n8n's editor shows it. */
export type ShownExecution = z.infer<typeof shownExecution>;

const items = z.array(z.array(z.object({ json: z.record(z.string(), z.unknown()) })).nullable());
const nodeRun = z.object({
	executionStatus: z.string().optional(),
	data: z.object({ main: items }).partial().optional(),
});
const stored = z.object({
	resultData: z.object({ runData: z.record(z.string(), z.array(nodeRun)) }),
	// What was still to run: when an execution crashed before its first node, only this holds the event.
	executionData: z
		.object({
			nodeExecutionStack: z.array(z.object({ data: z.object({ main: items }).partial() })),
		})
		.partial()
		.optional(),
});
const details = z.object({
	id: z.string(),
	workflowId: z.string(),
	status: z.string(),
	data: z.string().transform((text) => stored.parse(parseFlatted(text))),
});

/** An execution as n8n has stored it. */
export interface EventExecution {
	id: string;
	workflowId: string;
	status: string;
	/** Of the event that started it; undefined when n8n doesn't have its data any more. */
	customData?: string;
	/** Whether the event came through the workflow's last node. */
	isHandled: boolean;
}

/**
 * All executions of a workflow, once there are as many as there have to be and all have finished, or
 * nothing changes any more: those of a process that was killed can stay unfinished.
 * @param atLeast how many there have to be: n8n 1 answers before it stores an execution
 */
export async function settledExecutions(
	api: N8nApi,
	workflowId: string,
	{ lastId, atLeast }: { lastId: number; atLeast: number },
): Promise<EventExecution[]> {
	await settle(api, workflowId, atLeast);
	return await readAll(api, workflowId, lastId, async (id) => await readExecution(api, id));
}

/** All executions of a workflow after `lastId`, with the data of each node. */
export async function shownExecutions(
	api: N8nApi,
	workflowId: string,
	lastId: number,
): Promise<ShownExecution[]> {
	const read = async (id: string) =>
		await api.get(`/executions/${id}`, shownExecution.optional()).catch(absent);
	return await readAll(api, workflowId, lastId, read);
}

/**
 * Reads the IDs after `lastId` until none of the next ones is known. n8n's list would leave some out: it orders by start
 * and continues by ID, and in queue mode executions don't start in the order of their IDs.
 */
async function readAll<Found extends { workflowId: string }>(
	api: N8nApi,
	workflowId: string,
	lastId: number,
	read: (id: string) => Promise<Found | undefined>,
): Promise<Found[]> {
	const ids = Array.from({ length: IDS_AT_ONCE }, (_, index) => lastId + index + 1);
	const found = await pMap(ids, async (id) => await read(String(id)), { concurrency: READERS });
	const known = found.filter((execution) => execution !== undefined);
	if (known.length === 0) return [];
	const own = known.filter((execution) => execution.workflowId === api.idOf(workflowId));
	return [...own, ...(await readAll(api, workflowId, lastId + IDS_AT_ONCE, read))];
}

/** The highest ID of the executions that started last; 0 if none. Executions to come have higher ones. */
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

/** Resolves when a workflow has so many executions and all have finished, or nothing changes any more. */
export async function settle(api: N8nApi, workflowId: string, atLeast: number): Promise<void> {
	const countOf = async (status: string[]) => (await executionsWith(api, workflowId, status)).count;
	let known = '';
	let since = Date.now();
	await poll(
		async () => {
			// In this order, one that comes in between isn't taken for a finished one.
			const stored = await countOf(STATUSES);
			const unfinished = await countOf(UNFINISHED);
			const counts = `${stored} ${unfinished}`;
			if (counts !== known) [known, since] = [counts, Date.now()];
			const isDone = stored >= atLeast && unfinished === 0;
			return isDone || Date.now() - since > QUIET_MS || undefined;
		},
		{ what: `the executions of ${workflowId}`, timeoutMs: SETTLE_TIMEOUT_MS, intervalMs: 500 },
	);
}

/**
 * Runs an execution again, as *Stop* and *Retry* in n8n's executions list do.
 * @param loadWorkflow whether with the workflow as it is saved now
 */
export async function runAgain(
	api: N8nApi,
	{ id, status }: Pick<EventExecution, 'id' | 'status'>,
	{ loadWorkflow } = { loadWorkflow: false },
): Promise<EventExecution> {
	if (!isFinished({ status })) await api.post(`/executions/${id}/stop`, {}, z.unknown());
	const retry = await api.post(`/executions/${id}/retry`, { loadWorkflow }, z.unknown());
	const { id: newId } = z.object({ id: z.string() }).parse(retry);
	return await poll(
		async () => {
			const retried = await readExecution(api, newId);
			return retried && isFinished(retried) ? retried : undefined;
		},
		{ what: `execution ${newId} to finish`, timeoutMs: RETRY_TIMEOUT_MS },
	);
}

/**
 * Returns undefined for an ID that no execution has. A process that dies while it stores one leaves
 * its ID unused in PostgreSQL; n8n then answers 200, without data.
 */
async function readExecution(
	api: N8nApi,
	executionId: string,
): Promise<EventExecution | undefined> {
	const found = await api.get(`/executions/${executionId}`, details.optional()).catch(absent);
	if (!found) return undefined;
	const { data, ...execution } = found;
	const handled = data.resultData.runData[HANDLE] ?? [];
	const isHandled = handled.some(({ executionStatus }) => executionStatus === 'success');
	return { ...execution, isHandled, customData: customDataOf(data) };
}

function customDataOf({ resultData, executionData }: z.infer<typeof stored>): string | undefined {
	const outputs = Object.values(resultData.runData).flatMap((runs) =>
		runs.flatMap(({ data }) => data?.main ?? []),
	);
	const inputs = (executionData?.nodeExecutionStack ?? []).flatMap(({ data }) => data.main ?? []);
	const values = [...outputs, ...inputs].flatMap((found) => found ?? []);
	const [customData] = values.map(({ json }) => json.customData).filter(Boolean);
	return typeof customData === 'string' ? customData : undefined;
}
