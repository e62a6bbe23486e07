import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod/v4';

import type { WorkflowFile } from '../../../dev/stack/api';
import { itemsOf } from '../../../dev/stack/execution';
import { poll } from '../../../dev/stack/poll';
import { readExample } from '../../kit/n8n/examples/example';
import { runInEditor } from '../support/runInEditor';
import { spreadsheetReader } from './support/spreadsheets';
import { picture } from '../../kit/data/picture';
import { sha256 } from '../../kit/service/sandbox';
import { useOwnN8n } from '../../kit/n8n/ownN8n';
import { useSandboxInN8n } from '../../kit/n8n/sandboxInN8n';
import { newWorkflowId } from '../../kit/n8n/workflow';

const PART = 3;
const TIMEOUT_MS = 180_000;

const files = mkdtempSync(join(tmpdir(), 'identity-verification-batches-'));
// Of its own, because it's killed.
const n8n = useOwnN8n({ N8N_RESTRICT_FILE_ACCESS_TO: files });
const sandboxInN8n = useSandboxInN8n(n8n, 'a-secret');
const { sandbox } = sandboxInN8n;

/** Documents by the digest of their image. */
const names = new Map<string, string>();
let folder: string;
let read: Awaited<ReturnType<typeof spreadsheetReader>>;

beforeAll(async () => {
	read = await spreadsheetReader(n8n.api);
});

beforeEach(async () => {
	folder = join(files, randomUUID());
	await mkdir(join(folder, 'documents'), { recursive: true });
	names.clear();
});

afterAll(async () => await rm(files, { recursive: true, force: true }));

/** Puts a document into the folder. */
async function put(name: string, image = picture()): Promise<Buffer> {
	await writeFile(join(folder, 'documents', name), image);
	names.set(sha256(image), name);
	return image;
}

/** Puts an example into n8n, with the folder of the test. */
async function save(name: string, replace: Record<string, string> = {}): Promise<WorkflowFile> {
	const example = await readExample(`${name}/workflow.json`, {
		credentials: { identityVerificationApi: sandboxInN8n.credentialId },
		replace: { '/home/node/.n8n-files/identity-verification': folder, ...replace },
	});
	const workflow = { ...example, id: newWorkflowId() };
	await n8n.api.saveWorkflow(workflow);
	return workflow;
}

/** The names of all spreadsheets, without their dates. */
async function savedFiles(): Promise<string[]> {
	const saved = (await readdir(folder)).filter((name) => name.endsWith('.xlsx'));
	return saved.map((name) => name.replace(/-\d{4}-\d\d-\d\d-\d{6}-?/, ' ')).sort();
}

async function rowsOf(kind: string): Promise<Record<string, unknown>[]> {
	const saved = (await readdir(folder)).filter((name) => name.startsWith(`${kind}-`));
	const rows = [];
	for (const name of saved.sort()) rows.push(...(await read(join(folder, name))));
	return rows;
}

function documentsOf(rows: Record<string, unknown>[]): string[] {
	return rows.map(({ file }) => String(file)).sort();
}

/** Names of the documents that were sent, in the order in which they were sent. */
async function sent(): Promise<string[]> {
	return (await sandbox.documents()).map((digest) => names.get(digest) ?? digest);
}

const everyDocument = () => [...names.values()].sort();

describe('Back office batch', () => {
	it('writes a spreadsheet of the results and one of the failures', async () => {
		for (const name of ['a.jpg', 'b.Jpg', 'c.jfif']) await put(name);
		const unreadable = await put('d.png');
		await writeFile(join(folder, 'documents', 'notes.txt'), 'not an image');
		await sandbox.faultOn(unreadable, { kind: 'serverError', times: 'always' });
		const execution = await runInEditor(n8n.api, await save('back-office-batch'), 'Start');

		expect(execution.status).toBe('success');
		expect(Object.keys(execution.data)).toContain('Credits Low?');
		expect(Object.keys(execution.data)).not.toContain('Top Up');
		expect(await savedFiles()).toEqual(['failures .xlsx', 'failures 2.xlsx', 'results .xlsx']);
		const results = await rowsOf('results');
		expect(documentsOf(results)).toEqual(['a.jpg', 'b.Jpg', 'c.jfif']);
		for (const row of results) {
			expect(row).toMatchObject({
				decision: 'accept',
				documentNumber: expect.any(String),
				fullName: expect.any(String),
				transactionId: expect.any(String),
			});
		}
		const failures = await rowsOf('failures');
		expect(failures.sort((a, b) => String(a.file).localeCompare(String(b.file)))).toEqual([
			{
				file: 'd.png',
				error: expect.stringContaining('status 500'),
				charged: expect.stringMatching(/^perhaps/),
			},
			{ file: 'notes.txt', error: expect.stringMatching(/^Not scanned: /), charged: 'no' },
		]);
		expect((await sent()).sort()).toEqual(everyDocument());
	});

	it.each(['back-office-batch', 'long-batch'])('fails without a file: %s', async (name) => {
		const execution = await runInEditor(n8n.api, await save(name), 'Start');

		expect(execution.status).toBe('error');
		const [stop] = execution.data['Stop without a File'] ?? [];
		expect(stop?.error?.message).toContain(`no file in ${folder}/documents`);
		expect(await savedFiles()).toEqual([]);
	});

	it('leads to a note when few credits are left', async () => {
		for (const name of ['a.jpg', 'b.jpg']) await put(name);
		await sandbox.setCredits(101);
		const execution = await runInEditor(n8n.api, await save('back-office-batch'), 'Start');

		expect(execution.status).toBe('success');
		expect(itemsOf(execution, 'Top Up')).toEqual([
			{ note: expect.stringMatching(/^Fewer than 100 credits are left, or/) },
		]);
	});
});

