import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { WorkflowFile } from '../../dev/stack/api';
import { SPECIMEN } from '../../dev/stack/paths';
import { poll } from '../../dev/stack/poll';
import { filesFolder } from '../../dev/stack/stack';
import { useBrowser } from '../kit/n8n/browser';
import { Editor } from '../kit/n8n/editor';
import { readExample } from '../kit/n8n/examples/example';
import { savePicture } from '../kit/n8n/savePicture';
import { openStack } from '../kit/n8n/stack';
import {
	actionNode,
	agentToolNode,
	manualNode,
	n8nNode,
	newWorkflowId,
	workflowOf,
} from '../kit/n8n/workflow';

// What the panel of a node shows in the editor. Most of it is in the pictures of the documents.

const PANEL_WIDTH = 1400;

const stack = openStack();
const { api, folder, credential } = stack;
const browser = useBrowser();

let editor: Editor;

// The editor takes seconds to load where nothing is cached.
beforeAll(async () => {
	editor = await Editor.open(await browser.newContext(), stack);
});

async function openExample(file: string): Promise<WorkflowFile> {
	const example = await readExample(file, { credentials: { [credential.type]: credential.id } });
	const workflow = { ...example, id: newWorkflowId() };
	await api.saveWorkflow(workflow);
	await editor.openWorkflow(workflow);
	return workflow;
}

async function openPanel(nodeName: string, height = 860): Promise<void> {
	await editor.page.setViewportSize({ width: PANEL_WIDTH, height });
	await editor.openNode(nodeName);
}

async function saveDocsPicture(name: string, ...panels: string[]): Promise<void> {
	await savePicture(editor.page, `docs/images/${name}.png`, await editor.panels(...panels));
}

const documents = join(filesFolder(folder), 'panel', 'documents');

beforeAll(async () => {
	await mkdir(documents, { recursive: true });
	for (const name of ['anna.jpg', 'ben.jpg', 'cleo.jpg']) {
		await copyFile(SPECIMEN, join(documents, name));
	}
});

afterAll(async () => await rm(documents, { recursive: true }));

it('shows parameters and fields of a scan', async () => {
	const { page } = editor;
	const parameters = { operation: 'scan', profile: 'sandbox-accept', branchOnDecision: true };
	const settings = { position: [400, 0] };
	const read = { operation: 'read', fileSelector: join(documents, '*'), options: {} };
	const workflow = workflowOf(
		[
			manualNode('Start'),
			n8nNode('Read Documents', 'readWriteFile', 1.1, read),
			actionNode('Scan Document', { parameters, credentialId: credential.id, settings }),
		],
		[
			['Start', 'Read Documents'],
			['Read Documents', 'Scan Document'],
		],
	);
	await api.saveWorkflow(workflow);
	await editor.openWorkflow(workflow);
	await page.getByTestId('execute-workflow-button').click();
	await editor.node('Scan Document').getByTestId('canvas-node-status-success').waitFor();
	await openPanel('Scan Document');
	const output = page.getByTestId('output-panel');
	await output.getByText('Accept Branch (3 items)').click();
	await output.getByTestId('radio-button-schema').click();
	await output.getByText('documentNumber', { exact: true }).waitFor();

	await saveDocsPicture('scan', 'node-parameters', 'output-panel');
});

it('offers the fields of a scan before the first one', async () => {
	const { page } = editor;
	await openExample('long-batch/workflow.json');
	await openPanel('Result Row');
	const input = page.getByTestId('ndv-input-panel');
	await input.getByText('documentNumber', { exact: true }).waitFor();
	await saveDocsPicture('fields', 'ndv-input-panel', 'node-parameters');
});

it('offers as a tool of an agent what a model can use', async () => {
	const { page } = editor;
	const workflow = workflowOf([agentToolNode('Tool', { credentialId: credential.id })]);
	await api.saveWorkflow(workflow);
	await editor.openWorkflow(workflow);
	await openPanel('Tool');
	const field = (name: string) => page.getByTestId(`parameter-input-${name}`);

	const description = field('toolDescription').locator('textarea');

	expect(await field('output').locator('input').inputValue()).toBe('Decision Only');
	expect(await description.inputValue()).toMatch(/^Checks the/);
	await field('operation').click();
	const link = page.getByText('Create Hosted Link', { exact: true });
	await link.waitFor();
	expect(await page.getByText('Download Files', { exact: true }).count()).toBe(0);
	await link.click();
	const isOfLink = async () => /^Creates a/.test(await description.inputValue()) || undefined;
	await poll(isOfLink, { what: 'the description of the link', timeoutMs: 60_000 });
});

it('says where the URL of the trigger goes', async () => {
	const { page } = editor;
	const { nodes } = await openExample('route-decisions/workflow.json');
	await openPanel('Verification Completed', 800);
	await page.getByText('Webhook URLs', { exact: true }).click();
	await page.getByText('Production URL', { exact: true }).click();
	const trigger = nodes.find(({ name }) => name === 'Verification Completed');
	await page.getByText(`/webhook/${trigger?.webhookId}/webhook`).waitFor();
	await saveDocsPicture('trigger', 'node-parameters');
});
