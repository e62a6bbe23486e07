import { randomUUID } from 'node:crypto';

import { WorkflowExecute } from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeParameters,
	INodeType,
	IRun,
	IRunExecutionData,
	IWorkflowSettings,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { NodeConnectionTypes, Workflow, createRunExecutionData } from 'n8n-workflow';

import { createAdditionalData } from './additionalData';
import type { Credential, NodeSettings } from './workflow';
import {
	PACKAGE_NAME,
	START_NAME,
	START_TYPE,
	credentialIdOfTest,
	nodeTypes,
	start,
} from './workflow';

export interface FlowNode {
	parameters?: INodeParameters;
	settings?: NodeSettings & Pick<INode, 'disabled'>;
	/** ID of another credential than the flow's. */
	credentialId?: string;
}

/** A workflow of several nodes behind the start node. */
export interface Flow {
	node: INodeType;
	credential: Credential;
	/** By name; those without parameters hand their items on. */
	nodes: Record<string, FlowNode>;
	/** From a node to another one, and from which of its outputs; default is the first. */
	connections: [from: string, to: string, output?: number][];
	items?: IDataObject[];
	mode?: WorkflowExecuteMode;
	executionId?: string;
	workflowSettings?: IWorkflowSettings;
	/** What an earlier run has left behind, such as one that waits. */
	data?: IRunExecutionData;
	/** What n8n requires to resume the execution; empty before n8n 2.39. */
	resumeToken?: string;
}

/** Runs a workflow in n8n's engine until it ends or waits. */
export async function runFlow(flow: Flow): Promise<IRun> {
	const { executionId = randomUUID(), mode = 'webhook', credential, items = [{}] } = flow;
	const workflow = workflowOfFlow(flow);
	const nodeExecutionStack = [
		{
			node: workflow.nodes[START_NAME] as INode,
			data: { main: [items.map((json) => ({ json }))] },
			source: null,
		},
	];
	const { resumeToken } = flow;
	const data =
		flow.data ?? createRunExecutionData({ executionData: { nodeExecutionStack }, resumeToken });
	const additionalData = createAdditionalData({ workflow, mode, executionId, credential });
	return await new WorkflowExecute(additionalData, mode, data).processRunExecutionData(workflow);
}

function workflowOfFlow({
	node,
	credential,
	nodes,
	connections,
	workflowSettings,
}: Flow): Workflow {
	const { name, version } = node.description;
	const type = `${PACKAGE_NAME}.${name}`;
	const credentials = (id = credentialIdOfTest()) => ({
		[credential.type.name]: { id, name: 'Credential of the test' },
	});
	const all = Object.entries({ [START_NAME]: {}, ...nodes }).map(
		([nodeName, { parameters, settings, credentialId }]: [string, FlowNode]): INode => ({
			id: randomUUID(),
			name: nodeName,
			position: [0, 0],
			...(parameters
				? {
						type,
						typeVersion: Number(version),
						parameters,
						credentials: credentials(credentialId),
					}
				: { type: START_TYPE, typeVersion: 1, parameters: {} }),
			...settings,
		}),
	);
	const connectionsBySourceNode: Workflow['connectionsBySourceNode'] = {};
	for (const [from, to, output = 0] of connections) {
		const outputs = ((connectionsBySourceNode[from] ??= {}).main ??= []);
		while (outputs.length <= output) outputs.push([]);
		outputs[output]?.push({ node: to, type: NodeConnectionTypes.Main, index: 0 });
	}
	return new Workflow({
		id: randomUUID(),
		nodes: all,
		connections: connectionsBySourceNode,
		active: false,
		nodeTypes: nodeTypes({ [type]: node, [START_TYPE]: start }),
		settings: { executionOrder: 'v1', ...workflowSettings },
	});
}