describe('Long batch', () => {
	let workflow: WorkflowFile;

	/** Selects *Execute workflow*, with parts of the test's own size. */
	async function start(replace: Record<string, string> = {}): Promise<void> {
		for (let index = 0; index < 5 * PART; index += 1) await put(`document-${index}.jpg`);
		await writeFile(join(folder, 'documents', 'notes.txt'), 'not an image');
		workflow = await save('long-batch', { '"batchSize": 50': `"batchSize": ${PART}`, ...replace });
		await n8n.api.runWorkflow(workflow.id, 'Start');
	}

	/**
	 * Resolves when the service has got that many documents: a request's body arrives later than the
	 * request.
	 */
	async function untilSent(count: number): Promise<void> {
		const options = { what: `${count} documents`, timeoutMs: TIMEOUT_MS };
		await poll(async () => (await sent()).filter(Boolean).length === count || undefined, options);
	}

	/** Resolves to the ID of the workflow's newest execution, when it has this status. */
	async function newestExecution(wanted: string): Promise<string> {
		const options = { what: `the execution to be ${wanted}`, timeoutMs: TIMEOUT_MS };
		return await poll(async () => {
			const [newest] = await n8n.api.listExecutions(workflow.id);
			return newest?.status === wanted ? newest.id : undefined;
		}, options);
	}

	/** Selects *Retry* in the list of executions. Resolves when the retry has ended. */
	async function retry(id: string): Promise<void> {
		await n8n.api.post(`/executions/${id}/retry`, { loadWorkflow: false }, z.unknown());
	}

	// n8n runs the upper one of two nodes first, and its Tidy Up can exchange them.
	it.each([
		['below', 352],
		['above', -352],
	])('saves every result and failure, with Next Part %s Scan Documents', async (_, y) => {
		await sandbox.fault({ on: 'scan', kind: 'serverError', skip: PART, times: PART + 1 });
		await start({ '[1200, 352]': `[1200, ${y}]` });
		await newestExecution('success');

		expect((await sent()).sort()).toEqual(everyDocument());
		expect(await savedFiles()).toEqual([
			...[1, 2, 3].map((number) => `failures 00${number}.xlsx`),
			...[1, 2, 3, 4].map((number) => `results 00${number}.xlsx`),
		]);
		const requests = await sandbox.requests();
		const failed = requests
			.filter(({ status }) => status === 500)
			.map(({ images }) => names.get(images.document?.sha256 ?? ''));
		const failures = await rowsOf('failures');
		expect(documentsOf(failures)).toEqual([...failed, 'notes.txt'].sort());
		expect(String(failures[0]?.error)).toContain('status 500');
		const results = await rowsOf('results');
		expect(documentsOf([...results, ...failures])).toEqual([...everyDocument(), 'notes.txt']);
		expect(results[0]).toMatchObject({ decision: 'accept', transactionId: expect.any(String) });
	});

	it('sends by Retry only the part again that n8n was scanning when it was killed, each time', async () => {
		await sandbox.fault({ on: 'scan', kind: 'noAnswer', skip: 2 * PART + 1 });
		await start();
		await untilSent(3 * PART);
		await n8n.crash();
		const first = await newestExecution('crashed');

		await sandbox.fault({ on: 'scan', kind: 'noAnswer', skip: PART + 1 });
		const interrupted = retry(first).catch(() => undefined);
		await untilSent(5 * PART);
		await n8n.crash();
		await interrupted;
		await retry(await newestExecution('crashed'));

		await newestExecution('success');
		const documents = await sent();
		const [one, two, three, threeAgain, four, fourAgain, five, ...more] = Array.from(
			{ length: Math.ceil(documents.length / PART) },
			(_, part) => documents.slice(part * PART, (part + 1) * PART).sort(),
		);
		expect(threeAgain).toEqual(three);
		expect(fourAgain).toEqual(four);
		expect(more).toEqual([]);
		expect([one, two, three, four, five].flat().sort()).toEqual(everyDocument());
		expect(await savedFiles()).toEqual([
			'failures 001.xlsx',
			...[1, 2, 3, 4, 5].map((number) => `results 00${number}.xlsx`),
		]);
		expect(documentsOf(await rowsOf('results'))).toEqual(everyDocument());
	});
});
