import type { IExecuteFunctions } from 'n8n-workflow';

import type { Service } from './credential';
import type { Progress } from './progress';

/** An input item, as needed to read its parameters and to name it in an error. */
export interface ItemContext {
	context: IExecuteFunctions;
	itemIndex: number;
	/**
	 * A label people recognize, such as the file name. Numbers alone confuse: the editor counts from
	 * 1, n8n from 0.
	 */
	name?: string;
}

/** A run of the node. */
export interface NodeRun {
	context: IExecuteFunctions;
	/**
	 * Whether an AI agent runs the node as its tool, so what it returns goes to the agent's model.
	 */
	isAgentTool: boolean;
}

/** An item of a run, and the service to which its requests go. */
export interface ConnectedItem extends NodeRun, ItemContext {
	/** Where its credential leads. */
	service: Service;
	/** How its requests wait for their turn. */
	run: PacedRun;
	/** How long nothing may be sent or arrive, in milliseconds; at most MAX_TIMER_MS. */
	timeoutMs: number;
}

/** A node run whose requests wait for their turn. Times are those of `performance.now()`. */
export interface PacedRun {
	/**
	 * How long the service may refuse all requests to one endpoint with one profile, in milliseconds.
	 */
	patienceMs: number;
	/** When the run began. Earlier refusals don't count. */
	since: number;
	progress: Progress;
	/**
	 * Called with how many credits are left, as often as an answer says so, and with undefined for a
	 * success that doesn't.
	 */
	seeCredit?: (credit: number | undefined) => void;
	/**
	 * Aborted when nothing more may be sent: another item has failed, too few credits are left, the
	 * account may not be able to go on, or the execution was canceled.
	 */
	stopSignal: AbortSignal;
}
