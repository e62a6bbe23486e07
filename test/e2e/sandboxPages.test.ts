import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';

import { useSandbox } from '../kit/sandbox';
import { eventually } from '../kit/sandboxUnderTest';
import { useReceiver } from '../kit/receiver';
import { BROWSER_TIMEOUT_MS, CHROMIUM } from '../kit/browser';
import { listen } from '../kit/httpServer';

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
	await page.close();
});
afterAll(async () => {
	await browser.close();
});

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

it('offers the upload of a photo only where the profile allows it', async () => {
	const upload = page.locator('input[type=file]');
	await page.goto((await client.link()).url);
	expect(await upload.count()).toBe(0);
	await client.setProfile('sandbox-accept', { allowFileUpload: true });
	await page.reload();
	await upload.setInputFiles({
		name: 'id.png',
		mimeType: 'image/png',
		buffer: Buffer.from('picture'),
	});
	await page.getByRole('button', { name: 'Accept' }).click();
	await page.getByRole('heading', { name: 'Verification finished' }).waitFor();
});

it('fits a phone', async () => {
	const phone = await browser.newPage({ viewport: { width: 320, height: 640 } });
	for (const url of [(await client.link()).url, `${client.url}/portal`]) {
		await phone.goto(url);
		expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(320);
	}
	await phone.close();
});

it('works in a frame of another site', async () => {
	const { url } = await client.link();
	const site = await listen((_request, response) => {
		response.setHeader('Content-Type', 'text/html');
		response.end(`<iframe src="${url}" width="500" height="900"></iframe>`);
	});
	await page.goto(site.url);
	const frame = page.frameLocator('iframe');
	await frame.getByRole('button', { name: 'Accept: clean document' }).click();
	await frame.getByRole('heading', { name: 'Verification finished' }).waitFor();
});

it('the portal sets a webhook URL, lists webhooks newest first and resends one', async () => {
	await page.goto(`${client.url}/portal`);
	const field = page.getByLabel('Webhook URL of sandbox-accept', { exact: true });
	await field.fill(receiver.url);
	// Reloading before the page that follows the form has come is refused by Chromium.
	const saved = page.waitForEvent('load');
	await page.getByRole('button', { name: 'Save webhook URL of sandbox-accept' }).click();
	await saved;
	expect(await field.inputValue()).toBe(receiver.url);
	for (const [customData, scenario] of [
		['first', 'accept'],
		['second', 'lowConfidence'],
	] as const) {
		await client.verify({ customData }, scenario);
	}
	await page.reload();
	expect(await page.locator('#credits').textContent()).toBe('9996');
	const rows = page.locator('tr[data-webhook]');
	expect(await rows.first().textContent()).toMatch(/review[^]*second[^]*200/);
	expect(await rows.last().textContent()).toMatch(/accept[^]*first[^]*200/);
	receiver.failOnce(401);
	await page.getByRole('button', { name: 'Resend the webhook of first' }).click();
	await rows.last().filter({ hasText: '401 (sent 2 times)' }).waitFor();
	expect(receiver.received).toHaveLength(3);
	expect(receiver.received[2]?.text).toBe(receiver.received[0]?.text);
});

it('the portal refuses a webhook URL that is none', async () => {
	const body = new URLSearchParams({ webhookUrl: 'nowhere' });
	const address = `${client.url}/portal/profiles/sandbox-accept`;
	const response = await fetch(address, { method: 'POST', body, redirect: 'manual' });
	expect(response.status).toBe(400);
});
