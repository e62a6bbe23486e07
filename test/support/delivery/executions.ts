import { parse as parseFlatted } from 'flatted';
import { z } from 'zod/v4';

import type { N8nApi } from '../../../dev/stack/api';
import { isFinished, UNFINISHED } from '../../../dev/stack/execution';
import { poll } from '../../../dev/stack/poll';
import { absent } from '../../../dev/stack/rest';
import { inParallel } from '../../../nodes/IdentityVerification/parallel';
import { HANDLE } from './workflow';

const READERS = 4;
const QUIET_MS = 15_000;
const SETTLE_TIMEOUT_MS = 180_000;

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
	// What was still to run: the only place of an execution that crashed before its first node.
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
 * All executions of a workflow, once all have finished or no more do: those of a process that was
 * killed can stay unfinished. Reads the IDs after `lastId` one by one, because n8n's list orders by
 * start and continues by ID, and so leaves some out.
 */
export async function settledExecutions(
	api: N8nApi,
	workflowId: string,
	lastId: number,
): Promise<EventExecution[]> {
	await settle(api, workflowId);
	const ids = Array.from(
		{ length: (await newestId(api)) - lastId },
		(_, index) => lastId + index + 1,
	);
	const all = await inParallel(ids.length, READERS, async (index) => {
		const execution = await readExecution(api, String(ids[index]));
		return execution?.workflowId === api.idOf(workflowId) ? [execution] : [];
	});
	return all.flat();
}

/** The highest ID that n8n has given to an execution; 0 if none. */
export async function newestId(api: N8nApi): Promise<number> {
	const { results } = await api.get('/executions?limit=100', page);
	return Math.max(0, ...results.map(({ id }) => Number(id)));
}

async function settle(api: N8nApi, workflowId: string): Promise<void> {
	const filter = encodeURIComponent(
		JSON.stringify({ workflowId: api.idOf(workflowId), status: UNFINISHED }),
	);
	let unfinished = -1;
	let since = Date.now();
	await poll(
		async () => {
			const { count } = await api.get(`/executions?filter=${filter}&limit=1`, page);
			if (count !== unfinished) [unfinished, since] = [count, Date.now()];
			return count === 0 || Date.now() - since > QUIET_MS || undefined;
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
		{ what: `execution ${newId} to finish`, timeoutMs: 30_000 },
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
