import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { itemsOf } from '../../../dev/stack/execution';
import type { Execution } from '../../../dev/stack/execution';
import { SPECIMEN } from '../../../dev/stack/paths';
import { filesFolder } from '../../../dev/stack/stack';
import { picture } from '../../kit/imageBytes';
import { sha256 } from '../../kit/sandbox';
import { Spreadsheets } from '../../kit/examples/spreadsheets';
import { useExample } from '../../kit/examples/useExample';

/** Begins as a picture, which the service cannot read. */
const UNREADABLE = picture();

const example = useExample('back-office-batch');
const { sandbox } = example;
const batch = join(filesFolder(example.folder), 'batch');

let spreadsheets: Spreadsheets;

beforeAll(async () => {
	await rm(batch, { recursive: true, force: true });
	await mkdir(join(batch, 'documents'), { recursive: true });
	spreadsheets = await Spreadsheets.start(example.api);
});

async function rowsOf(kind: string): Promise<object[]> {
	const names = (await readdir(batch)).filter((name) => name.startsWith(`${kind}-`));
	expect(names).toEqual([expect.stringMatching(/-\d{4}-\d\d-\d\d-\d{6}\.xlsx$/)]);
	return await spreadsheets.rows(join(batch, names[0] ?? ''));
}

async function run(files: string): Promise<Execution> {
	return await example.run('Start', { '/home/node/.n8n-files/identity-verification': files });
}

it('writes a spreadsheet of the results and one of the failures', async () => {
	const documents = join(batch, 'documents');
	for (const name of ['a.jpg', 'b.JPG', 'c.jpeg']) await copyFile(SPECIMEN, join(documents, name));
	await writeFile(join(documents, 'd.png'), UNREADABLE);
	await writeFile(join(documents, 'notes.txt'), 'not an image');
	await sandbox.faultOn(UNREADABLE, { kind: 'serverError', times: 'always' });
	const execution = await run(batch);

	expect(execution.status).toBe('success');
	expect(Object.keys(execution.data)).toContain('Credits Low?');
	expect(Object.keys(execution.data)).not.toContain('Top Up');
	const results = await rowsOf('results');
	expect(results.map((row) => 'file' in row && row.file).sort()).toEqual([
		'a.jpg',
		'b.JPG',
		'c.jpeg',
	]);
	for (const row of results) {
		expect(row).toMatchObject({
			decision: 'accept',
			documentNumber: expect.any(String),
			fullName: expect.any(String),
			transactionId: expect.any(String),
		});
	}
	expect(await rowsOf('failures')).toEqual([
		{
			file: 'd.png',
			error: expect.stringContaining('status 500'),
			charged: expect.stringMatching(/^perhaps/),
		},
	]);
	const specimen = sha256(await readFile(SPECIMEN));
	const sent = (await sandbox.documents()).sort();
	expect(sent).toEqual([sha256(UNREADABLE), specimen, specimen, specimen].sort());
});

it('leads to a note when few credits are left', async () => {
	const files = join(batch, randomUUID());
	await mkdir(join(files, 'documents'), { recursive: true });
	for (const name of ['a.jpg', 'b.jpg']) await copyFile(SPECIMEN, join(files, 'documents', name));
	await sandbox.setCredits(101);

	const execution = await run(files);

	expect(execution.status).toBe('success');
	expect(itemsOf(execution, 'Top Up')).toEqual([
		{ note: expect.stringMatching(/^Fewer than 100 credits are left\./) },
	]);
});
