import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';

import { useSandbox } from '../kit/sandbox';
import { eventually } from '../kit/sandboxUnderTest';
import { useReceiver } from '../kit/receiver';
import { BROWSER_TIMEOUT_MS, CHROMIUM } from '../kit/browser';
import { openStack } from '../kit/n8n/handle';

const stack = openStack();
const client = useSandbox();
const receiver = useReceiver();
let browser: Browser;
let page: Page;
beforeAll(async () => {
	browser = await chromium.launch(CHROMIUM);
});
beforeEach(async () => {
	page = await browser.newPage({ javaScriptEnabled: false });
	page.setDefaultTimeout(BROWSER_TIMEOUT_MS);
});
afterEach(async () => {
	for (const context of browser.contexts()) await context.close();
});
afterAll(async () => {
	await browser.close();
});

/** One with JavaScript, and with a clipboard that the test may read. */
async function scriptedPage(): Promise<Page> {
	const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
	context.setDefaultTimeout(BROWSER_TIMEOUT_MS);
	return await context.newPage();
}

async function clipboardOf(scripted: Page): Promise<string> {
	return await scripted.evaluate<string>('navigator.clipboard.readText()');
}

it('an end user finishes a verification without JavaScript', async () => {
	const change = { webhookUrl: receiver.url, companyName: 'Harbour Bank' };
	await client.setProfile('sandbox-accept', change);
	await page.goto((await client.link()).url);
	await page.getByRole('heading', { name: 'ID and Face Verification' }).waitFor();
	expect(await page.getByRole('contentinfo').textContent()).toContain('Harbour Bank');
	expect(await page.getByRole('button').count()).toBe(6);
	await page.getByRole('button', { name: 'Reject: sanctions list match' }).click();
	await page.getByRole('heading', { name: 'Verification finished' }).waitFor();
	const { body } = await eventually(() => receiver.take()[0]);
	expect(body).toMatchObject({ decision: 'reject', customData: 'customer-1' });
});

it('the portal creates a link, and shows by itself how its webhook was answered', async () => {
	await client.setProfile('sandbox-aml', { webhookUrl: receiver.url });
	const portal = await scriptedPage();
	await portal.goto(`${client.url}/portal`);
	await portal.getByLabel('Profile', { exact: true }).selectOption('sandbox-aml');
	await portal.getByLabel('Custom Data').fill('applicant-4711');
	await portal.getByLabel('Mode').selectOption('ID Verification (1 Credit)');
	await portal.getByRole('button', { name: 'Create link' }).click();
	const created = portal.getByRole('status').getByRole('link');
	await created.waitFor();
	expect(await portal.locator('#credits').textContent()).toBe('9999');
	const { links } = await client.state();
	expect(links).toMatchObject([{ profile: 'sandbox-aml', mode: 1, customData: 'applicant-4711' }]);
	expect(await created.textContent()).toBe(links[0]?.url);
	await portal.getByRole('button', { name: 'Copy the link' }).click();
	expect(await clipboardOf(portal)).toBe(links[0]?.url);

	const opened = portal.waitForEvent('popup');
	await created.click();
	const endUser = await opened;
	await endUser.getByRole('heading', { name: 'ID Verification' }).waitFor();
	await endUser.getByRole('button', { name: 'Reject: text forgery' }).click();
	await endUser.getByRole('heading', { name: 'Verification finished' }).waitFor();
	await endUser.close();

	const sent = portal.locator('[data-webhook]').filter({ hasText: 'applicant-4711' });
	await sent.filter({ hasText: /reject[^]*Answered 200[^]*{"received":true}/ }).waitFor();
	expect(receiver.take()).toMatchObject([
		{ body: { decision: 'reject', customData: 'applicant-4711' } },
	]);
});

it("the portal of npm start has the values of n8n's credential to copy", async () => {
	const portal = await scriptedPage();
	await portal.goto(`${stack.sandbox.url}/portal`);
	const { apiKey, baseUrl, fileHosts, webhookSecret } = stack.credential.data;
	for (const [label, value] of [
		['API Key', apiKey],
		['Base URL', baseUrl],
		['File Hosts', fileHosts],
		['Webhook Secret', webhookSecret],
	]) {
		const button = portal.getByRole('button', { name: `Copy ${label}` });
		await button.click();
		await button.filter({ hasText: 'Copied' }).waitFor();
		expect(await clipboardOf(portal)).toBe(value);
		expect(await portal.getByText(String(value), { exact: true }).isVisible()).toBe(true);
	}
});
