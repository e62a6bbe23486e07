import { NodeApiError } from 'n8n-workflow';

import { mayBeCharged } from '../errors/charge';
import { nodeError } from '../errors/nodeErrors';
import type { NodeError } from '../errors/nodeErrors';
import { adviceFor } from '../errors/statuses';
import type { ConnectedItem, ItemContext, PacedRun } from '../item';
import { accountKey } from '../transport/pace/gates';
import type { Outcome } from './outcome';

/** With fewer, some bad documents in a row could end a run. */
const POSSIBLE_CHARGES_TO_END = 10;

/** The accounts to which the scans or links of a run go. */
export class Accounts {
	private readonly accounts = new Map<string, Account>();

	constructor(private readonly run: PacedRun) {}

	of({ service }: ConnectedItem): Account {
		const key = accountKey(service);
		const account = this.accounts.get(key) ?? new Account(this.run);
		this.accounts.set(key, account);
		return account;
	}
}

/**
 * An account in a run. After a 401 or 402, or once ten requests in a row ended as "may have been
 * charged", no more are sent until those that are open have ended. If all of these ended so, too, or
 * were refused with 429, the rest of the account fails, unpaid. A 429 changes nothing.
 */
class Account {
	/** How many calls haven't ended. A pause gives up those that haven't been sent. */
	private calls = 0;

	private possibleChargesInARow = 0;

	/** What began the pause, while there is one. */
	private pausedBy: NodeError | undefined;

	/** Whether a request has ended otherwise since then, with fewer than ten in a row after it. */
	private canGoOn = false;

	/** Why no more are sent to the account. */
	private endedBy: NodeError | undefined;

	/** Called when the pause ends. */
	private readonly waiting: Array<() => void> = [];

	private pause = new AbortController();

	/** How requests wait for their turn, until a pause begins. */
	private paced: PacedRun;

	constructor(private readonly run: PacedRun) {
		this.paced = this.pausable();
	}

	/**
	 * Sends a request as soon as it may be sent, and again if a pause gave it up.
	 * @param send never rejects
	 */
	async send(item: ItemContext, send: (run: PacedRun) => Promise<Outcome>): Promise<Outcome> {
		for (;;) {
			while (this.pausedBy) await this.endOfPause();
			if (this.endedBy) return { kind: 'failed', error: notSent(item, this.endedBy) };
			this.calls++;
			const outcome = await send(this.paced);
			this.calls--;
			if (outcome.kind === 'done') this.goOn();
			if (outcome.kind === 'failed') this.failed(outcome.error);
			if (this.pausedBy && this.calls === 0) this.decide(this.pausedBy);
			if (outcome.kind !== 'givenUp' || this.run.stopSignal.aborted) return outcome;
		}
	}

	private failed(error: NodeError): void {
		// Also of a request that wasn't sent because others were refused.
		if (error.failure?.cause === 'rate-limited') return;
		const isRefusal = refusalOfAccount(error) !== undefined;
		const isPossiblyCharged = mayBeCharged(error);
		if (!isRefusal && !isPossiblyCharged) return this.goOn();
		if (isPossiblyCharged) this.possibleChargesInARow++;
		const isRowLong = this.possibleChargesInARow >= POSSIBLE_CHARGES_TO_END;
		if (isRowLong) this.canGoOn = false;
		if (this.pausedBy || !(isRefusal || isRowLong)) return;
		this.pausedBy = error;
		this.canGoOn = false;
		this.pause.abort();
	}

	private goOn(): void {
		this.possibleChargesInARow = 0;
		this.canGoOn = true;
	}

	/** Ends the pause, and with it the account unless a request has shown that it can go on. */
	private decide(pausedBy: NodeError): void {
		this.pausedBy = undefined;
		if (!this.canGoOn) this.endedBy = pausedBy;
		this.pause = new AbortController();
		this.paced = this.pausable();
		for (const resume of this.waiting.splice(0)) resume();
	}

	private async endOfPause(): Promise<void> {
		await new Promise<void>((resume) => this.waiting.push(resume));
	}

	private pausable(): PacedRun {
		const stopSignal = AbortSignal.any([this.run.stopSignal, this.pause.signal]);
		return { ...this.run, stopSignal };
	}
}

/** The status with which the service refused the account, and not only one request. */
function refusalOfAccount(error: NodeError): 401 | 402 | undefined {
	const httpCode = error instanceof NodeApiError ? error.httpCode : undefined;
	return ([401, 402] as const).find((status) => httpCode === String(status));
}

/** The error of the rest of an account. */
function notSent(item: ItemContext, cause: NodeError): NodeError {
	const status = refusalOfAccount(cause);
	const reason = status
		? `the service answered with status ${status}`
		: `${POSSIBLE_CHARGES_TO_END} requests in a row may have been charged`;
	return nodeError(item, {
		message: `This run sends no more requests to this account: ${reason}`,
		advice: status
			? adviceFor(status)
			: "Look the requests up in the service's web portal, find out why they failed, then run this item again.",
		charge: 'none',
		// The reason can speak of others that may have been charged.
		chargeText: 'Nothing was charged for this item',
	});
}
