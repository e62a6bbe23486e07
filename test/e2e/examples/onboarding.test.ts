import { itemsOf } from '../../../dev/stack/execution';
import { fetchN8n } from '../../../dev/stack/fetchN8n';
import { poll } from '../../../dev/stack/poll';
import { useBrowser } from '../../kit/n8n/browser';
import { DEADLINE } from '../../kit/n8n/waitingFlow';
import { useTable } from './support/dataTable';
import { usePublished } from './support/useExample';
import { waitBefore } from './support/waitBefore';

const HOSTED_PAGE = { name: 'ID and Face Verification' };

const browser = useBrowser();

describe('Onboarding link by e-mail', () => {
	const example = usePublished('onboarding-email');

	it('sends the link and its QR code to the applicant', async () => {
		const { page } = browser;
		await page.goto(example.formUrl);
		await page.getByLabel('E-mail').fill('alex@example.com');
		await page.getByRole('button', { name: 'Send me the link' }).click();
		await page.getByText('Check your inbox').waitFor();

		const execution = await example.takeSucceeded();
		const [link] = itemsOf(execution, 'Create Hosted Link');
		const [mail, ...others] = example.outside.takeMails();
		expect(others).toEqual([]);
		expect(mail?.to).toMatchObject({ text: 'alex@example.com' });
		expect(mail?.text).toContain(link?.url);
		expect(mail?.html).toContain(`<a href="${String(link?.url)}">`);
		expect(mail?.attachments).toHaveLength(1);
		const [qrCode] = mail?.attachments ?? [];
		expect(qrCode).toMatchObject({ contentType: 'image/png', related: true });
		expect(link?.qrCode).toBe(`data:image/png;base64,${qrCode?.content.toString('base64')}`);
		expect(mail?.html).toMatch(/<img src="data:image\/png;base64,[^"]+" alt="QR code/);
		const customData = expect.stringMatching(`^applicant-${execution.id}-\\d{13}$`);
		expect(await example.links()).toEqual([{ customData, billed: 2 }]);
		expect(link).toMatchObject({ customData });
		await page.goto(String(link?.url));
		await page.getByRole('heading', HOSTED_PAGE).waitFor();
	});
});

describe('Onboarding link by redirect', () => {
	const example = usePublished('onboarding-redirect');

	it('ends its form on the page of the verification', async () => {
		const { page } = browser;
		await page.goto(example.formUrl);
		await page.getByLabel('Customer Number').fill('customer-4711');
		await page.getByRole('button', { name: 'Start' }).click();
		await page.getByRole('heading', HOSTED_PAGE).waitFor();
		expect(page.url()).toMatch(`${example.sandbox.url}/h/`);
		await page.getByRole('button', { name: 'Accept: clean document' }).click();
		await page.getByRole('heading', { name: 'Verification finished' }).waitFor();

		expect(await example.links()).toEqual([{ customData: 'customer-4711', billed: 2 }]);
		await example.takeSucceeded();
	});
});

