import type {
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	NodeTypeAndVersion,
} from 'n8n-workflow';

import { CREDENTIAL_TYPE, credentialOf } from '../../credential';
import { WAIT_OPERATION } from '../../operation';

/** What `$('Node')` is in an expression. */
interface NodeData {
	item?: INodeExecutionData;
	all(output: number, run: number): INodeExecutionData[];
}

/** What n8n's context has besides its documented members. */
interface WithWorkflow {
	workflow?: { nodes?: Partial<Record<string, INode>> };
}

/** The Wait for Result nodes after a node. */
export function waitNodesAfter(context: IExecuteFunctions, nodeName: string): NodeTypeAndVersion[] {
	const behind = context.getChildNodes(nodeName, { includeNodeParameters: true });
	return behind.filter((node) => isOperation(context, node, WAIT_OPERATION));
}

/** Whether a node is one of this package, switched on, with this operation. */
export function isOperation(
	context: IExecuteFunctions,
	{ type, disabled, parameters }: NodeTypeAndVersion,
	operation: string,
): boolean {
	return type === context.getNode().type && !disabled && parameters?.operation === operation;
}

/**
 * Whether another node has the credential of this one. n8n hands a node no credential of another
 * one; where its workflow isn't there either, the answer is true.
 * See architecture.md#n8n-workflow-nodes.
 */
export function sharesCredential(context: IExecuteFunctions, nodeName: string): boolean {
	const { workflow } = context as IExecuteFunctions & WithWorkflow;
	const node = workflow?.nodes?.[nodeName];
	return !node || (node.credentials?.[CREDENTIAL_TYPE]?.id ?? '') === credentialOf(context).id;
}

/**
 * Reads what a node has returned; undefined where n8n has nothing, such as for a node that hasn't
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

/** In how many runs of this execution a node has returned something. */
export function runCountOf(context: IExecuteFunctions, nodeName: string): number {
	const { $node } = context.getWorkflowDataProxy(0) as {
		$node: Record<string, { runIndex: number } | undefined>;
	};
	return ($node[nodeName]?.runIndex ?? -1) + 1;
}
