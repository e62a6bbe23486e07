import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod/v4';

import type { WorkflowFile } from '../../../dev/stack/api';
import { readExamples } from '../../../dev/stack/examples';
import { ROOT } from '../../../dev/stack/paths';
import { poll } from '../../../dev/stack/poll';
import { addStartNote } from '../../../dev/stack/startNote';
import { useBrowser } from '../../kit/n8n/browser';
import { Editor } from '../../kit/n8n/editor';
import { savePicture } from '../../kit/n8n/savePicture';
import { openStack } from '../../kit/n8n/stack';
import { newWorkflowId } from '../../kit/n8n/workflow';
import { readExample } from '../../kit/n8n/examples/example';

/**
 * How n8n's settings of a workflow are called in the editor. Without them, n8n's own defaults hold.
 */
const LABELS = {
	saveDataErrorExecution: { label: 'Save failed production executions', usual: 'all' },
	saveDataSuccessExecution: { label: 'Save successful production executions', usual: 'all' },
	saveExecutionProgress: { label: 'Save execution progress', usual: false },
	saveManualExecutions: { label: 'Save manual executions', usual: true },
};
const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
/** The example whose flow the README shows, without its note. */
const OF_README = 'wait-for-the-result/workflow.json';
const EXAMPLES = join(ROOT, 'examples');

/** Credentials of other services, which nothing is sent to. */
const ACCOUNTS = {
	httpBasicAuth: { user: 'team', password: 'password' },
	googleSheetsOAuth2Api: { clientId: 'client', clientSecret: 'secret' },
	httpHeaderAuth: { name: 'X-Backend-Key', value: 'key' },
	hubspotAppToken: { appToken: 'token' },
	n8nApi: { apiKey: 'key', baseUrl: 'https://n8n.example.com/api/v1' },
	openAiApi: { apiKey: 'key' },
	pipedriveApi: { apiToken: 'token' },
	slackApi: { accessToken: 'token' },
	smtp: { host: '127.0.0.1' },
};

const files = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' })
	.filter((name) => name.endsWith('.json'))
	.sort();

const saved = z.object({
	nodes: z.array(z.object({ name: z.string() })),
	settings: z.record(z.string(), z.unknown()).default({}),
});
const migration = z.object({
	report: z.object({ workflowResults: z.array(z.object({ ruleId: z.string() })) }),
});
const rule = z.object({
	affectedWorkflows: z.array(
		z.object({ id: z.string(), issues: z.array(z.object({ title: z.string() })) }),
	),
});

const stack = openStack();
const { api, credential } = stack;
const browser = useBrowser();
const credentials: Record<string, string> = { [credential.type]: credential.id };

let editor: Editor;

beforeAll(async () => {
	for (const [type, data] of Object.entries(ACCOUNTS)) {
		credentials[type] = await api.saveCredential({ name: `Account of ${type}`, type, data });
	}
});

// The editor takes seconds to load where nothing is cached.
beforeAll(async () => {
	editor = await Editor.open(await browser.newContext(), stack);
});

/** Imports an example into the editor with some changes, and opens it. */
async function open(file: string, changes: Partial<WorkflowFile> = {}): Promise<WorkflowFile> {
	const example = await readExample(file, { credentials });
	const workflow: WorkflowFile = { ...example, ...changes, id: newWorkflowId() };
	await api.saveWorkflow(workflow);
	await editor.openWorkflow(workflow);
	return workflow;
}

/** What the canvas shows of an open workflow once all its steps are there. */
async function canvasOf({ nodes }: WorkflowFile) {
	const { page } = editor;
	for (const { name } of nodes.filter(({ type }) => type !== STICKY_NOTE)) {
		await page.getByText(name, { exact: true }).first().waitFor();
	}
	return {
		steps: await page.getByTestId('canvas-node').count(),
		note: await page.getByTestId('sticky').first().textContent(),
		issues: await page.getByTestId('node-issues').count(),
		cutOffNotes: await editor.cutOffNotes(),
	};
}

const read = async (id: string) => await api.get(`/workflows/${id}`, saved);

const namesOf = (nodes: { name: string }[]) => nodes.map(({ name }) => name).sort();