describe('Onboarding page', () => {
	const example = usePublished('onboarding-page');
	const table = useTable(example.api, 'onboarding-page');
	const IN_A_BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101' };

	/** What the page shows a customer without a browser, and where it sends them. */
	async function open(query: string, init: RequestInit = {}) {
		const address = `${example.workflow.url('Verification Page')}${query}`;
		const answer = await fetchN8n(address, { headers: IN_A_BROWSER, redirect: 'manual', ...init });
		const text = await answer.text();
		const [, token = ''] = /name="token" value="([^"]+)"/.exec(text) ?? [];
		const [, link = ''] = /<iframe [^>]*src="([^"]+)"/.exec(text) ?? [];
		return { status: answer.status, location: answer.headers.get('location'), token, link };
	}

	async function start(token: string, customer = '4711') {
		return await open(`?customer=${customer}`, {
			method: 'POST',
			body: new URLSearchParams({ token, start: 'yes' }),
		});
	}

	it('gives the same link, unpaid, to a customer who reloads it, and another one to others', async () => {
		const { token } = await open('?customer=4711');
		const first = await start(token);
		expect(first).toMatchObject({ status: 303 });
		const { search } = new URL(String(first.location));
		const { link } = await open(search);
		expect(link).toContain(`${example.sandbox.url}/h/`);

		expect(await open(search)).toMatchObject({ link });
		expect(await start(token)).toMatchObject({ location: first.location });
		expect(await example.links()).toHaveLength(1);
		expect(await table.rows()).toHaveLength(1);
		const other = await open('?customer=4711');
		expect(other).toMatchObject({ link: '', token: expect.not.stringMatching(token) });
		const second = await start(other.token);
		expect(await open(new URL(String(second.location)).search)).not.toMatchObject({ link });
		expect(await example.links()).toHaveLength(2);
		const executions = await example.workflow.takeExecutions();
		expect(executions.filter(({ status }) => status !== 'success')).toEqual([]);
	});

	it('pays once for all taps on its button, and leads each of them to the same link', async () => {
		// None of them finds the row of another one before it adds its own.
		await example.start(waitBefore('Take the Start', 5));
		const { token } = await open('?customer=4711');

		const taps = await Promise.all([token, token, token].map((one) => start(one)));

		const [address = ''] = new Set(taps.map(({ location }) => location));
		expect(taps).toMatchObject(taps.map(() => ({ status: 303, location: address })));
		expect(await table.rows()).toHaveLength(3);
		const { link } = await open(new URL(String(address)).search);
		expect(link).toContain(`${example.sandbox.url}/h/`);
		expect(await example.links()).toHaveLength(1);
		await example.start();
	});

	it('lets a second tap wait until there is a link', async () => {
		const { page } = browser;
		await example.sandbox.fault({ on: 'hosted', kind: 'held' });
		const address = `${example.workflow.url('Verification Page')}?customer=4711`;
		await page.goto(address);
		const token = await page.locator('[name=token]').inputValue();
		const first = start(token);
		const isStarted = async () => (await table.rows())[0]?.state === 'started' || undefined;
		await poll(isStarted, { what: 'the first tap to be noted', ...DEADLINE });
		await page.getByRole('button', { name: 'Start' }).click();
		await page.getByText('Your verification is being started.').waitFor();

		await example.sandbox.release();
		await page.frameLocator('iframe').getByRole('heading', HOSTED_PAGE).waitFor();
		expect(await first).toMatchObject({ status: 303 });
		expect(await example.links()).toHaveLength(1);
	});

	it("finds nothing by another customer's token", async () => {
		const { token } = await open('?customer=4711');
		const { location } = await start(token);
		const { search } = new URL(String(location));
		const others = await start(token, '4712');
		expect(others).toMatchObject({ status: 303 });
		expect(await open(search)).toMatchObject({ link: expect.stringMatching(/./) });
		expect(await open(new URL(String(others.location)).search)).toMatchObject({ link: '' });
		expect(await example.links()).toEqual([{ customData: '4711', billed: 2 }]);
	});

	it('starts nothing without a token of its own', async () => {
		for (const token of ['', 'x']) {
			expect(await start(token)).toMatchObject({
				status: 200,
				link: '',
				token: expect.stringMatching(/./),
			});
		}

		expect(await example.links()).toEqual([]);
		expect(await table.rows()).toEqual([]);
	});

	it('creates no link without its table', async () => {
		const { token } = await open('?customer=4711');
		await table.remove();

		expect(await start(token)).toMatchObject({ link: '', location: null });
		expect(await example.links()).toEqual([]);
	});

	it('stores nothing and uses no credits when it is opened or fetched by a bot, and shows the verification beside its QR code', async () => {
		const { page } = browser;
		const address = `${example.workflow.url('Verification Page')}?customer=4711`;
		const headers = { 'user-agent': 'Slackbot-LinkExpanding 1.0' };
		await fetchN8n(address, { method: 'POST', headers });
		await page.goto(address);
		await page.reload();
		const start = page.getByRole('button', { name: 'Start' });
		await start.waitFor();
		expect(await example.links()).toEqual([]);
		expect(await table.rows()).toEqual([]);

		await start.click();
		const frame = page.frameLocator('iframe');
		await frame.getByRole('heading', HOSTED_PAGE).waitFor();
		await page.reload();
		await frame.getByRole('heading', HOSTED_PAGE).waitFor();
		expect(
			await page.evaluate<number>("document.querySelector('aside img').naturalWidth"),
		).toBeGreaterThan(100);
		const qrCode = page.getByRole('img', { name: 'QR code of the verification' });
		const boxOfFrame = await page.locator('iframe').boundingBox();
		expect((await qrCode.boundingBox())?.x).toBeGreaterThan(
			(boxOfFrame?.x ?? 0) + (boxOfFrame?.width ?? 0),
		);
		await frame.getByRole('button', { name: 'Accept: clean document' }).click();
		await frame.getByRole('heading', { name: 'Verification finished' }).waitFor();

		expect(await example.links()).toEqual([{ customData: '4711', billed: 2 }]);
	});

	it('says so when its address lacks the customer, and cannot be started', async () => {
		const { page } = browser;
		await page.goto(example.workflow.url('Verification Page'));
		await page.getByText('This link is incomplete or incorrect.').waitFor();

		expect(await page.getByRole('button').count()).toBe(0);
		expect(await example.links()).toEqual([]);
	});

	it('asks the customer to try again when no link can be created, and fails', async () => {
		const { page } = browser;
		await example.sandbox.fault({ on: 'hosted', kind: 'unauthorized' });
		await page.goto(`${example.workflow.url('Verification Page')}?customer=4711`);
		await page.getByRole('button', { name: 'Start' }).click();
		await page.getByText('Please try again later.').waitFor();

		const failed = (await example.workflow.takeExecutions(2)).at(-1);
		expect(failed?.status).toBe('error');
		const [stop] = failed?.data['Stop without a Link'] ?? [];
		expect(stop?.error?.message).toMatch(/401.*Nothing was charged/);
		expect(await example.links()).toEqual([{ customData: '4711', billed: 0 }]);
		expect(await table.rows()).toEqual([]);
	});

	it('lets the next start pay if the first one failed unpaid, but not if it may have been charged', async () => {
		const { token } = await open('?customer=4711');
		await example.sandbox.fault({ on: 'hosted', kind: 'unauthorized' });
		expect(await start(token)).toMatchObject({ status: 500 });
		await example.sandbox.fault({ on: 'hosted', kind: 'broken' });
		expect(await start(token)).toMatchObject({ status: 500 });
		expect(await example.links()).toHaveLength(2);

		expect(await start(token)).toMatchObject({ status: 303 });
		expect(await open(`?customer=4711&token=${token}`)).toMatchObject({ link: '', token: '' });
		expect(await example.links()).toHaveLength(2);
		await example.workflow.takeExecutions();
	});
});
