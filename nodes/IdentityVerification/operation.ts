import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
	NodeExecutionHint,
} from 'n8n-workflow';

import type { Decision } from './contract/vocabulary';
import type { ConnectedItem } from './item';

/** By these values, one operation finds the nodes of the other in the workflow. */
export const CREATE_LINK_OPERATION = 'createHostedLink';
export const WAIT_OPERATION = 'waitForResult';

export type Operation = ItemOperation | WaitingOperation;

interface EditorEntry {
	choice: INodePropertyOptions & { value: string; action: string };
	/** What an AI agent's model is told. An operation without it isn't offered to agents. */
	toolDescription?: string;
	parameters: INodeProperties[];
}

/** An operation that does the same for each item. */
export interface ItemOperation extends EditorEntry {
	kind: 'items';
	/** Whether its items are results, each of which can go to the output of its decision. */
	branches?: true;
	options: INodeProperties[];
	/**
	 * Reads and checks all that an item needs. Sends nothing, and copies no image.
	 * @throws NodeOperationError that names the item, or n8n's own error of an expression
	 */
	prepare(item: ConnectedItem): Promise<Task>;
	/** Texts for the output panel about a whole run. */
	summarize?(done: Done[]): string[];
}

/** An operation that lets the execution wait. */
export interface WaitingOperation extends EditorEntry {
	kind: 'waiting';
	/**
	 * Checks all that is needed, and lets the execution wait unless there is nothing left to wait
	 * for.
	 * @returns what the node was resumed with, by output, if it has waited before
	 * @throws NodeOperationError when the wait could only time out
	 */
	wait(context: IExecuteFunctions): Promise<INodeExecutionData[][]>;
}

/** What is left to do for an item that has been read and checked. */
export interface Task {
	/**
	 * Together with the node's parameters, identifies a paid request: its images, and values that can
	 * change outside the node, such as in a variable. A task without it costs nothing: nothing of it
	 * is kept for Retry.
	 */
	requestIdentity?: object;
	/**
	 * @throws NodeApiError that names the item; GivenUp when another item failed before this one was
	 * sent
	 */
	send(): Promise<Done>;
}

/** An item that the operation is done with. */
export interface Done {
	item: INodeExecutionData;
	/** Texts for the output panel, each shown once. */
	hints: string[];
	/** The output that it belongs to, where the node has one for each decision. Review if missing. */
	branch?: Decision;
	/** How many credits were left then. Missing where an earlier try paid for the item. */
	credit?: number;
}

export const LEFT_OUT_HINT =
	"Some parts of an answer could not be read and were left out; 'unreadable' in the item lists them.";

export function outputHint(message: string): NodeExecutionHint {
	return { message, type: 'info', location: 'outputPane' };
}
