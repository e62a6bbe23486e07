import { itemsOf } from '../../../../dev/stack/execution';
import type { Example } from './useExample';
import { TRY } from '../../support/runInEditor';

// What the examples have in common that write e-mails every morning.

export const MORNING = 'Every Morning';

/** A request of such an example to the CRM that can be answered otherwise, and an answer. */
export const LOOK_UP = 'GET /crm/api/applicants?id=unknown';
export const NOT_FOUND = { status: 404, body: {} };

/** So many days before now, or after it if the number is negative. */
export function daysAgo(days: number): string {
	return new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();
}

/**
 * Tries the e-mail of an invented person, who has to be like the one that a step returns on a
 * morning.
 */
export async function tryIt(
	example: Example,
	invented: string,
	step: string,
	add: () => Promise<void>,
): Promise<void> {
	const execution = await example.run(TRY);
	expect(execution.status).toBe('success');
	const [person = {}] = itemsOf(execution, invented);
	expect(example.takeMails()).toEqual([
		['invented-4@example.com', expect.stringContaining(String(person.url))],
	]);
	await add();
	const [real = {}] = itemsOf(await example.run(MORNING), step);
	expect(Object.entries(person)).toEqual(
		Object.keys(person).map((key) => [key, expect.any(real[key]?.constructor)]),
	);
	expect(example.takeMails()).toHaveLength(1);
}
