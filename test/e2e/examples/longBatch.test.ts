import { useSandboxInN8n } from '../../kit/n8n/sandboxInN8n';
import { openStack } from '../../kit/n8n/stack';
import { runInEditor } from '../support/runInEditor';
import { PART, documentsOf, useBatchFolder } from './support/batchFolder';

const stack = openStack();
const sandboxInN8n = useSandboxInN8n(stack.api, 'a-secret');
const { sandbox } = sandboxInN8n;
const batch = useBatchFolder(stack, sandboxInN8n);

it('writes spreadsheets of the results and of the failures', async () => {
	for (const name of ['a.jpg', 'b.Jpg', 'c.jfif']) await batch.put(name);
	const unreadable = await batch.put('d.png');
	await batch.putText('notes.txt');
	await sandbox.faultOn(unreadable, { kind: 'serverError', times: 'always' });
	const execution = await runInEditor(stack.api, await batch.save(), 'Start');

	expect(execution.status).toBe('success');
	expect(await batch.savedFiles()).toEqual([
		'failures 001.xlsx',
		'failures 002.xlsx',
		'results 001.xlsx',
	]);
	const results = await batch.rowsOf('results');
	expect(documentsOf(results)).toEqual(['a.jpg', 'b.Jpg', 'c.jfif']);
	for (const row of results) {
		expect(row).toMatchObject({
			decision: 'accept',
			documentNumber: expect.any(String),
			fullName: expect.any(String),
			transactionId: expect.any(String),
		});
	}
	const failures = await batch.rowsOf('failures');
	expect(failures.sort((a, b) => String(a.file).localeCompare(String(b.file)))).toEqual([
		{
			file: 'd.png',
			error: expect.stringContaining('status 500'),
			charged: expect.stringMatching(/^perhaps/),
		},
		{ file: 'notes.txt', error: expect.stringMatching(/^Not scanned: /), charged: 'no' },
	]);
	expect((await batch.sent()).sort()).toEqual(batch.everyDocument());
});

it('fails without a file', async () => {
	const execution = await runInEditor(stack.api, await batch.save(), 'Start');

	expect(execution.status).toBe('error');
	const [stop] = execution.data['Stop without a File'] ?? [];
	expect(stop?.error?.message).toContain(`no file in ${batch.folder}/documents`);
	expect(await batch.savedFiles()).toEqual([]);
});

// n8n runs the upper one of two nodes first, and its Tidy Up can exchange them.
it.each([
	['below', 352],
	['above', -352],
])('saves every result and failure, with Next Part %s Scan Documents', async (_, y) => {
	await sandbox.fault({ on: 'scan', kind: 'serverError', skip: PART, times: PART + 1 });
	await batch.putText('notes.txt');
	const workflow = await batch.startLongBatch({ '[1200, 352]': `[1200, ${y}]` });
	await batch.newestExecution(workflow, 'success');

	expect((await batch.sent()).sort()).toEqual(batch.everyDocument());
	expect(await batch.savedFiles()).toEqual([
		...[1, 2, 3].map((number) => `failures 00${number}.xlsx`),
		...[1, 2, 3, 4].map((number) => `results 00${number}.xlsx`),
	]);
	const requests = await sandbox.requests();
	const failed = requests
		.filter(({ status }) => status === 500)
		.map(({ images }) => batch.nameOf(images.document?.sha256));
	const failures = await batch.rowsOf('failures');
	expect(documentsOf(failures)).toEqual([...failed, 'notes.txt'].sort());
	expect(String(failures[0]?.error)).toContain('status 500');
	const results = await batch.rowsOf('results');
	expect(documentsOf([...results, ...failures])).toEqual([...batch.everyDocument(), 'notes.txt']);
	expect(results[0]).toMatchObject({ decision: 'accept', transactionId: expect.any(String) });
});
