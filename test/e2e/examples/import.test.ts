import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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

const saved = z.object({
	nodes: z.array(z.object({ name: z.string() })),
	settings: z.record(z.string(), z.unknown()).default({}),
});

const EXAMPLES = join(ROOT, 'examples');
const files = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' })
	.filter((name) => name.endsWith('.json'))
	.sort();

const stack = openStack();
const browser = useBrowser();

let editor: Editor;

beforeAll(async () => {
	editor = await Editor.open(await browser.newContext(), stack);
});

const read = async (id: string) => await stack.api.get(`/workflows/${id}`, saved);

const namesOf = (nodes: { name: string }[]) => nodes.map(({ name }) => name).sort();

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