describe('an example that is imported into the editor', () => {
	it.each(files)('%s comes in with all nodes, and names the settings that do not', async (file) => {
		const { nodes, settings } = await readExample(file);
		const imported = await read(await editor.importWorkflow(join(EXAMPLES, file)));

		expect(namesOf(imported.nodes)).toEqual(namesOf(nodes));
		const wanted = new Map(Object.entries(settings ?? {}));
		const lost = Object.entries(LABELS).filter(
			([key, { usual }]) => (wanted.get(key) ?? usual) !== (imported.settings[key] ?? usual),
		);
		const readme = await readFile(join(EXAMPLES, dirname(file), 'README.md'), 'utf8');
		const [, setUp = ''] = /^## Set up\n([^]*?)^## /m.exec(readme) ?? [];
		const notes = nodes.filter(({ type }) => type === STICKY_NOTE);
		for (const [, { label }] of lost) {
			expect(setUp).toContain(`*${label}*`);
			expect(notes.map(({ parameters }) => parameters.content).join()).toContain(`*${label}*`);
		}
	});

	it.each(files.filter((file) => !file.startsWith('starters/')))(
		'%s needs no more than what its note says',
		async (file) => {
			const workflow = await open(file);
			const { page } = editor;

			expect(await canvasOf(workflow)).toEqual({
				steps: workflow.nodes.filter(({ type }) => type !== STICKY_NOTE).length,
				note: expect.stringContaining('Set before use') as string,
				issues: 0,
				cutOffNotes: [],
			});
			const picture = file.replace(/(workflow|hubspot)\.json$/, 'picture.json');
			const path = `examples/${picture.replace('.json', '.png')}`;
			await savePicture(page, path, await editor.clear({ notes: true }));
			if (file === OF_README) {
				await savePicture(page, 'docs/images/flow.png', await editor.clear({ notes: false }));
			}
		},
	);

	it('would show a step without its credential, and a note that is too low', async () => {
		const { nodes } = await readExample(OF_README, { credentials });
		const step = nodes.find(({ credentials }) => credentials);
		const changed = nodes.map((node) => {
			if (node === step) return { ...node, credentials: {} };
			if (node.type !== STICKY_NOTE) return node;
			return { ...node, parameters: { ...node.parameters, height: 80 } };
		});

		const workflow = await open(OF_README, { nodes: changed });

		expect(await canvasOf(workflow)).toMatchObject({
			issues: 1,
			cutOffNotes: ['Wait for the result'],
		});
	});

	it('shows all of the note that npm start adds', async () => {
		const { page } = editor;
		// n8n has this note in its own copy, too, but other tests may write into that one.
		const workflow = { ...(await readExample('weekly-report/workflow.json')), id: newWorkflowId() };
		addStartNote(workflow);
		await api.saveWorkflow(workflow);
		await editor.openWorkflow(workflow);
		await page.getByText('With npm start').waitFor();

		expect(await editor.cutOffNotes()).toEqual([]);
	});

	it('scan-an-upload keeps no documents once its steps were followed', async () => {
		const { page } = editor;
		const id = await editor.importWorkflow(join(EXAMPLES, 'scan-an-upload', 'workflow.json'));
		await editor.openMenu('Settings');
		await page.getByTestId('workflow-settings-save-success-executions').click();
		await page.getByRole('option', { name: 'Do not save' }).click();
		await page.getByRole('button', { name: 'Save', exact: true }).click();
		const isSet = async () =>
			(await read(id)).settings.saveDataSuccessExecution === 'none' || undefined;

		await poll(isSet, { what: 'the setting to be saved', timeoutMs: 30_000 });
	});

	it("n8n's own migration report for its version 3 finds nothing in the examples", async () => {
		const examples = await readExamples();
		const names = new Map(examples.map(({ id, name }) => [api.idOf(id), name]));

		const { report } = await api.post('/breaking-changes/report/refresh?version=v3', {}, migration);

		const problems: string[] = [];
		for (const { ruleId } of report.workflowResults) {
			const { affectedWorkflows } = await api.get(`/breaking-changes/report/${ruleId}`, rule);
			for (const { id, issues } of affectedWorkflows) {
				const titles = issues.map(({ title }) => title).join('; ');
				if (names.has(id)) problems.push(`${names.get(id)}: ${titles}`);
			}
		}
		expect(names.size).toBe(examples.length);
		expect(problems).toEqual([]);
	});
});
