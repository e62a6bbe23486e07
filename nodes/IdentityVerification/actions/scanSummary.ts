import type { INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import { DECISIONS } from '../contract';
import { outputHint } from './outputHint';

/** From how many documents on a summary says more than the items themselves. */
const SUMMARIZED_FROM = 2;

/**
 * What the output panel says of a finished run of scans: how they were decided, and whether the
 * credits run low.
 * @param lowCredit credits at which to warn; 0 for never
 */
export function scanSummary(items: INodeExecutionData[], lowCredit: number): NodeExecutionHint[] {
	const credit = remainingCredit(items);
	const hints: NodeExecutionHint[] = [];
	if (items.length >= SUMMARIZED_FROM) {
		const left = credit === undefined ? '' : `; ${credit} credits left`;
		hints.push(outputHint('info', `${items.length} documents: ${counts(items)}${left}`));
	}
	if (credit !== undefined && credit < lowCredit) {
		const message = `Only ${credit} credits are left, fewer than the ${lowCredit} of Low Credit Warning. Top up the account in the service's web portal.`;
		hints.push(outputHint('warning', message));
	}
	return hints;
}

function counts(items: INodeExecutionData[]): string {
	const decided = DECISIONS.map((decision): [string, number] => [
		decision,
		items.filter(({ json, error }) => !error && json.decision === decision).length,
	]);
	const failed: [string, number] = ['failed', items.filter(({ error }) => error).length];
	return [...decided, failed]
		.filter(([, count]) => count > 0)
		.map(([name, count]) => `${count} ${name}`)
		.join(', ');
}

/** Parallel answers come in any order: the lowest figure is the newest. */
function remainingCredit(items: INodeExecutionData[]): number | undefined {
	const credits = items
		.map(({ json }) => json.credit)
		.filter((credit) => typeof credit === 'number');
	return credits.length === 0 ? undefined : Math.min(...credits);
}
