import { BROWSER_TIMEOUT_MS, useBrowser } from '../kit/n8n/browser';
import { openStack } from '../kit/n8n/stack';
import { useReceiver } from '../kit/service/receiver';

const PROFILE = 'portal';

const { sandbox, credential } = openStack();
const receiver = useReceiver();
const browser = useBrowser();
afterEach(async () => await sandbox.setManners());

it("the portal of npm start has the values of n8n's credential, creates a link, and shows how its webhook was answered", async () => {
	await sandbox.setProfile(PROFILE, { webhookUrl: receiver.url });
	const { page } = browser;
	await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
	page.setDefaultTimeout(BROWSER_TIMEOUT_MS);
	const copied = async () => await page.evaluate<string>('navigator.clipboard.readText()');
	await page.goto(`${sandbox.url}/portal`);

	const { apiKey, baseUrl, fileHosts, webhookSecret } = credential.data;
	for (const [label, value] of [
		['API Key', apiKey],
		['Base URL', baseUrl],
		['File Hosts', fileHosts],
		['Webhook Secret', webhookSecret],
	]) {
		const button = page.getByRole('button', { name: `Copy ${label}` });
		await button.click();
		await button.filter({ hasText: 'Copied' }).waitFor();
		expect(await copied()).toBe(value);
		expect(await page.getByText(String(value), { exact: true }).isVisible()).toBe(true);
	}

	await page.getByLabel('Profile', { exact: true }).selectOption(PROFILE);
	await page.getByLabel('Custom Data').fill('applicant-4711');
	await page.getByLabel('Mode').selectOption('ID Verification (1 Credit)');
	await page.getByRole('button', { name: 'Create link' }).click();
	const created = page.getByRole('status').getByRole('link');
	await created.waitFor();
	await page.getByRole('button', { name: 'Copy the link' }).click();
	expect(await copied()).toBe(await created.textContent());

	const opened = page.waitForEvent('popup');
	await created.click();
	const endUser = await opened;
	await endUser.getByRole('heading', { name: 'ID Verification' }).waitFor();
	await endUser.getByRole('button', { name: 'Reject: text forgery' }).click();
	await endUser.getByRole('heading', { name: 'Verification finished' }).waitFor();
	await endUser.close();

	const sent = page.locator('[data-webhook]').filter({ hasText: 'applicant-4711' });
	await sent.filter({ hasText: /reject[^]*Answered 200[^]*{"received":true}/ }).waitFor();
	expect(receiver.take()).toMatchObject([
		{ body: { decision: 'reject', customData: 'applicant-4711' } },
	]);
});

it('the portal switches manners of the service on and off', async () => {
	await sandbox.setProfile(PROFILE, { webhookUrl: receiver.url });
	const { page } = browser;
	page.setDefaultTimeout(BROWSER_TIMEOUT_MS);
	await page.goto(`${sandbox.url}/portal`);
	const saved = page.getByRole('region', { name: 'Manners of the service' }).getByRole('status');
	const save = page.getByRole('button', { name: 'Save manners' });
	const put = page.getByRole('checkbox', { name: 'webhookPut' });
	const trimmed = page.getByRole('checkbox', { name: 'customDataTrimmed' });
	const request = { profile: PROFILE, customData: ' applicant-4712 ' };

	await put.check();
	await trimmed.check();
	await save.click();
	await saved.filter({ hasText: /^Saved\.$/ }).waitFor();
	await sandbox.verify(request, 'accept');
	expect(receiver.take()).toMatchObject([
		{ request: 'PUT /', body: { customData: 'applicant-4712' } },
	]);

	expect(await put.isChecked()).toBe(true);
	await put.uncheck();
	await trimmed.uncheck();
	await save.click();
	await saved.filter({ hasText: 'The sandbox behaves as usual.' }).waitFor();
	await sandbox.verify(request, 'accept');
	expect(receiver.take()).toMatchObject([
		{ request: 'POST /', body: { customData: ' applicant-4712 ' } },
	]);
});
