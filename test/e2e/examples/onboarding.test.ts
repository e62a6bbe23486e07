import { itemsOf } from '../../../dev/stack/execution';
import { fetchN8n } from '../../../dev/stack/fetchN8n';
import { useBrowser } from '../../kit/browser';
import { openStack } from '../../kit/n8n/handle';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { useService } from '../../kit/n8n/service';
import { formUrl, readExample } from '../../kit/examples/example';
import { useMailbox } from '../../kit/examples/mailbox';

const LINK = 'Create Hosted Link';
const HOSTED_PAGE = { name: 'ID and Face Verification' };

const { api, n8nUrl } = openStack();
const service = useService(api, 'a-secret');
const { sandbox } = service;
const mailbox = useMailbox(api);
const browser = useBrowser();

async function start(file: string): Promise<LiveWorkflow> {
	const { credentialId } = service;
	const credentials = { identityVerificationApi: credentialId, smtp: mailbox.credentialId };
	return await LiveWorkflow.start(api, await readExample(file, { credentials }));
}

async function links() {
	return (await sandbox.requests()).filter(({ path }) => path === '/hosted');
}

describe('onboarding by e-mail', () => {
	it('sends the link and its QR code to the applicant', async () => {
		const workflow = await start('onboarding-email/workflow.json');
		const { page } = browser;
		await page.goto(formUrl(n8nUrl, workflow.file));
		await page.getByLabel('Name').fill('<b>Alex</b> & Specimen');
		await page.getByLabel('E-mail').fill('alex@example.com');
		await page.getByRole('button', { name: 'Send me the link' }).click();
		await page.getByText('Check your inbox').waitFor();

		const execution = await workflow.newExecution();
		const [link] = itemsOf(execution, LINK);
		const [mail, ...others] = mailbox.take();
		expect(others).toEqual([]);
		expect(mail?.to).toMatchObject({ text: 'alex@example.com' });
		expect(mail?.text).toContain(link?.url);
		expect(mail?.html).toContain(`<a href="${String(link?.url)}">`);
		expect(mail?.html).not.toMatch(/<b>Alex/);
		expect(mail?.attachments).toHaveLength(1);
		const [qrCode] = mail?.attachments ?? [];
		expect(qrCode).toMatchObject({ contentType: 'image/png', related: true });
		expect(link?.qrCode).toBe(`data:image/png;base64,${qrCode?.content.toString('base64')}`);
		expect(mail?.html).toMatch(/<img src="data:image\/png;base64,[^"]+" alt="QR code/);
		expect(await links()).toEqual([
			expect.objectContaining({ customData: `applicant-${execution.id}`, billed: 2 }),
		]);
		await page.goto(String(link?.url));
		await page.getByRole('heading', HOSTED_PAGE).waitFor();
	});
});

describe('onboarding by redirect', () => {
	it('ends its form on the page of the verification', async () => {
		const workflow = await start('onboarding-redirect/workflow.json');
		const { page } = browser;
		await page.goto(formUrl(n8nUrl, workflow.file));
		await page.getByLabel('Customer Number').fill('customer-4711');
		await page.getByRole('button', { name: 'Start' }).click();
		await page.getByRole('heading', HOSTED_PAGE).waitFor();
		expect(page.url()).toMatch(`${sandbox.url}/h/`);
		await page.getByRole('button', { name: 'Accept: clean document' }).click();
		await page.getByRole('heading', { name: 'Verification finished' }).waitFor();

		expect(await links()).toEqual([
			expect.objectContaining({ customData: 'customer-4711', billed: 2 }),
		]);
		expect(await workflow.newExecution()).toMatchObject({ status: 'success' });
	});
});

describe('the onboarding page', () => {
	let workflow: LiveWorkflow;
	beforeAll(async () => {
		workflow = await start('onboarding-page/workflow.json');
	});

	it('uses no credits when it is opened, or fetched by a bot', async () => {
		const { page } = browser;
		const address = `${workflow.url('Verification Page')}?customer=4711`;
		await page.goto(address);
		await page.getByRole('button', { name: 'Start' }).waitFor();
		await page.reload();
		await fetchN8n(address, {
			method: 'POST',
			headers: { 'user-agent': 'Slackbot-LinkExpanding 1.0' },
		});

		expect(await links()).toEqual([]);
	});

	it('shows the verification in a frame, with the QR code beside it', async () => {
		const { page } = browser;
		await page.goto(`${workflow.url('Verification Page')}?customer=4711`);
		await page.getByRole('button', { name: 'Start' }).click();
		const frame = page.frameLocator('iframe');
		await frame.getByRole('heading', HOSTED_PAGE).waitFor();
		const qrCode = page.getByRole('img', { name: 'QR code of the verification' });
		expect(
			await page.evaluate<number>("document.querySelector('aside img').naturalWidth"),
		).toBeGreaterThan(100);
		const [boxOfFrame, boxOfCode] = [
			await page.locator('iframe').boundingBox(),
			await qrCode.boundingBox(),
		];
		expect(boxOfCode?.x).toBeGreaterThan((boxOfFrame?.x ?? 0) + (boxOfFrame?.width ?? 0));
		await frame.getByRole('button', { name: 'Accept: clean document' }).click();
		await frame.getByRole('heading', { name: 'Verification finished' }).waitFor();

		expect(await links()).toEqual([expect.objectContaining({ customData: '4711', billed: 2 })]);
	});
});
