import { createHash } from 'node:crypto';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod/v4';

import { workflowFile } from './api';
import type { N8nApi, WorkflowFile } from './api';
import { ROOT } from './paths';

/** IDs of the starters: the example workflows that the main job uses. */
export const EXAMPLES = {
	createHostedLink: 'createHostedLnk1',
	routeDecisions: 'routeDecisions01',
	scanUpload: 'scanAnUpload0001',
} as const;

const STARTERS: string[] = Object.values(EXAMPLES);

const RECORD = 'examples.json';

/** All example workflows, from the repository's `examples` folder. */
export async function readExamples(): Promise<WorkflowFile[]> {
	const folder = join(ROOT, 'examples');
	const names = await readdir(folder, { recursive: true });
	const files = names.filter((name) => name.endsWith('.json')).sort();
	return await Promise.all(
		files.map(async (name) =>
			workflowFile.parse(JSON.parse(await readFile(join(folder, name), 'utf8'))),
		),
	);
}

/**
 * Puts the examples into n8n with their credentials filled in, and activates the starters: the
 * others need settings of the user. One that was set up before and hasn't changed in the repository
 * since is left as the user edited it. `credentialIds` holds IDs by credential type.
 */
export async function setUpExamples(
	api: N8nApi,
	userFolder: string,
	credentialIds: Record<string, string>,
): Promise<WorkflowFile[]> {
	const recordFile = join(userFolder, RECORD);
	const record = await readRecord(recordFile);
	const examples = (await readExamples()).map((example) => withCredentials(example, credentialIds));
	for (const example of examples) {
		const digest = createHash('sha256').update(JSON.stringify(example)).digest('hex');
		const isKnown = record[example.id] === digest && (await api.hasWorkflow(example.id));
		if (!isKnown) await api.saveWorkflow(example);
		if (STARTERS.includes(example.id)) await api.activate(example.id);
		record[example.id] = digest;
	}
	await writeFile(recordFile, JSON.stringify(record, null, 2));
	return examples;
}

/** Fills in the ID of every credential of a known type; example files name types only. */
export function withCredentials(
	workflow: WorkflowFile,
	credentialIds: Record<string, string>,
): WorkflowFile {
	const nodes = workflow.nodes.map((node) => {
		if (!node.credentials) return node;
		const filled = Object.entries(node.credentials).map(([type, { id, name }]) => [
			type,
			{ id: credentialIds[type] ?? id, name },
		]);
		return { ...node, credentials: Object.fromEntries(filled) };
	});
	return { ...workflow, nodes };
}

async function readRecord(file: string): Promise<Record<string, string>> {
	const text = await readFile(file, 'utf8').catch(() => '{}');
	return z.record(z.string(), z.string()).parse(JSON.parse(text));
}
