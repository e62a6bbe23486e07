import type { INodeExecutionData } from 'n8n-workflow';

import { DECISIONS } from '../../contract/vocabulary';
import type { Done } from '../../operation';

const UNRECOGNIZED = 'without a recognized decision';
const FAILED = 'failed';

/** Tells the user where to look: the editor shows the first output, which can be empty. */
export function summarize(done: Done[]): string[] {
	const results = done.map(({ item }) => resultOf(item));
	const counts = [...DECISIONS, UNRECOGNIZED, FAILED]
		.map((name) => ({ name, count: results.filter((result) => result === name).length }))
		.filter(({ count }) => count > 0)
		.map(({ name, count }) => `${count} ${name}`);
	const credit = lowestCredit(done);
	const left = credit === Infinity ? '' : `; ${credit} credits left`;
	const documents = done.length === 1 ? '1 document' : `${done.length} documents`;
	return [`${documents}: ${counts.join(', ')}${left}.`];
}

/**
 * The lowest figure counts as the newest, because parallel answers arrive in any order. Infinity if
 * there is none.
 */
function lowestCredit(done: Done[]): number {
	return done.reduce((lowest, { credit = Infinity }) => Math.min(lowest, credit), Infinity);
}

function resultOf({ error, json }: INodeExecutionData): unknown {
	if (error) return FAILED;
	return json.unrecognizedDecision ? UNRECOGNIZED : json.decision;
}
