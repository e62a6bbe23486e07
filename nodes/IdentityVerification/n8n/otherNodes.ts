import type {
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	NodeTypeAndVersion,
} from 'n8n-workflow';

import { CREDENTIAL_TYPE, credentialOf } from '../credential';

/** What `$('Node')` returns in an expression. */
interface NodeData {
	item?: INodeExecutionData;
	all(output: number, run: number): INodeExecutionData[];
}

/** An undocumented member of n8n's context. */
interface WithWorkflow {
	workflow?: { nodes?: Partial<Record<string, INode>> };
}

/** The nodes of this package after another one that are set to an operation, and enabled. */
export function nodesAfter(
	context: IExecuteFunctions,
	nodeName: string,
	operation: string,
): NodeTypeAndVersion[] {
	const following = context.getChildNodes(nodeName, { includeNodeParameters: true });
	return following.filter((node) => isOperation(context, node, operation));
}

/** The nodes of this package before this one that are set to an operation, and enabled. */
export function nodesBefore(context: IExecuteFunctions, operation: string): NodeTypeAndVersion[] {
	const { name } = context.getNode();
	const preceding = context.getParentNodes(name, { includeNodeParameters: true });
	return preceding.filter((node) => isOperation(context, node, operation));
}

function isOperation(
	context: IExecuteFunctions,
	{ type, disabled, parameters }: NodeTypeAndVersion,
	operation: string,
): boolean {
	return type === context.getNode().type && !disabled && parameters?.operation === operation;
}

/**
 * Another node of the workflow, with its settings, which n8n documents no way to see. Undefined if
 * it can't be seen (architecture.md#n8n-workflow-nodes).
 */
export function nodeOf(context: IExecuteFunctions, nodeName: string): INode | undefined {
	const { workflow } = context as IExecuteFunctions & WithWorkflow;
	return workflow?.nodes?.[nodeName];
}

/** Whether another node uses the same credential as this one, or isn't visible. */
export function sharesCredential(context: IExecuteFunctions, nodeName: string): boolean {
	const node = nodeOf(context, nodeName);
	return !node || (node.credentials?.[CREDENTIAL_TYPE]?.id ?? '') === credentialOf(context).id;
}

/**
 * Reads what a node has returned. Undefined if n8n has nothing, for example because the node hasn't
 * run.
 */
export function readNode<Value>(
	context: IExecuteFunctions,
	nodeName: string,
	read: (node: NodeData) => Value,
): Value | undefined {
	const { $ } = context.getWorkflowDataProxy(0) as { $: (nodeName: string) => NodeData };
	try {
		return read($(nodeName));
	} catch {
		return undefined;
	}
}

/** How many runs a node has had in this execution (architecture.md#n8n-run-index). */
export function runCountOf(context: IExecuteFunctions, nodeName: string): number {
	const { $node } = context.getWorkflowDataProxy(0) as {
		$node: Record<string, { runIndex: number } | undefined>;
	};
	return ($node[nodeName]?.runIndex ?? -1) + 1;
}
