import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { WorkflowFile } from '../../../dev/stack/api';
import { SPECIMEN } from '../../../dev/stack/paths';
import { poll } from '../../../dev/stack/poll';
import { filesFolder } from '../../../dev/stack/stack';
import { useBrowser } from '../../kit/browser';
import { Editor } from '../../kit/editor';
import { savePicture } from '../../kit/picture';
import { openStack } from '../../kit/n8n/handle';
import { actionNode, manualNode, n8nNode, toolNode, workflowOf } from '../../kit/n8n/workflow';
import { readExample } from '../../kit/examples/example';
import { useMailbox } from '../../kit/examples/mailbox';

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
const PANEL_WIDTH = 1400;

const stack = openStack();
const { api, folder, credential } = stack;
const mailbox = useMailbox(api);
const browser = useBrowser();

/** Credentials of other services, which nothing is sent to. */
const ACCOUNTS = {
	googleSheetsOAuth2Api: { clientId: 'client', clientSecret: 'secret' },
	hubspotAppToken: { appToken: 'token' },
	pipedriveApi: { apiToken: 'token' },
	slackApi: { accessToken: 'token' },
};

let editor: Editor;
let accountIds: Record<string, string>;

beforeAll(async () => {
	const ids = Object.entries(ACCOUNTS).map(async ([type, data]) => [
		type,
		await api.saveCredential({ name: `Account of ${type}`, type, data }),
	]);
	accountIds = Object.fromEntries(await Promise.all(ids));
});

// The editor takes seconds to load where nothing is cached.
beforeAll(async () => {
	editor = await Editor.open(await browser.newContext(), stack);
});

/** Imports an example into the editor, and opens it. */
async function open(file: string, replace: Record<string, string> = {}): Promise<WorkflowFile> {
	const credentials = {
		identityVerificationApi: credential.id,
		smtp: mailbox.credentialId,
		...accountIds,
	};
	const id = randomUUID().replaceAll('-', '').slice(0, 16);
	const workflow = { ...(await readExample(file, { credentials, replace })), id };
	await api.saveWorkflow(workflow);
	await editor.openWorkflow(workflow);
	return workflow;
}

async function openPanel(nodeName: string, height = 860): Promise<void> {
	await editor.page.setViewportSize({ width: PANEL_WIDTH, height });
	await editor.openNode(nodeName);
}

describe('an example in the editor', () => {
	it.each([
		['onboarding-email', 'workflow', 'picture'],
		['onboarding-redirect', 'workflow', 'picture'],
		['onboarding-page', 'workflow', 'picture'],
		['route-decisions', 'workflow', 'picture'],
		['skip-repeated-results', 'workflow', 'picture'],
		['scan-an-upload', 'workflow', 'picture'],
		['back-office-batch', 'workflow', 'picture'],
		['long-batch', 'workflow', 'picture'],
		['wait-for-the-result', 'workflow', 'picture'],
		['audit-file', 'workflow', 'picture'],
		['case-list', 'workflow', 'picture'],
		['reminder-and-expiry', 'workflow', 'picture'],
		['check-again', 'workflow', 'picture'],
		['manual-review', 'workflow', 'picture'],
		['when-something-fails', 'workflow', 'picture'],
		['crm', 'hubspot', 'picture'],
		['crm', 'pipedrive', 'pipedrive'],
		['crm', 'google-sheets', 'google-sheets'],
	])('%s (%s) needs no more than what its note says', async (name, file, picture) => {
		const { nodes } = await open(`${name}/${file}.json`);
		const { page } = editor;
		const steps = nodes.filter(({ type }) => type !== STICKY_NOTE);
		for (const node of steps) {
			await page.getByText(node.name, { exact: true }).first().waitFor();
		}

		expect(await page.locator('[data-test-id="canvas-node"]').count()).toBe(steps.length);
		expect(await page.locator('[data-test-id="sticky"]').first().textContent()).toContain(
			'Set before use',
		);
		expect(await page.locator('[data-test-id="node-issues"]').count()).toBe(0);
		await savePicture(page, `examples/${name}/${picture}.png`, await editor.clear());
	});
});

