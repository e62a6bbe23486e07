import { randomUUID } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { N8nApi, WorkflowFile } from '../../../../dev/stack/api';
import { filesFolder } from '../../../../dev/stack/stack';
import { poll } from '../../../../dev/stack/poll';
import { picture } from '../../../kit/data/picture';
import { readExample } from '../../../kit/n8n/examples/example';
import type { SandboxInN8n } from '../../../kit/n8n/sandboxInN8n';
import { newWorkflowId } from '../../../kit/n8n/workflow';
import { sha256 } from '../../../kit/service/sandbox';
import { spreadsheetReader } from './spreadsheets';

const TIMEOUT_MS = 180_000;
/** Documents in a part of the long batch. */
export const PART = 3;

type Rows = Record<string, unknown>[];

/**
 * A new folder of documents for each test of a file, in which the batch also writes its
 * spreadsheets. Documents are known by the digest of their image.
 * @param n8n which may read and write files in its user folder's `files`
 */
export function useBatchFolder(
	n8n: { readonly api: N8nApi; readonly folder: string },
	sandboxInN8n: SandboxInN8n,
) {
	const names = new Map<string, string>();
	let folder = '';
	let read: (file: string) => Promise<Rows>;
	beforeAll(async () => {
		read = await spreadsheetReader(n8n.api);
	});
	beforeEach(async () => {
		folder = join(filesFolder(n8n.folder), randomUUID());
		await mkdir(join(folder, 'documents'), { recursive: true });
		names.clear();
	});
	return {
		get folder() {
			return folder;
		},
		/** Puts a document into the folder. */
		async put(name: string, image = picture()): Promise<Buffer> {
			await writeFile(join(folder, 'documents', name), image);
			names.set(sha256(image), name);
			return image;
		},
		/** Puts a file into the folder that is no document. */
		async putText(name: string): Promise<void> {
			await writeFile(join(folder, 'documents', name), 'not an image');
		},
		/** The names of all documents. */
		everyDocument: () => [...names.values()].sort(),
		nameOf: (digest = '') => names.get(digest),
		/** Names of the documents that were sent, in the order in which they were sent. */
		async sent(): Promise<string[]> {
			return (await sandboxInN8n.sandbox.documents()).map((digest) => names.get(digest) ?? digest);
		},
		/** The names of all spreadsheets, without their dates. */
		async savedFiles(): Promise<string[]> {
			const saved = (await readdir(folder)).filter((name) => name.endsWith('.xlsx'));
			return saved.map((name) => name.replace(/-\d{4}-\d\d-\d\d-\d{6}-?/, ' ')).sort();
		},
		/** The rows of all spreadsheets of a kind, such as results. */
		async rowsOf(kind: string): Promise<Rows> {
			const saved = (await readdir(folder)).filter((name) => name.startsWith(`${kind}-`));
			const rows = [];
			for (const name of saved.sort()) rows.push(...(await read(join(folder, name))));
			return rows;
		},
		/** Puts the long batch into n8n, with the folder of the test. */
		async save(replace: Record<string, string> = {}): Promise<WorkflowFile> {
			const example = await readExample('long-batch/workflow.json', {
				credentials: { identityVerificationApi: sandboxInN8n.credentialId },
				replace: { '/home/node/.n8n-files/identity-verification': folder, ...replace },
			});
			const workflow = { ...example, id: newWorkflowId() };
			await n8n.api.saveWorkflow(workflow);
			return workflow;
		},
		/** Selects *Execute workflow* in the long batch, with five parts. */
		async startLongBatch(replace: Record<string, string> = {}): Promise<WorkflowFile> {
			for (let index = 0; index < 5 * PART; index += 1) await this.put(`document-${index}.jpg`);
			const parts = { '"batchSize": 50': `"batchSize": ${PART}` };
			const workflow = await this.save({ ...parts, ...replace });
			await n8n.api.runWorkflow(workflow.id, 'Start');
			return workflow;
		},
		/** Resolves to the ID of a workflow's newest execution, when it has this status. */
		async newestExecution({ id }: WorkflowFile, wanted: string): Promise<string> {
			const options = { what: `the execution to be ${wanted}`, timeoutMs: TIMEOUT_MS };
			return await poll(async () => {
				const [newest] = await n8n.api.listExecutions(id);
				return newest?.status === wanted ? newest.id : undefined;
			}, options);
		},
	};
}

/** The documents that rows are about. */
export function documentsOf(rows: Rows): string[] {
	return rows.map(({ file }) => String(file)).sort();
}
