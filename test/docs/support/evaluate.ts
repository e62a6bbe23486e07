import { randomUUID } from 'node:crypto';

import { WorkflowExecute } from 'n8n-core';
import type { INode, INodeExecutionData, INodeType } from 'n8n-workflow';
import { NodeConnectionTypes, Workflow, createRunExecutionData } from 'n8n-workflow';

import { createAdditionalData } from '../../kit/engine/additionalData';
import { START_TYPE, nodeTypes, start } from '../../kit/engine/workflow';

const EVALUATING_TYPE = 'test.evaluating';
const EVALUATING = 'Evaluating';

/** A node that returns its parameter. */
const evaluating: INodeType = {
	description: {
		displayName: 'Evaluating',
		name: 'evaluating',
		group: [],
		version: 1,
		description: '',
		defaults: {},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		properties: [{ displayName: 'Text', name: 'text', type: 'string', default: '' }],
	},
	async execute() {
		return [[{ json: { text: this.getNodeParameter('text', 0) }, pairedItem: 0 }]];
	},
};

/**
 * What n8n makes of an expression in the last of several nodes: each node before it, by name, has
 * returned the same item.
 */
export async function evaluate(
	expression: string,
	item: INodeExecutionData,
	before: readonly string[] = [],
): Promise<unknown> {
	const names = ['Start', ...before.filter((name) => name !== 'Start'), EVALUATING];
	const nodes = names.map((name): INode => {
		const isLast = name === EVALUATING;
		return {
			id: randomUUID(),
			name,
			type: isLast ? EVALUATING_TYPE : START_TYPE,
			typeVersion: 1,
			position: [0, 0],
			parameters: isLast ? { text: expression } : {},
		};
	});
	const connections = Object.fromEntries(
		names.slice(0, -1).map((name, index) => {
			const node = String(names[index + 1]);
			return [name, { main: [[{ node, type: NodeConnectionTypes.Main, index: 0 }]] }];
		}),
	);
	const workflow = new Workflow({
		id: randomUUID(),
		nodes,
		connections,
		active: false,
		nodeTypes: nodeTypes({ [START_TYPE]: start, [EVALUATING_TYPE]: evaluating }),
		settings: { executionOrder: 'v1' },
	});
	const node = workflow.getNode('Start') as INode;
	const nodeExecutionStack = [{ node, data: { main: [[item]] }, source: null }];
	const data = createRunExecutionData({ executionData: { nodeExecutionStack } });
	const additionalData = createAdditionalData({ workflow, mode: 'manual', executionId: '1' });
	const engine = new WorkflowExecute(additionalData, 'manual', data);
	const { resultData } = (await engine.processRunExecutionData(workflow)).data;
	if (resultData.error) throw new Error(resultData.error.message);
	return resultData.runData[EVALUATING]?.[0]?.data?.main?.[0]?.[0]?.json.text;
}