describe('the panel of a node', () => {
	const documents = join(filesFolder(folder), 'panel', 'documents');

	beforeAll(async () => {
		await mkdir(documents, { recursive: true });
		for (const name of ['anna.jpg', 'ben.jpg', 'cleo.jpg']) {
			await copyFile(SPECIMEN, join(documents, name));
		}
	});

	afterAll(async () => await rm(documents, { recursive: true }));

	it('shows parameters, summary and fields of a scan', async () => {
		const { page } = editor;
		const parameters = { operation: 'scan', profile: 'sandbox-accept', branchOnDecision: true };
		const read = { operation: 'read', fileSelector: join(documents, '*'), options: {} };
		const workflow = workflowOf(
			[
				manualNode('Start'),
				n8nNode('Read Documents', 'readWriteFile', 1.1, read),
				actionNode('Scan Document', {
					parameters,
					credentialId: credential.id,
					settings: { position: [400, 0] },
				}),
			],
			[
				['Start', 'Read Documents'],
				['Read Documents', 'Scan Document'],
			],
		);
		await api.saveWorkflow(workflow);
		await editor.openWorkflow(workflow);
		await page.locator('[data-test-id="execute-workflow-button"]').click();
		await editor
			.node('Scan Document')
			.locator('[data-test-id="canvas-node-status-success"]')
			.waitFor();
		await openPanel('Scan Document');
		const output = page.locator('[data-test-id="output-panel"]');
		await output.getByText('Accept Branch (3 items)').click();
		await output.locator('[data-test-id="radio-button-schema"]').click();
		await output.getByText('documentNumber', { exact: true }).waitFor();

		expect(await output.getByText('3 documents: 3 accept').textContent()).toMatch(/credits left/);
		await savePicture(
			page,
			'docs/images/scan.png',
			await editor.panels('node-parameters', 'output-panel'),
		);
	});

	it('offers the fields of a scan before the first one', async () => {
		const { page } = editor;
		await open('back-office-batch/workflow.json');
		await openPanel('Result Row');
		const input = page.locator('[data-test-id="ndv-input-panel"]');
		await input.getByText('documentNumber', { exact: true }).waitFor();
		await savePicture(
			page,
			'docs/images/fields.png',
			await editor.panels('ndv-input-panel', 'node-parameters'),
		);
	});

	it('offers as a tool of an agent what a model can use', async () => {
		const { page } = editor;
		const workflow = workflowOf([toolNode('Tool', { credentialId: credential.id })]);
		await api.saveWorkflow(workflow);
		await editor.openWorkflow(workflow);
		await openPanel('Tool');
		const field = (name: string) => page.locator(`[data-test-id="parameter-input-${name}"]`);

		expect(await field('output').locator('input').inputValue()).toBe('Decision Only');
		expect(await field('toolDescription').locator('textarea').inputValue()).toMatch(/^Checks the/);
		await field('operation').click();
		const link = page.getByText('Create Hosted Link', { exact: true });
		await link.waitFor();
		expect(await page.getByText('Download Files', { exact: true }).count()).toBe(0);
		await link.click();
		await poll(
			async () =>
				/^Creates a/.test(await field('toolDescription').locator('textarea').inputValue()) ||
				undefined,
			{ what: 'the description of the link', timeoutMs: 60_000 },
		);
	});

	it('says where the URL of the trigger goes', async () => {
		const { page } = editor;
		const { nodes } = await open('route-decisions/workflow.json');
		await openPanel('Verification Completed', 800);
		await page.getByText('Webhook URLs', { exact: true }).click();
		await page.getByText('Production URL', { exact: true }).click();
		const trigger = nodes.find(({ name }) => name === 'Verification Completed');
		await page.getByText(`/webhook/${trigger?.webhookId}/webhook`).waitFor();
		await savePicture(page, 'docs/images/trigger.png', await editor.panels('node-parameters'));
	});
});
