import type {
	IBinaryKeyData,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
	NodeExecutionHint,
} from 'n8n-workflow';

import type { HostedLink, LinkRequest, ScanRequest } from './contract/endpoints';
import type { Received } from './contract/read';
import type { ScanResult } from './contract/result';
import type { Decision } from './contract/vocabulary';
import type { ConnectedItem } from './item';
import type { Call } from './transport/call';
import type { RemoteFile } from './transport/download';

/** The values by which these two operations find each other's nodes in the workflow. */
export const CREATE_LINK_OPERATION = 'createHostedLink';
export const WAIT_OPERATION = 'waitForResult';

/**
 * The JSON of a link that Create Hosted Link returns, and that Wait for Result finds again. Frozen
 * after 0.1.0, except for `qrCode` and `unreadable`, because executions wait with it.
 */
export interface LinkItem {
	/** Null if the service's answer had none that could be read. */
	reference: string | null;
	/** Where the end user completes the verification. */
	url: string;
	/** The caller's own value, without the address that was sent with it. */
	customData: string;
	/**
	 * ID of the execution that waits for the result. Missing if none does, or if the link has no
	 * reference, by which the execution would recognize its result.
	 */
	awaitedBy?: string;
	/** When the link was created, as an ISO date. Missing if no Wait for Result follows. */
	createdAt?: string;
	/** The fields of the answer that couldn't be read. */
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
	 * How many items a run works on at a time unless Max Parallel Requests says so. As many as the
	 * pace of the service allows if missing.
	 */
	parallel?: number;
	/**
	 * Reads and checks everything that an item needs. Sends nothing.
	 * @throws NodeOperationError that names the item, or n8n's own error of an expression
	 */
	prepare(item: ConnectedItem): Promise<Task>;
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

/** What is left to do for an item that has been read and checked. `batch/step.ts` does it. */
export type Task = ScanTask | LinkTask | DownloadsTask;

interface ScanTask extends PaidTask<ScanRequest, ScanResult> {
	kind: 'scan';
}

interface LinkTask extends PaidTask<LinkRequest, HostedLink> {
	kind: 'link';
}

/** A call that is paid for. */
interface PaidTask<Request, Value> extends Call<Request> {
	/**
	 * Together with the node's parameters, identifies the request for Retry: its images, and values
	 * that can change outside the node, such as in a variable.
	 */
	requestIdentity: object;
	/** Makes the item. The call is paid for by then. */
	toDone(answer: Received<Value>): Done | Promise<Done>;
}

/** Files to download, which cost nothing. */
interface DownloadsTask {
	kind: 'downloads';
	files: RemoteFile[];
	/** Of each file. */
	maxBytes: number;
	toDone(fetched: IBinaryKeyData): Done;
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
