import type { INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import { DECISIONS } from '../contract';
import type { Done } from './operation';
import { outputHint } from './outputHint';

/** With fewer documents than this, a summary says no more than the items do. */
const SUMMARIZED_FROM = 2;

/**
 * What the output panel says of a finished run of scans: how they were decided, and whether the
 * credits run low.
 * @param lowCredit warns when fewer credits than this are left; 0 for never
 */
export function scanSummary(done: Done[], lowCredit: number): NodeExecutionHint[] {
	const items = done.map(({ item }) => item);
	const credit = remainingCredit(done);
	const hints: NodeExecutionHint[] = [];
	if (items.length >= SUMMARIZED_FROM) {
		const left = credit === undefined ? '' : `; ${credit} credits left`;
		hints.push(outputHint('info', `${items.length} documents: ${counts(items)}${left}`));
	}
	if (credit !== undefined && credit < lowCredit) {
		const message = `Only ${credit} credits are left, fewer than the ${lowCredit} of 'Low Credit Warning'. Top up the account in the service's web portal.`;
		hints.push(outputHint('warning', message));
	}
	return hints;
}

function counts(items: INodeExecutionData[]): string {
	const results = items.filter(({ error }) => !error);
	const recognized = results.filter(({ json }) => !json.unrecognizedDecision);
	const decided = DECISIONS.map((decision): [string, number] => [
		decision,
		recognized.filter(({ json }) => json.decision === decision).length,
	]);
	const others: Array<[string, number]> = [
		['without a recognized decision', results.length - recognized.length],
		['failed', items.length - results.length],
	];
	return [...decided, ...others]
		.filter(([, count]) => count > 0)
		.map(([name, count]) => `${count} ${name}`)
		.join(', ');
}

/** Parallel answers come in any order: the lowest figure is the newest. */
function remainingCredit(done: Done[]): number | undefined {
	const credits = done.flatMap(({ credit }) => credit ?? []);
	return credits.reduce<number | undefined>(
		(least, credit) => Math.min(least ?? credit, credit),
		undefined,
	);
}
