import { z } from 'zod/v4';

import { filesFolder } from '../../../dev/stack/stack';
import { poll } from '../../../dev/stack/poll';
import { useOwnN8n } from '../../kit/n8n/ownN8n';
import { useSandboxInN8n } from '../../kit/n8n/sandboxInN8n';
import { PART, documentsOf, useBatchFolder } from './support/batchFolder';

// Of its own, because it's killed.
const n8n = useOwnN8n((_, folder) => ({ N8N_RESTRICT_FILE_ACCESS_TO: filesFolder(folder) }));
const sandboxInN8n = useSandboxInN8n(n8n, 'a-secret');
const { sandbox } = sandboxInN8n;
const batch = useBatchFolder(n8n, sandboxInN8n);

/**
 * Resolves when the service has got that many documents: a request's body arrives later than the
 * request.
 */
async function untilSent(count: number): Promise<void> {
	const options = { what: `${count} documents`, timeoutMs: 180_000 };
	await poll(
		async () => (await batch.sent()).filter(Boolean).length === count || undefined,
		options,
	);
}

/** Selects *Retry* in the list of executions. Resolves when the retry has ended. */
async function retry(id: string): Promise<void> {
	await n8n.api.post(`/executions/${id}/retry`, { loadWorkflow: false }, z.unknown());
}

it('sends by Retry only the part again that n8n was scanning when it was killed, each time', async () => {
	await sandbox.fault({ on: 'scan', kind: 'noAnswer', skip: 2 * PART + 1 });
	await batch.putText('notes.txt');
	const workflow = await batch.startLongBatch();
	await untilSent(3 * PART);
	await n8n.crash();
	const first = await batch.newestExecution(workflow, 'crashed');

	await sandbox.fault({ on: 'scan', kind: 'noAnswer', skip: PART + 1 });
	const interrupted = retry(first).catch(() => undefined);
	await untilSent(5 * PART);
	await n8n.crash();
	await interrupted;
	await retry(await batch.newestExecution(workflow, 'crashed'));

	await batch.newestExecution(workflow, 'success');
	const documents = await batch.sent();
	const [one, two, three, threeAgain, four, fourAgain, five, ...more] = Array.from(
		{ length: Math.ceil(documents.length / PART) },
		(_, part) => documents.slice(part * PART, (part + 1) * PART).sort(),
	);
	expect(threeAgain).toEqual(three);
	expect(fourAgain).toEqual(four);
	expect(more).toEqual([]);
	expect([one, two, three, four, five].flat().sort()).toEqual(batch.everyDocument());
	expect(await batch.savedFiles()).toEqual([
		'failures 001.xlsx',
		...[1, 2, 3, 4, 5].map((number) => `results 00${number}.xlsx`),
	]);
	expect(documentsOf(await batch.rowsOf('results'))).toEqual(batch.everyDocument());
});
