import type { Page } from 'playwright-core';

import { OWNER } from '../../dev/stack/stack';
import { useBrowser } from '../kit/n8n/browser';
import { Editor } from '../kit/n8n/editor';
import { picture } from '../kit/data/picture';
import { readDocument } from '../kit/markdown';
import { openStack } from '../kit/n8n/stack';
import type { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { SCAN, START, imagesBody, startScans } from '../kit/n8n/scans';
import { useSandboxInN8n } from '../kit/n8n/sandboxInN8n';
import { NodePanel } from './support/nodePanel';
import { OpenNode } from './support/openNode';
import { useSteps } from './support/steps';

// What the guides tell a person to do in n8n's editor, in n8n's own words.

const SECRET = 'webhook-secret-of-a-reader';
const PROFILE = 'sandbox-accept';
const WINDOW = { width: 1400, height: 900 };

const { api, n8nUrl } = openStack();
const sandboxInN8n = useSandboxInN8n(api, SECRET);
const { sandbox } = sandboxInN8n;
const browser = useBrowser();

let editor: Editor;
let node: OpenNode;
const { step, shoot } = useSteps('guides', () => editor.page);

beforeAll(async () => {
	const context = await browser.newContext();
	await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: n8nUrl });
	editor = await Editor.openLogin(context, n8nUrl);
	await editor.page.setViewportSize(WINDOW);
	await editor.logIn(OWNER);
	node = new OpenNode(editor.page);
});

const copied = async (page: Page) => await page.evaluate<string>('navigator.clipboard.readText()');

describe('the first result, as the README describes it', () => {
	let webhookUrl = '';
	let workflowId = '';

	step('the address below the tab Production URL is copied by a click', async () => {
		const { page } = editor;
		const nodePanel = new NodePanel(page);
		await editor.newWorkflow();
		await nodePanel.open();
		await nodePanel.add('identity', 'Triggers', 'On new Identity Verification event');
		await node.chooseCredentialById(sandboxInN8n.credentialId);
		await page.getByText('Webhook URLs', { exact: true }).click();
		await page.getByText('Production URL', { exact: true }).click();
		expect(await copied(page)).toBe('');
		await page.getByText(/\/webhook\//).click();
		await page.getByText('URL copied').waitFor();

		webhookUrl = await copied(page);
		expect(webhookUrl).toMatch(/\/webhook\/[\w-]+\/webhook$/);
	});

	step('Publish, and again in the dialog', async () => {
		const { page } = editor;
		await node.close();
		await page.getByTestId('workflow-open-publish-modal-button').click();
		await page.getByTestId('workflow-publish-button').click();
		await page.getByText('Published', { exact: true }).first().waitFor();
		workflowId = new URL(page.url()).pathname.split('/')[2] ?? '';
	});

	step('a double-click on the trigger in Executions shows the result', async () => {
		const { page } = editor;
		await sandbox.setProfile(PROFILE, { webhookUrl: `${webhookUrl}?secret=${SECRET}` });
		await sandbox.verify({ profile: PROFILE, customData: 'applicant-1' }, 'accept');
		await page.goto(`${n8nUrl}/workflow/${workflowId}`);
		await page.getByTestId('radio-button-executions').click();
		const trigger = editor.node('Identity Verification Trigger');
		await page.getByTestId('execution-preview-id').waitFor();
		await shoot('executions');
		await trigger.dblclick();

		expect(await node.openBranch()).toMatch(/Accept Branch \(1 item\)/);
		expect(await node.readFields()).toMatch(/customData\s+applicant-1/);
	});
});

describe('Retry, as docs/errors-and-charges.md describes it', () => {
	const guide = readDocument('docs/errors-and-charges.md').text;
	let scans: LiveWorkflow;

	/** Opens the menu of *Retry execution* at a failed execution. */
	async function openRetryMenu(executionId: string) {
		const { page } = editor;
		await page.goto(`${n8nUrl}/workflow/${scans.file.id}/executions/${executionId}`);
		await page.getByTitle('Retry execution').last().click();
		const entries = page.locator('.el-dropdown-menu__item:visible');
		await entries.first().waitFor();
		return entries;
	}

	step('with the saved workflow, a bad item goes to Error, and nothing is paid again', async () => {
		const { page } = editor;
		const files = [picture(), picture(), picture()];
		await sandbox.faultOn(files[1], { kind: 'status', status: 422, times: 'always' });
		scans = await startScans(api, {
			credentialId: sandboxInN8n.credentialId,
			parameters: { options: { maxParallelRequests: 1 } },
		});
		await scans.send(START, imagesBody(files));
		const failed = await scans.takeExecution();
		expect(failed.status).toBe('error');
		expect(await sandbox.billed()).toBe(1);

		const entries = await openRetryMenu(failed.id);
		await shoot('retry menu');
		const names = (await entries.allTextContents()).map((name) => name.trim());
		expect(names).toHaveLength(2);
		for (const name of names) expect(guide).toContain(`*${name}*`);
		await entries.filter({ hasText: 'original workflow' }).click();
		await page.getByText('Retry unsuccessful').first().waitFor();
		const [again] = await scans.takeExecutions(1);
		expect(again?.status).toBe('error');
		expect(await sandbox.billed()).toBe(1);

		await page.goto(`${n8nUrl}/workflow/${scans.file.id}`);
		await editor.openNode(SCAN);
		await page.getByTestId('tab-settings').click();
		await page.getByTestId('parameter-input-onError').click();
		const setting = 'Continue (using error output)';
		expect(guide).toContain(`*${setting}*`);
		await page.locator('.el-select-dropdown__item:visible').filter({ hasText: setting }).click();
		await node.close();
		const saved = page.waitForResponse(
			(response) => response.request().method() === 'PATCH' && /\/workflows\//.test(response.url()),
		);
		await page.keyboard.press('Control+s');
		await saved;
		await (await openRetryMenu(again?.id ?? '')).filter({ hasText: 'currently saved' }).click();
		await page.getByText('Retry successful').waitFor();

		const [passed] = await scans.takeExecutions(1);
		expect(passed?.status).toBe('success');
		const [done, errors] = passed?.data[SCAN]?.at(-1)?.data?.main ?? [];
		expect([done?.length, errors?.length]).toEqual([2, 1]);
		expect(await sandbox.billed()).toBe(2);
	});
});
