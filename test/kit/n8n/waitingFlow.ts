import type { HostedLink } from '../../../dev/stack/link';
import { hostedLink } from '../../../dev/stack/link';
import type { N8nApi, WorkflowFile } from '../../../dev/stack/api';
import { itemsOf, outputsTaken } from '../../../dev/stack/execution';
import type { Execution } from '../../../dev/stack/execution';
import { poll } from '../../../dev/stack/poll';
import type { LiveWorkflow } from './liveWorkflow';
import { actionNode, branchNode, triggerNode, webhookNode, workflowOf } from './workflow';
import type { Connection, WorkflowNode } from './workflow';

/** Names of nodes. */
export const START = 'Start';
export const CREATE = 'Create Hosted Link';
export const WAIT = 'Wait for Result';
export const TRIGGER = 'Verification Completed';

/** The branches of a Wait for Result, by output. */
export const AWAITED = ['No Result', 'Review', 'Accept', 'Reject'];

const UNDELIVERED = ['Review', 'Accept', 'Reject'];

/** How long n8n may take for what tests wait for. */
export const DEADLINE = { timeoutMs: 90_000, intervalMs: 100 };

export interface WaitingFlowOptions {
	credentialId: string;
	profile: string;
	create?: Record<string, unknown>;
	wait?: Record<string, unknown>;
	/** Settings of the Wait for Result beside its parameters. */
	waitSettings?: Record<string, unknown>;
	/** How the link gets from one node to the other, if not straight. */
	between?: { nodes: WorkflowNode[]; connections: Connection[] };
	/** Makes the node of a branch; one that does nothing if missing. */
	branch?: (name: string) => WorkflowNode;
}

/** A workflow that creates a link for what it's sent, and waits for the result. */
export function waitingFlow(options: WaitingFlowOptions): WorkflowFile {
	const { branch = branchNode, between = { nodes: [], connections: [[CREATE, WAIT]] } } = options;
	return workflowOf(
		[
			webhookNode(START, { responseMode: 'onReceived' }),
			createNode(CREATE, options),
			...between.nodes,
			awaitNode(WAIT, options),
			...AWAITED.map(branch),
		],
		[
			[START, CREATE],
			...between.connections,
			...AWAITED.map((name, output): Connection => [WAIT, name, output]),
		],
	);
}

/** A Create Hosted Link for the applicant that the workflow was started with. */
export function createNode(name: string, { credentialId, profile, create }: WaitingFlowOptions) {
	return actionNode(name, {
		credentialId,
		parameters: {
			operation: 'createHostedLink',
			profile,
			mode: 0,
			customData: `={{ $('${START}').item.json.body.applicantId }}`,
			...create,
		},
	});
}

/** A Wait for Result. */
export function awaitNode(
	name: string,
	{ credentialId, wait, waitSettings: settings }: Omit<WaitingFlowOptions, 'profile'>,
) {
	const parameters = { operation: 'waitForResult', ...wait };
	return actionNode(name, { credentialId, parameters, settings });
}

/** A trigger with a branch for each of its outputs. */
export function triggerFlow(credentialId: string, branch = branchNode): WorkflowFile {
	const trigger = triggerNode(TRIGGER, {
		credentialId,
		parameters: { authentication: 'webhookSecret' },
	});
	return workflowOf(
		[trigger, ...UNDELIVERED.map(branch)],
		UNDELIVERED.map((name, output) => [TRIGGER, name, output]),
	);
}

/** An execution that waits, and its link. */
export interface Waiting {
	executionId: string;
	link: HostedLink;
}

/** Starts a flow, and resolves when its execution waits. */
export async function startWaiting(
	api: N8nApi,
	flow: LiveWorkflow,
	applicantId: unknown = 'applicant-1',
): Promise<Waiting> {
	const executionId = await startFlow(flow, applicantId);
	const [item] = itemsOf(await untilStatus(api, executionId, 'waiting'), CREATE);
	return { executionId, link: hostedLink.parse(item) };
}

/** Starts a flow; returns the ID of its execution. */
export async function startFlow(flow: LiveWorkflow, applicantId: unknown): Promise<string> {
	const before = new Set((await flow.list()).map(({ id }) => id));
	await flow.send(START, { applicantId });
	const find = async () => (await flow.list()).find(({ id }) => !before.has(id))?.id;
	return await poll(find, { what: 'an execution', ...DEADLINE });
}

/** Resolves with an execution when it has a status. */
export async function untilStatus(
	api: N8nApi,
	id: string,
	status: string,
	deadline = DEADLINE,
): Promise<Execution> {
	const options = { what: `execution ${id} to have the status ${status}`, ...deadline };
	return await poll(async () => {
		const execution = await api.getExecution(id);
		return execution.status === status ? execution : undefined;
	}, options);
}

/** Items by the name of the branch that they ran. */
export type Branches = Record<string, Record<string, unknown>[]>;

/** The branches behind a Wait for Result that ran, with their items. */
export function branchesOf(execution: Execution): Branches {
	const taken = AWAITED.filter((name) => name in execution.data);
	return Object.fromEntries(taken.map((name) => [name, itemsOf(execution, name)]));
}

/** The branches behind a trigger that ran, with their items. */
export function undeliveredOf(execution: Execution): Branches {
	const taken = outputsTaken(execution, TRIGGER).map((output) => UNDELIVERED[output] ?? '');
	return Object.fromEntries(taken.map((name) => [name, itemsOf(execution, name)]));
}

/**
 * A flow with several paths from the link to the waiting: over a node of each name, or straight
 * where it's empty.
 */
export function flowOfPaths(
	names: string[],
	executionOrder: string,
	options: WaitingFlowOptions,
): WorkflowFile {
	const between = {
		nodes: names.filter(Boolean).map((name) => branchNode(name)),
		connections: names.flatMap((name): Connection[] =>
			name ? through(branchNode(name)).connections : [[CREATE, WAIT]],
		),
	};
	// n8n runs the upper one of two nodes first.
	const waitSettings = { position: [0, 1_000] };
	const file = waitingFlow({ ...options, between, waitSettings });
	return { ...file, settings: { executionOrder } };
}

/** One node between the link and the waiting. */
export function through(node: WorkflowNode): { nodes: WorkflowNode[]; connections: Connection[] } {
	return {
		nodes: [node],
		connections: [
			[CREATE, node.name],
			[node.name, WAIT],
		],
	};
}
