import { parse as parseFlatted } from 'flatted';
import { z } from 'zod/v4';

const item = z.object({
	json: z.record(z.string(), z.unknown()),
	binary: z.record(z.string(), z.unknown()).optional(),
	pairedItem: z.unknown(),
});

const nodeRun = z.object({
	executionStatus: z.string().optional(),
	/** Where its input came from; output 0 can be left out. */
	source: z.array(
		z.object({ previousNode: z.string(), previousNodeOutput: z.number().optional() }).nullable(),
	),
	/** Items by output. */
	data: z.object({ main: z.array(z.array(item).nullable()).optional() }).optional(),
	error: z.object({ message: z.string() }).passthrough().optional(),
});
export type NodeRun = z.infer<typeof nodeRun>;

const runData = z.object({
	resultData: z.object({ runData: z.record(z.string(), z.array(nodeRun)) }),
});

export const executionAnswer = z.object({
	id: z.string(),
	status: z.string(),
	data: z.string().transform((text) => runData.parse(parseFlatted(text)).resultData.runData),
	workflowData: z.object({
		nodes: z.array(z.object({ name: z.string(), type: z.string() })),
	}),
});

/** A stored execution. `data` holds the runs of each node that ran, by the node's name. */
export type Execution = z.infer<typeof executionAnswer>;

const FINISHED = ['success', 'error', 'canceled', 'crashed', 'unknown'];
export const UNFINISHED = ['new', 'running', 'waiting'];
export const STATUSES = [...FINISHED, ...UNFINISHED];

export function isFinished({ status }: { status: string }): boolean {
	return !UNFINISHED.includes(status);
}

/** Indexes of the outputs of a node from which another node ran: the branches taken. */
export function outputsTaken({ data }: Execution, nodeName: string): number[] {
	const sources = Object.values(data)
		.flat()
		.flatMap(({ source }) => source);
	const outputs = sources
		.filter((source) => source?.previousNode === nodeName)
		.map((source) => source?.previousNodeOutput ?? 0);
	return [...new Set(outputs)].sort();
}

/** Name of the first node of a type, such as `identityVerificationTrigger`, of any package. */
export function nodeOfType({ workflowData }: Execution, type: string): string {
	const node = workflowData.nodes.find((candidate) => candidate.type.endsWith(`.${type}`));
	if (!node) throw new Error(`The workflow has no node of type ${type}.`);
	return node.name;
}

/** JSON of all items that a node returned, of all outputs and runs. */
export function itemsOf({ data }: Execution, nodeName: string): Record<string, unknown>[] {
	return (data[nodeName] ?? [])
		.flatMap((run) => run.data?.main ?? [])
		.flatMap((items) => items ?? [])
		.map(({ json }) => json);
}
