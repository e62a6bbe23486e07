import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod/v4';

import type { WorkflowFile } from '../../../dev/stack/api';
import { poll } from '../../../dev/stack/poll';
import { sha256 } from '../../kit/sandbox';
import { useOwnN8n } from '../../kit/n8n/ownN8n';
import { useService } from '../../kit/n8n/service';
import { readExample } from '../../kit/examples/example';
import { Spreadsheets } from '../../kit/examples/spreadsheets';

const PART = 3;
const COUNT = 5 * PART;
const TIMEOUT_MS = 180_000;

const files = mkdtempSync(join(tmpdir(), 'identity-verification-long-batch-'));
// Of its own, because it's killed.
const n8n = useOwnN8n({ N8N_RESTRICT_FILE_ACCESS_TO: files });
const service = useService(n8n, 'a-secret');
const { sandbox } = service;

/** Documents by the digest of their image. */
const names = new Map<string, string>();
let folder: string;
let workflow: WorkflowFile;
let spreadsheets: Spreadsheets;

beforeAll(async () => {
	spreadsheets = await Spreadsheets.start(n8n.api);
});

beforeEach(async () => {
	folder = join(files, randomUUID());
	await mkdir(join(folder, 'documents'), { recursive: true });
	names.clear();
	for (let index = 0; index < COUNT; index += 1) {
		const name = `document-${index}.jpg`;
		const image = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), randomBytes(1_000)]);
		await writeFile(join(folder, 'documents', name), image);
		names.set(sha256(image), name);
	}
});

afterAll(async () => await rm(files, { recursive: true, force: true }));

/** Selects *Execute workflow*, with a folder and parts of the test's own. */
async function start({ settings = {}, replace = {} } = {}): Promise<void> {
	const credentials = { identityVerificationApi: service.credentialId };
	const example = await readExample('long-batch/workflow.json', {
		credentials,
		replace: {
			'/home/node/.n8n-files/identity-verification': folder,
			'"batchSize": 50': `"batchSize": ${PART}`,
			...replace,
		},
	});
	const id = randomUUID().replaceAll('-', '').slice(0, 16);
	workflow = { ...example, id, settings: { ...Object(example.settings), ...settings } };
	await n8n.api.saveWorkflow(workflow);
	await n8n.api.runWorkflow(id, 'Start');
}

/** Lets the service leave a request without an answer, counted from now. */
async function hang(skip: number): Promise<void> {
	await sandbox.fault({ on: 'scan', kind: 'noAnswer', skip });
}

/** Resolves when the service has got that many documents: a request's body arrives later than the request. */
async function untilSent(count: number): Promise<void> {
	const options = { what: `${count} documents`, timeoutMs: TIMEOUT_MS };
	const arrived = async () => (await sandbox.documents()).filter((digest) => digest !== '').length;
	await poll(async () => (await arrived()) === count || undefined, options);
}

/** Resolves to the ID of the workflow's newest execution, when it has this status. */
async function newestExecution(wanted: string): Promise<string> {
	return await poll(
		async () => {
			const [newest] = await n8n.api.listExecutions(workflow.id);
			return newest?.status === wanted ? newest.id : undefined;
		},
		{ what: `the execution to be ${wanted}`, timeoutMs: TIMEOUT_MS },
	);
}

/** Selects *Retry* in the list of executions. Resolves when the retry has ended. */
async function retry(id: string): Promise<void> {
	await n8n.api.post(`/executions/${id}/retry`, { loadWorkflow: false }, z.unknown());
}

/** Names of the documents that were sent, by part, and in the order of their names. */
async function sentParts(): Promise<string[][]> {
	const sent = (await sandbox.documents()).map((digest) => names.get(digest) ?? '');
	const parts = Math.ceil(sent.length / PART);
	return Array.from({ length: parts }, (_, part) =>
		sent.slice(part * PART, (part + 1) * PART).sort(),
	);
}

async function savedFiles(): Promise<string[]> {
	const saved = (await readdir(folder)).filter((name) => name.endsWith('.xlsx'));
	return saved.map((name) => name.replace(/-\d{4}-\d\d-\d\d-\d{6}-/, ' ')).sort();
}

async function rowsOf(kind: string): Promise<Record<string, unknown>[]> {
	const saved = (await readdir(folder)).filter((name) => name.startsWith(`${kind}-`));
	const rows = [];
	for (const name of saved.sort()) rows.push(...(await spreadsheets.rows(join(folder, name))));
	return rows;
}

function documentsOf(rows: Record<string, unknown>[]): string[] {
	return rows.map(({ file }) => String(file)).sort();
}

const everyDocument = () => [...names.values()].sort();

// n8n runs the upper one of two nodes first, and its Tidy Up can exchange them.
it.each([
	['below', 352],
	['above', -352],
])('saves every result and failure, with Next Part %s Scan Documents', async (_, y) => {
	await sandbox.fault({ on: 'scan', kind: 'serverError', skip: PART, times: PART + 1 });
	await start({ replace: { '[960, 352]': `[960, ${y}]` } });
	await newestExecution('success');

	expect((await sentParts()).flat().sort()).toEqual(everyDocument());
	expect(await savedFiles()).toEqual([
		...[1, 2].map((number) => `failures 00${number}.xlsx`),
		...[1, 2, 3, 4].map((number) => `results 00${number}.xlsx`),
	]);
	const requests = await sandbox.requests();
	const failed = requests
		.filter(({ status }) => status === 500)
		.map(({ images }) => names.get(images.document?.sha256 ?? ''));
	const failures = await rowsOf('failures');
	expect(documentsOf(failures)).toEqual(failed.sort());
	expect(String(failures[0]?.error)).toContain('status 500');
	const results = await rowsOf('results');
	expect(documentsOf([...results, ...failures])).toEqual(everyDocument());
	expect(results[0]).toMatchObject({ decision: 'accept', transactionId: expect.any(String) });
});

describe('when n8n is killed', () => {
	it('Retry sends only the part again that n8n was scanning, each time', async () => {
		await hang(2 * PART + 1);
		await start();
		await untilSent(3 * PART);
		await n8n.crash();
		const first = await newestExecution('crashed');

		await hang(PART + 1);
		const interrupted = retry(first).catch(() => undefined);
		await untilSent(5 * PART);
		await n8n.crash();
		await interrupted;
		await retry(await newestExecution('crashed'));

		await newestExecution('success');
		const [one, two, three, threeAgain, four, fourAgain, five, ...more] = await sentParts();
		expect(threeAgain).toEqual(three);
		expect(fourAgain).toEqual(four);
		expect(more).toEqual([]);
		expect([one, two, three, four, five].flat().sort()).toEqual(everyDocument());
		expect(await savedFiles()).toEqual([1, 2, 3, 4, 5].map((number) => `results 00${number}.xlsx`));
		expect(documentsOf(await rowsOf('results'))).toEqual(everyDocument());
	});
});
