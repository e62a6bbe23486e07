import type { INodeExecutionData } from 'n8n-workflow';

import { idText } from '../../contract/ids';
import type { StoredFailure } from '../../errors/nodeErrors';
import type { NodeRun } from '../../item';
import type { Done } from '../../operation';
import { storedForRetry } from './stored';
import type { PaidRequest, PaidRequestsOfItem, Stored } from './stored';

/** Identifies an item's request: where it is sent, and its fingerprint. */
export interface RequestKey {
	itemIndex: number;
	fingerprint: string;
	baseUrl: string;
}

/**
 * The paid requests of one node run, including those of the executions that it retries. The next
 * try of Retry On Fail, and the Retry of a failed execution, find them again.
 */
export class PaidRequests {
	private readonly stored: Stored;

	private readonly runIndex: number;

	private readonly executionId: string;

	constructor(nodeRun: NodeRun) {
		const { context, isAgentTool } = nodeRun;
		this.stored = storedForRetry(nodeRun);
		this.runIndex = isAgentTool ? 0 : context.getWorkflowDataProxy(0).$runIndex;
		this.executionId = context.getExecutionId();
	}

	/**
	 * An item's paid request in this execution. There is at most one, because an execution pays for
	 * each item only once.
	 */
	inThisExecution(itemIndex: number): PaidRequest | undefined {
		return this.own(this.ofItem(itemIndex));
	}

	/** An item's paid requests in earlier executions, by fingerprint. */
	inEarlierExecutions(itemIndex: number): PaidRequestsOfItem {
		const requests = Object.entries(this.ofItem(itemIndex));
		return Object.fromEntries(requests.filter(([, request]) => !this.isOwn(request)));
	}

	/**
	 * Whether an earlier execution has paid for an item, or may have been charged, and this one has no
	 * result.
	 */
	lacksEarlierResult(itemIndex: number): boolean {
		return this.lackResult(this.ofItem(itemIndex));
	}

	/** The results that this execution has paid for or returned again, by the index of their item. */
	results(itemCount: number): Map<number, INodeExecutionData> {
		const results = new Map<number, INodeExecutionData>();
		for (let itemIndex = 0; itemIndex < itemCount; itemIndex++) {
			const request = this.inThisExecution(itemIndex);
			if (request?.kind === 'paid') results.set(itemIndex, request.done.item);
		}
		return results;
	}

	rememberPaid(key: RequestKey, done: Done): void {
		this.remember(key, { ...this.sentTo(key), kind: 'paid', done });
	}

	rememberPossiblyCharged(key: RequestKey, failure: StoredFailure): void {
		this.remember(key, { ...this.sentTo(key), kind: 'possiblyCharged', failure });
	}

	/**
	 * Forgets what this execution has returned, once the node run has succeeded. What it hasn't returned
	 * can be of a later run in a loop.
	 */
	forget(): void {
		const all = Object.entries(this.stored.paidRequests ?? {});
		const kept = all.filter(([, requests]) => this.lackResult(requests));
		if (kept.length === 0) delete this.stored.paidRequests;
		else this.stored.paidRequests = Object.fromEntries(kept);
	}

	private sentTo({ baseUrl }: RequestKey) {
		return { executionId: this.executionId, baseUrl };
	}

	private remember({ itemIndex, fingerprint }: RequestKey, request: PaidRequest): void {
		const items = (this.stored.paidRequests ??= {});
		(items[this.placeOf(itemIndex)] ??= {})[fingerprint] = request;
	}

	private ofItem(itemIndex: number): PaidRequestsOfItem {
		return this.stored.paidRequests?.[this.placeOf(itemIndex)] ?? {};
	}

	private placeOf(itemIndex: number): string {
		return `${this.runIndex}:${itemIndex}`;
	}

	private own(requests: PaidRequestsOfItem): PaidRequest | undefined {
		return Object.values(requests).find((request) => this.isOwn(request));
	}

	private isOwn({ executionId }: PaidRequest): boolean {
		return executionId === this.executionId;
	}

	private lackResult(requests: PaidRequestsOfItem): boolean {
		const isPaidEarlier = Object.values(requests).some((request) => !this.isOwn(request));
		return isPaidEarlier && this.own(requests)?.kind !== 'paid';
	}
}

/** The transaction ID or the link reference of a paid item; empty if it has none. */
export function idOf({ json }: INodeExecutionData): string {
	return idText(json.transactionId ?? json.reference);
}
