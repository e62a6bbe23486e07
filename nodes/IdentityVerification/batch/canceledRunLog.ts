import type { IExecuteFunctions } from 'n8n-workflow';

import { idText } from '../contract/ids';
import { mayBeCharged } from '../errors/charge';
import type { Outcome } from './outcome';
import type { PaidRequests } from './paid/paidRequests';

/**
 * Logs what a canceled run has paid for, or may have been charged for. n8n discards what a canceled
 * node returns, so this is the only trace of it.
 * @param sent how many requests were sent, resent ones included
 */
export function logCanceledRun(
	context: IExecuteFunctions,
	sent: number,
	outcomes: Outcome[],
	paid: PaidRequests,
): void {
	const results = [...paid.results(outcomes.length).values()];
	if (results.length === 0 && !outcomes.some(isPossiblyCharged)) return;
	// Links are only counted, not named, because anyone can open a link by its reference.
	const ids = results.map(({ json }) => idText(json.transactionId)).filter(Boolean);
	const transactions = ids.length > 0 ? ` (transactions ${ids.join(', ')})` : '';
	context.logger.warn(
		`Identity Verification: execution ${context.getExecutionId()} was canceled. Requests sent: ${sent}. Items paid: ${results.length}${transactions}. A request that was still open may have been charged, too.`,
	);
}

function isPossiblyCharged(outcome: Outcome): boolean {
	return outcome.kind === 'failed' && mayBeCharged(outcome.error);
}
