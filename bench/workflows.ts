import { randomUUID } from 'node:crypto';

import type { WorkflowFile } from '../dev/stack/api';
import { n8nNode, webhookNode, workflowOf } from '../test/kit/n8n/workflow';
import type { Link, WorkflowNode } from '../test/kit/n8n/workflow';

export {
	actionNode,
	branchNode,
	loopNode,
	n8nNode,
	triggerNode,
	workflowOf,
} from '../test/kit/n8n/workflow';
export type { Link, WorkflowNode } from '../test/kit/n8n/workflow';

/** A workflow whose ID comes from its name, so that another run replaces it. */
export function namedWorkflow(
	name: string,
	nodes: WorkflowNode[],
	links: Link[],
	settings: Record<string, unknown> = {},
): WorkflowFile {
	const id = name.replace(/\W/g, '').slice(0, 16);
	return { ...workflowOf(nodes, links, settings), id, name };
}

/** A Webhook node, of the version that n8n's editor adds. */
export function webhookStart(parameters: Record<string, unknown>): WorkflowNode {
	return { ...webhookNode('Webhook', parameters), typeVersion: 2.1 };
}

/** The same node with a credential of a type that n8n brings, or of the package's. */
export function withCredential(
	node: WorkflowNode,
	type: string,
	credentialIds: Record<string, string>,
): WorkflowNode {
	return { ...node, credentials: { [type]: { id: credentialIds[type] ?? null, name: type } } };
}

/** Switch with an output for each value that an expression can have. */
export function switchNode(expression: string, values: readonly string[]): WorkflowNode {
	const rules = values.map((rightValue) => ({
		conditions: {
			options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
			conditions: [
				{
					id: randomUUID(),
					leftValue: expression,
					rightValue,
					operator: { type: 'string', operation: 'equals' },
				},
			],
			combinator: 'and',
		},
		renameOutput: true,
		outputKey: rightValue,
	}));
	const parameters = { mode: 'rules', rules: { values: rules }, options: {} };
	return n8nNode('Switch', 'switch', 3.2, parameters);
}
