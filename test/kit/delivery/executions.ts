import { parse as parseFlatted } from 'flatted';
import pMap from 'p-map';
import { z } from 'zod/v4';

import type { N8nApi } from '../../../dev/stack/api';
import { isFinished, STATUSES, UNFINISHED } from '../../../dev/stack/execution';
import { poll } from '../../../dev/stack/poll';
import { absent } from '../../../dev/stack/rest';
import { HANDLE } from './workflow';

const READERS = 4;
/** A run whose killed process left executions unfinished waits this long; another one doesn't. */
const QUIET_MS = 30_000;
const SETTLE_TIMEOUT_MS = 600_000;
const RETRY_TIMEOUT_MS = 120_000;

const page = z.object({
	results: z.array(z.object({ id: z.string() })),
	count: z.number(),
});

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
 * nothing changes any more: those of a process that was killed can stay unfinished. Reads the IDs
 * after `lastId` one by one, because n8n's list orders by start and continues by ID, and so leaves
 * some out.
 * @param atLeast how many there have to be: n8n 1 answers before it stores an execution
 */
export async function settledExecutions(
	api: N8nApi,
	workflowId: string,
	{ lastId, atLeast }: { lastId: number; atLeast: number },
): Promise<EventExecution[]> {
	await settle(api, workflowId, atLeast);
	const ids = Array.from(
		{ length: (await newestId(api)) - lastId },
		(_, index) => lastId + index + 1,
	);
	const read = async (id: number) => {
		const execution = await readExecution(api, String(id));
		return execution?.workflowId === api.idOf(workflowId) ? [execution] : [];
	};
	return (await pMap(ids, read, { concurrency: READERS })).flat();
}

/** The highest ID that n8n has given to an execution; 0 if none. */
export async function newestId(api: N8nApi): Promise<number> {
	const { results } = await api.get('/executions?limit=100', page);
	return Math.max(0, ...results.map(({ id }) => Number(id)));
}

async function settle(api: N8nApi, workflowId: string, atLeast: number): Promise<void> {
	const countOf = async (status: string[]) => {
		const filter = JSON.stringify({ workflowId: api.idOf(workflowId), status });
		const query = `filter=${encodeURIComponent(filter)}&limit=1`;
		return (await api.get(`/executions?${query}`, page)).count;
	};
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

/** Runs an execution again, as *Stop* and *Retry* in n8n's executions list do. */
export async function runAgain(
	api: N8nApi,
	{ id, status }: EventExecution,
): Promise<EventExecution> {
	if (!isFinished({ status })) await api.post(`/executions/${id}/stop`, {}, z.unknown());
	const retry = await api.post(`/executions/${id}/retry`, { loadWorkflow: false }, z.unknown());
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
