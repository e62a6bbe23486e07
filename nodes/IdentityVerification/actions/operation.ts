import { NodeOperationError } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
	NodeExecutionHint,
} from 'n8n-workflow';

import { NOT_CHARGED, headline } from '../transport/errors';
import type { Connection } from '../transport/request';

/** The names in a node's parameter by which one operation finds the other in the workflow. */
export const CREATE_LINK_OPERATION = 'createHostedLink';
export const WAIT_OPERATION = 'waitForResult';

/** One thing that the action node can do. */
export type Operation = ItemOperation | WaitingOperation;

/** How an operation looks in the editor. */
interface EditorEntry {
	/** How it is offered in the editor. */
	choice: INodePropertyOptions & { value: string; action: string };
	/** What an AI agent's model is told of it. Without, it's no use to an agent. */
	toolDescription?: string;
	/** Parameters that only this operation shows. */
	parameters: INodeProperties[];
}

/** An operation that does the same for each item. */
export interface ItemOperation extends EditorEntry {
	kind: 'items';
	/** Whether its items are results, each of which can go to the output of its decision. */
	branches?: true;
	/** Entries that only this operation has in the Options collection. */
	options: INodeProperties[];
	/**
	 * Reads and checks all that an item needs. Sends nothing, and keeps no image.
	 * @throws NodeOperationError that names the item, or n8n's own error of an expression
	 */
	prepare(connection: Connection, itemIndex: number): Promise<Task>;
	/** Texts for the output panel about a whole run. */
	summarize?(done: Done[]): string[];
}

/** An operation that puts the execution to wait. */
export interface WaitingOperation extends EditorEntry {
	kind: 'waiting';
	/**
	 * Checks all that is needed, and lets the execution wait unless there is nothing left to wait for.
	 * @throws NodeOperationError when nothing could end the waiting but time
	 */
	wait(context: IExecuteFunctions): Promise<void>;
}

/** What an operation does for one item, when all that it needs has been read and checked. */
export interface Task {
	/**
	 * Together with the node's parameters, identifies a paid request: the identities of its images, and
	 * values that a person may correct outside the node, such as in a variable. Missing when nothing is paid
	 * for.
	 */
	requestIdentity?: object;
	/**
	 * Processes the item.
	 * @throws NodeApiError that names the item
	 */
	run(): Promise<Done>;
}

/** The outcome of a task. */
export interface Done {
	/** The item that is returned. */
	item: INodeExecutionData;
	/** Texts for the output panel, each shown once. */
	hints: string[];
	/** How many credits were left then. Missing where nothing was sent now, because an earlier try paid for the item. */
	credit?: number;
}

/** What the output panel says when an item names what could not be read of an answer. */
export const LEFT_OUT_HINT =
	"Some parts of an answer could not be read and were left out; 'unreadable' in the item lists them.";

/** A text for the node's output panel. */
export function outputHint(message: string): NodeExecutionHint {
	return { message, type: 'info', location: 'outputPane' };
}

/**
 * An error of one item, before anything was sent for it.
 * @param message without the item and what it means for credits, which are added
 * @param advice what to do, in a sentence
 */
export function itemError(
	context: IExecuteFunctions,
	itemIndex: number,
	message: string,
	advice: string,
): NodeOperationError {
	const description = `${advice} Nothing was sent for this item.`;
	const error = new NodeOperationError(context.getNode(), message, { itemIndex, description });
	// n8n replaces a message with a code such as ECONNRESET in it, which a file name can have.
	return Object.assign(error, {
		message: headline(message, NOT_CHARGED, { itemIndex }),
		messages: [],
	});
}
