import type {
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
	NodeExecutionHint,
} from 'n8n-workflow';

import type { Decision } from './contract/vocabulary';
import type { Call } from './transport/call';

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

/** An operation in the editor. What it does is in `batch/step.ts`, or in `waitForResult()`. */
export interface Operation {
	/** What each item becomes: a task of this kind. With `wait`, the execution waits instead. */
	kind: TaskKind | 'wait';
	choice: INodePropertyOptions & { value: string; action: string };
	/**
	 * Tells an AI agent's model what the tool does. An operation without it isn't offered to agents.
	 */
	toolDescription?: string;
	/** Whether its items are results, each of which can go to the output of its decision. */
	branches?: true;
	parameters: INodeProperties[];
	/** Missing if the operation sends nothing. */
	options?: INodeProperties[];
}

/** The kinds of tasks. A task is what is left to do for an item that has been read and checked. */
export type TaskKind = 'scan' | 'link' | 'downloads';

/** A call that is paid for. */
export interface PaidCall<Request> extends Call<Request> {
	/**
	 * Together with the node's parameters, identifies the request for Retry: its images, and values
	 * that can change outside the node, such as in a variable.
	 */
	requestIdentity: object;
}

/** An item that the operation has finished. */
export interface Done {
	item: INodeExecutionData;
	/** Texts for the output panel, each shown once. */
	hints: string[];
	/** The item's output, if the node has one for each decision. Review if missing. */
	branch?: Decision;
}

export const LEFT_OUT_HINT =
	"Some parts of an answer could not be read and were left out; 'unreadable' in the item lists them.";

export function outputHint(message: string): NodeExecutionHint {
	return { message, type: 'info', location: 'outputPane' };
}
