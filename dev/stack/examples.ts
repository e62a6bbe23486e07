import { createHash } from 'node:crypto';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod/v4';

import { workflowFile } from './api';
import type { N8nApi, WorkflowFile } from './api';
import { ROOT } from './paths';
import { addStartNote } from './startNote';

/** IDs of the workflows in `dev/starters`, which the main job uses. */
export const STARTERS = {
	createHostedLink: 'createHostedLnk1',
	routeDecisions: 'routeDecisions01',
	scanUpload: 'scanAnUpload0001',
} as const;

/** ID of the example that is a service itself: `npm start` has another one. */
export const STAND_IN = 'standIn000000001';

const RECORD = 'examples.json';

/** What a user would set in an example. */
export interface ExampleSettings {
	/** IDs by credential type. */
	credentials?: Record<string, string>;
	/** What a user would replace, such as an address, and with what. */
	replace?: Record<string, string>;
}

/** All example workflows, from the repository's `examples` folder. */
export async function readExamples(settings: ExampleSettings = {}): Promise<WorkflowFile[]> {
	return await readWorkflows(join(ROOT, 'examples'), settings);
}

async function readWorkflows(folder: string, settings: ExampleSettings): Promise<WorkflowFile[]> {
	const names = await readdir(folder, { recursive: true });
	const files = names.filter((name) => name.endsWith('.json')).sort();
	return await Promise.all(
		files.map(async (name) => fillIn(await readFile(join(folder, name), 'utf8'), settings)),
	);
}

/**
 * Puts the starters and the examples, except Stand-in, into n8n with these settings, and activates
 * the starters: the examples need a profile of their own. Steps that need an account elsewhere are
 * deactivated, and a note says what is left to do. An example that was set up before and hasn't
 * changed in the repository since is left as the user edited it.
 */
export async function setUpExamples(
	api: N8nApi,
	userFolder: string,
	settings: ExampleSettings,
): Promise<WorkflowFile[]> {
	const recordFile = join(userFolder, RECORD);
	const record = await readRecord(recordFile);
	const starters = await readWorkflows(join(ROOT, 'dev', 'starters'), settings);
	const examples = (await readExamples(settings)).filter(({ id }) => id !== STAND_IN);
	const all = [...starters, ...examples];
	for (const example of all) {
		for (const node of example.nodes) {
			const needed = Object.values(node.credentials ?? {});
			if (needed.some(({ id }) => id === null)) node.disabled = true;
		}
		const isStarter = starters.includes(example);
		if (!isStarter) addStartNote(example);
		const digest = createHash('sha256').update(JSON.stringify(example)).digest('hex');
		const isKnown = record[example.id] === digest && (await api.hasWorkflow(example.id));
		if (!isKnown) await api.saveWorkflow(example);
		if (isStarter) await api.activate(example.id);
		record[example.id] = digest;
	}
	await writeFile(recordFile, JSON.stringify(record, null, 2));
	return all;
}

/**
 * The workflow of an example's text, with what a user would set; example files name credentials by
 * type only.
 */
export function fillIn(
	text: string,
	{ credentials = {}, replace = {} }: ExampleSettings,
): WorkflowFile {
	const replaced = Object.entries(replace).reduce((all, pair) => all.replaceAll(...pair), text);
	const workflow = workflowFile.parse(JSON.parse(replaced));
	for (const node of workflow.nodes) {
		for (const [type, named] of Object.entries(node.credentials ?? {})) {
			named.id = credentials[type] ?? named.id;
		}
	}
	return workflow;
}

async function readRecord(file: string): Promise<Record<string, string>> {
	const text = await readFile(file, 'utf8').catch(() => '{}');
	return z.record(z.string(), z.string()).parse(JSON.parse(text));
}
