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
	option: INodePropertyOptions & { value: string; action: string };
	/** What an AI agent's model is told of it. Without, it's no use to an agent. */
	toolDescription?: string;
	/** Parameters that only this operation shows. */
	fields: INodeProperties[];
	/** Entries that only this operation has in the Options collection. */
	options: INodeProperties[];
	/**
	 * Does it for one item.
	 * @throws NodeApiError or NodeOperationError that names the item
	 */
	execute(connection: Connection, itemIndex: number): Promise<INodeExecutionData>;
	/** What the output panel says of the whole run. */
	summarize?(context: IExecuteFunctions, items: INodeExecutionData[]): NodeExecutionHint[];
}
