import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
	NodeExecutionHint,
} from 'n8n-workflow';

import type { Decision } from './contract/vocabulary';
import type { ConnectedItem } from './item';

/** The values by which these two operations find each other's nodes in the workflow. */
export const CREATE_LINK_OPERATION = 'createHostedLink';
export const WAIT_OPERATION = 'waitForResult';

/**
 * The JSON of a link that Create Hosted Link returns, and that Wait for Result finds again. Frozen
 * after 0.1.0, except for `qrCode` and `unreadable`, because executions wait with it.
 */
export interface LinkItem {
	/** Null if the service's answer had none. */
	reference: string | null;
	/** Where the end user completes the verification. */
	url: string;
	/** The caller's own value, without the address that was sent with it. */
	customData: string;
	/** ID of the execution that waits for the result. Missing if none does. */
	awaitedBy?: string;
	/** When the link was created, as an ISO date. Missing if no execution waits. */
	createdAt?: string;
	/** The places of the answer that couldn't be read. */
	unreadable?: string[];
	/** A data URI, or whatever the service has sent. Missing for an agent's tool. */
	qrCode?: string | null;
}

export type Operation = ItemOperation | WaitingOperation;

interface EditorEntry {
	choice: INodePropertyOptions & { value: string; action: string };
	/**
	 * Tells an AI agent's model what the tool does. An operation without it isn't offered to agents.
	 */
	toolDescription?: string;
	parameters: INodeProperties[];
}

/** An operation that does the same thing for each item. */
export interface ItemOperation extends EditorEntry {
	kind: 'items';
	/** Whether its items are results, each of which can go to the output of its decision. */
	branches?: true;
	options: INodeProperties[];
	/**
	 * Reads and checks everything that an item needs. Sends nothing and copies no image.
	 * @throws NodeOperationError that names the item, or n8n's own error of an expression
	 */
	prepare(item: ConnectedItem): Promise<Task>;
	/** Texts for the output panel about a whole run. */
	summarize?(done: Done[]): string[];
}

/** An operation that makes the execution wait. */
export interface WaitingOperation extends EditorEntry {
	kind: 'waiting';
	/**
	 * Checks everything that the wait needs, and makes the execution wait unless there is nothing
	 * left to wait for.
	 * @returns by output what the node was resumed with, if it has waited before
	 * @throws NodeOperationError when the wait could only time out
	 */
	wait(context: IExecuteFunctions): Promise<INodeExecutionData[][]>;
}

/** What is left to do for an item that has been read and checked. */
export interface Task {
	/**
	 * Together with the node's parameters, identifies a paid request: its images, and values that can
	 * change outside the node, such as in a variable. Omit it for requests that cost nothing; they
	 * aren't remembered for Retry.
	 */
	requestIdentity?: object;
	/**
	 * @throws NodeApiError that names the item; GivenUp when another item failed before this one was
	 * sent
	 */
	send(): Promise<Done>;
}

/** An item that the operation has finished. */
export interface Done {
	item: INodeExecutionData;
	/** Texts for the output panel, each shown once. */
	hints: string[];
	/** The item's output, if the node has one for each decision. Review if missing. */
	branch?: Decision;
	/** How many credits were left afterwards. Missing if an earlier try paid for the item. */
	credit?: number;
}

export const LEFT_OUT_HINT =
	"Some parts of an answer could not be read and were left out; 'unreadable' in the item lists them.";

export function outputHint(message: string): NodeExecutionHint {
	return { message, type: 'info', location: 'outputPane' };
}
