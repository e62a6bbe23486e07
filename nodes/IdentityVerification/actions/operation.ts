import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
	NodeExecutionHint,
} from 'n8n-workflow';

import type { Connection } from '../transport';

/** One thing that the action node can do: how it looks in the editor, and what it does. */
export interface Operation {
	/** How it is offered in the editor. */
	choice: INodePropertyOptions & { value: string; action: string };
	/** What an AI agent's model is told of it. Without, it's no use to an agent. */
	toolDescription?: string;
	/** Parameters that only this operation shows. */
	parameters: INodeProperties[];
	/** Whether its items are results, which can each leave at the output of its decision. */
	branches?: true;
	/** Entries that only this operation has in the Options collection. */
	options: INodeProperties[];
	/**
	 * Reads and checks all that an item needs. Sends nothing, and keeps no image.
	 * @throws NodeOperationError that names the item, or n8n's own error of an expression
	 */
	prepare(connection: Connection, itemIndex: number): Promise<Task>;
	/** Reads the settings for the hints about a whole run; the returned function makes them. */
	summarize?(context: IExecuteFunctions): (done: Done[]) => NodeExecutionHint[];
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

/** What a task came to. */
export interface Done {
	/** What is put out. */
	item: INodeExecutionData;
	/** Texts for the output panel, each shown once. */
	hints: string[];
	/** Whether an earlier try paid for it, and nothing was sent now. */
	isFromEarlier?: boolean;
}
