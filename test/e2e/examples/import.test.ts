import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod/v4';

import { ROOT } from '../../../dev/stack/paths';
import { poll } from '../../../dev/stack/poll';
import { useBrowser } from '../../kit/browser';
import { Editor } from '../../kit/editor';
import { readExample } from '../../kit/examples/example';
import { openStack } from '../../kit/n8n/handle';

/** How n8n's settings of a workflow are called in the editor. Without them, n8n's own defaults hold. */
const LABELS = {
	saveDataErrorExecution: { label: 'Save failed production executions', usual: 'all' },
	saveDataSuccessExecution: { label: 'Save successful production executions', usual: 'all' },
	saveExecutionProgress: { label: 'Save execution progress', usual: false },
	saveManualExecutions: { label: 'Save manual executions', usual: true },
};
const STICKY_NOTE = 'n8n-nodes-base.stickyNote';

const saved = z.object({ settings: z.record(z.string(), z.unknown()).optional() });

const stack = openStack();
const browser = useBrowser();

let editor: Editor;

beforeAll(async () => {
	editor = await Editor.open(await browser.newContext(), stack);
});

async function settingsOf(workflowId: string): Promise<Record<string, unknown>> {
	return (await stack.api.get(`/workflows/${workflowId}`, saved)).settings ?? {};
}

/** Imports an example with the editor's menu. Returns the workflow's ID, and what is to be set by hand. */
async function importExample(name: string) {
	const file = `${name}/workflow.json`;
	const wanted = new Map(Object.entries((await readExample(file)).settings ?? {}));
	const id = await editor.importWorkflow(join(ROOT, 'examples', file));
	const imported = await settingsOf(id);
	const lost = Object.entries(LABELS).filter(
		([key, { usual }]) => (wanted.get(key) ?? usual) !== (imported[key] ?? usual),
	);
	return { id, lost: lost.map(([, { label }]) => label) };
}

it.each(['scan-an-upload', 'long-batch', 'check-again', 'reminder-and-expiry'])(
	'%s names the settings that the editor does not import as a step of its set-up',
	async (name) => {
		const { lost } = await importExample(name);

		expect(lost.length).toBeGreaterThan(0);
		const readme = await readFile(join(ROOT, 'examples', name, 'README.md'), 'utf8');
		const [, setUp = ''] = /^## Set up\n([^]*?)^## /m.exec(readme) ?? [];
		const { nodes } = await readExample(`${name}/workflow.json`);
		const notes = nodes.filter(({ type }) => type === STICKY_NOTE);
		for (const label of lost) {
			expect(setUp).toContain(`*${label}*`);
			expect(notes.map(({ parameters }) => parameters.content).join()).toContain(`*${label}*`);
		}
	},
);

it('scan-an-upload keeps no documents once its steps were followed', async () => {
	const { page } = editor;
	const { id } = await importExample('scan-an-upload');
	await editor.openMenu('Settings');
	await page.getByTestId('workflow-settings-save-success-executions').click();
	await page.getByRole('option', { name: 'Do not save' }).click();
	await page.getByRole('button', { name: 'Save', exact: true }).click();
	const isSet = async () => (await settingsOf(id)).saveDataSuccessExecution === 'none' || undefined;

	await poll(isSet, { what: 'the setting to be saved', timeoutMs: 30_000 });
});
