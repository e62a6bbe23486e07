import { randomUUID } from 'node:crypto';

import { parse, stringify } from 'flatted';
import { WorkflowExecute } from 'n8n-core';
import type {
	ExecutionError,
	ExecutionStatus,
	IDataObject,
	IExecuteData,
	INodeExecutionData,
	IRun,
	IRunExecutionData,
	ITaskData,
	NodeExecutionHint,
	Workflow,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { createRunExecutionData } from 'n8n-workflow';

import { createAdditionalData } from './additionalData';
import { readFiles, storeFile, setBinaryMode } from './binaryData';
import type { BinaryMode, ChunksOf, TestFile } from './binaryData';
import { createWorkflow, NODE_NAME, nodeOf, START_NAME } from './workflow';
import type { NodeSetup } from './workflow';

export interface InputItem {
	json?: IDataObject;
	/** Binary fields. Stored by n8n's own binary data service. */
	files?: Record<string, TestFile>;
}

export interface RunOptions extends NodeSetup {
	/** One empty item if missing. */
	items?: InputItem[];
	/** Items of further runs of the node in the same execution, as a loop makes them. */
	laterItems?: InputItem[][];
	binaryMode?: BinaryMode;
	/** Of a network store, the binary mode `s3`. */
	chunksOf?: ChunksOf;
	executionId?: string;
	mode?: WorkflowExecuteMode;
	/** n8n's variables, `$vars`. */
	variables?: IDataObject;
	/** A failed run that is run again, as *Retry* in the executions list does. */
	retryOf?: NodeRun;
	/** Whether it is run again with its original workflow, and not with the currently saved one. */
	isOriginalWorkflow?: boolean;
}

export interface OutputItem extends Pick<INodeExecutionData, 'json' | 'error' | 'pairedItem'> {
	files: Record<string, TestFile>;
}

/** What n8n recorded about the node under test. */
export interface NodeRun {
	/** Of the whole execution: success, error or canceled. */
	status: ExecutionStatus;
	/** Items of each output in the last run. Empty if the node failed. */
	outputs: OutputItem[][];
	/** The same of all runs. */
	runs: OutputItem[][][];
	error?: ExecutionError;
	hints: NodeExecutionHint[];
	/** All that n8n would store of the execution. */
	stored: IRun['data'];
}

export interface RunningNode {
	result: Promise<NodeRun>;
	/** What n8n does when a user stops the execution. */
	cancel(): void;
}

/** Runs a node in n8n's engine and waits for its end. Rejects if n8n refuses the workflow. */
export async function runNode(options: RunOptions): Promise<NodeRun> {
	return await (
		await startNode(options)
	).result;
}

/** Starts a node in n8n's engine, for tests that do something meanwhile. */
export async function startNode(options: RunOptions): Promise<RunningNode> {
	const { binaryMode = 'default', credential, retryOf, isOriginalWorkflow, variables } = options;
	const { executionId = randomUUID(), mode = retryOf ? 'retry' : 'manual' } = options;
	const { workflow } = createWorkflow(options);
	await setBinaryMode(binaryMode, options.chunksOf);
	const data = retryOf
		? retried(retryOf.stored, isOriginalWorkflow ? undefined : workflow)
		: await started(options, workflow, executionId);
	const additionalData = createAdditionalData({
		workflow,
		mode,
		executionId,
		credential,
		variables,
	});
	const engine = new WorkflowExecute(additionalData, mode, data);
	const execution = engine.processRunExecutionData(workflow);
	return { result: execution.then(readRun), cancel: () => execution.cancel() };
}

async function started(
	{ items = [{}], laterItems = [] }: RunOptions,
	workflow: Workflow,
	executionId: string,
): Promise<IRunExecutionData> {
	const location = { workflowId: workflow.id, executionId };
	const node = nodeOf(workflow, START_NAME);
	const inputs = [items, ...laterItems].map(async (run) => {
		return await Promise.all(run.map(async (item) => await toN8nItem(item, location)));
	});
	const nodeExecutionStack = (await Promise.all(inputs)).map(
		(input): IExecuteData => ({ node, data: { main: [input] }, source: null }),
	);
	return createRunExecutionData({ executionData: { nodeExecutionStack } });
}

/**
 * Reads a stored execution and prepares it as n8n's executions list does for Retry.
 * @param saved the currently saved workflow, if its nodes are to be run
 */
function retried(stored: IRun['data'], saved?: Workflow): IRunExecutionData {
	const data = parse(stringify(stored)) as IRunExecutionData;
	const { resultData, executionData } = data;
	delete resultData.error;
	const runs = resultData.runData[resultData.lastNodeExecuted ?? ''] ?? [];
	if (runs.at(-1)?.error !== undefined) runs.pop();
	for (const stacked of executionData?.nodeExecutionStack ?? []) {
		if (saved) stacked.node = nodeOf(saved, stacked.node.name);
	}
	return data;
}

async function toN8nItem(
	{ json = {}, files }: InputItem,
	location: { workflowId: string; executionId: string },
): Promise<INodeExecutionData> {
	if (!files) return { json };
	const binary = Object.entries(files).map(async ([name, file]) => [
		name,
		await storeFile(file, location),
	]);
	return { json, binary: Object.fromEntries(await Promise.all(binary)) };
}

async function readRun({ data, status }: IRun): Promise<NodeRun> {
	const tasks = data.resultData.runData[NODE_NAME] ?? [];
	const runs = await Promise.all(tasks.map(readOutputs));
	const last = tasks.at(-1);
	return {
		status,
		outputs: runs.at(-1) ?? [],
		runs,
		error: last?.error ?? data.resultData.error,
		hints: last?.hints ?? [],
		stored: data,
	};
}

async function readOutputs({ data }: ITaskData): Promise<OutputItem[][]> {
	const outputs = (data?.main ?? []).map(async (items) => {
		return await Promise.all((items ?? []).map(toOutputItem));
	});
	return await Promise.all(outputs);
}

async function toOutputItem(item: INodeExecutionData): Promise<OutputItem> {
	const { json, error, pairedItem, binary } = item;
	return { json, error, pairedItem, files: await readFiles(binary) };
}
