import type { Page } from 'playwright-core';

import { useBrowser } from '../kit/n8n/browser';
import { readExample } from '../kit/n8n/examples/example';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { useSandboxInN8n } from '../kit/n8n/sandboxInN8n';
import { openStack } from '../kit/n8n/stack';
import { workflowOf } from '../kit/n8n/workflow';
import { useSteps } from './support/steps';

// The examples' pages on a phone: one of each kind. test/docs/examples looks at all of them.

const PHONE = { width: 390, height: 844 };
/** A line of a page for colleagues that is longer than a phone is wide. */
const LONG_LINE = 'Customer: '.repeat(20);

const { api, n8nUrl } = openStack();
const browser = useBrowser();
const sandboxInN8n = useSandboxInN8n(api, 'a-secret');

let page: Page;
const { step } = useSteps('phone', () => page);

beforeAll(async () => {
	const context = await browser.newContext({ viewport: PHONE, hasTouch: true });
	page = await context.newPage();
});

/** Publishes an example. */
async function start(name: string): Promise<LiveWorkflow> {
	const credentials = { identityVerificationApi: sandboxInN8n.credentialId };
	return await LiveWorkflow.start(api, await readExample(`${name}/workflow.json`, { credentials }));
}

/** Where the form of a workflow is opened. */
function formUrl({ file }: LiveWorkflow): string {
	const form = file.nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
	return `${n8nUrl}/form/${form?.webhookId}`;
}

/** The page isn't wider than the phone, so nothing is cut off. */
async function expectToFit(): Promise<void> {
	expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
}

step('a form and its end page fit', async () => {
	await page.goto(formUrl(await start('onboarding-redirect')));
	await page.getByLabel('Customer Number').fill('no number');
	await expectToFit();
	await page.getByRole('button', { name: 'Start' }).click();
	await page.getByText('Please check your customer number').waitFor();
	await expectToFit();
});

step('a page with fields fits, and its lines begin at the left', async () => {
	const { nodes } = await readExample('review-desk/workflow.json');
	const fields = nodes.find(({ name }) => name === 'Case Page');
	const form = (await readExample('onboarding-redirect/workflow.json')).nodes.find(
		({ name }) => name === 'Start Form',
	);
	if (!fields || !form) throw new Error('An example lacks its page.');
	form.webhookId = 'form-of-a-phone';
	const options = { ...(fields.parameters.options as object), formDescription: LONG_LINE };
	fields.parameters.options = { ...options, formTitle: 'A case' };
	const file = workflowOf([form, fields], [['Start Form', 'Case Page']]);

	await page.goto(formUrl(await LiveWorkflow.start(api, file)));
	await page.getByLabel('Customer Number').fill('4711');
	await page.getByRole('button', { name: 'Start' }).click();
	await page.getByText('A case').waitFor();
	await expectToFit();
	const align = `getComputedStyle(document.querySelector('.form-header p')).textAlign`;
	expect(await page.evaluate(align)).toBe('left');
	for (const { id } of await api.listExecutions(file.id)) await api.stopExecution(id);
});

step('a page of its own fits, with the verification in its frame', async () => {
	const workflow = await start('onboarding-page');
	await api.runWorkflow(workflow.file.id, 'Set Up');
	await workflow.takeExecutions(1);
	await page.goto(`${workflow.url('Verification Page')}?customer=4711`);
	await expectToFit();
	await page.getByRole('button', { name: 'Start' }).click();
	await page.getByText('open the verification in a new window').waitFor();
	await expectToFit();
});
