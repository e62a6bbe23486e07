import { itemsOf } from '../../../dev/stack/execution';
import { fetchN8n } from '../../../dev/stack/fetchN8n';
import { poll } from '../../../dev/stack/poll';
import { DEADLINE } from '../../kit/n8n/waitingFlow';
import { useTable } from './support/dataTable';
import { addressesIn, textsIn } from './support/html';
import { endPage } from './support/postForm';
import { usePublished } from './support/useExample';
import { waitBefore } from './support/waitBefore';

describe('Onboarding link by e-mail', () => {
	const example = usePublished('onboarding-email');

	it('sends the link and its QR code to the applicant', async () => {
		expect(await endPage(example.formUrl, 'alex@example.com')).toContain('Check your inbox');

		const execution = await example.takeSucceeded();
		const [link] = itemsOf(execution, 'Create Hosted Link');
		const [mail, ...others] = example.outside.takeMails();
		expect(others).toEqual([]);
		expect(mail?.to).toMatchObject({ text: 'alex@example.com' });
		expect(mail?.text).toContain(link?.url);
		expect(addressesIn(mail?.html)).toEqual([link?.url]);
		expect(mail?.attachments).toHaveLength(1);
		const [qrCode] = mail?.attachments ?? [];
		expect(qrCode).toMatchObject({ contentType: 'image/png', related: true });
		expect(link?.qrCode).toBe(`data:image/png;base64,${qrCode?.content.toString('base64')}`);
		expect(mail?.html).toMatch(/<img src="data:image\/png;base64,[^"]+" alt="QR code/);
		const customData = expect.stringMatching(`^applicant-${execution.id}-\\d{13}$`);
		expect(await example.links()).toEqual([{ customData, billed: 2 }]);
		expect(link).toMatchObject({ customData });
	});

	it('asks nobody to try again when the e-mail cannot be sent, and Retry sends the link that is paid for', async () => {
		example.outside.refused.add('alex@example.com');
		expect(await endPage(example.formUrl, 'alex@example.com')).toContain('Check your inbox');
		const { id, status } = await example.workflow.takeExecution();
		expect(status).toBe('error');

		example.outside.refused.clear();
		const retried = await example.api.retryExecution(id);
		expect(retried.status).toBe('success');
		expect(example.outside.takeMails()).toHaveLength(1);
		expect(await example.links()).toHaveLength(1);
	});
});

describe('Onboarding link by redirect', () => {
	const example = usePublished('onboarding-redirect');

	it('ends its form on the page of the verification', async () => {
		const page = await endPage(example.formUrl, 'customer-4711');
		const [url = ''] = addressesIn(page);
		expect(url).toContain(`${example.sandbox.url}/h/`);

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
		const html = await answer.text();
		const [, token = ''] = /name="token" value="([^"]+)"/.exec(html) ?? [];
		const [, link = ''] = /<iframe [^>]*src="([^"]+)"/.exec(html) ?? [];
		return { status: answer.status, location: answer.headers.get('location'), token, link, html };
	}

	async function start(token: string, customer = '4711') {
		return await open(`?customer=${customer}`, {
			method: 'POST',
			body: new URLSearchParams({ token, start: 'yes' }),
		});
	}

	it('stores nothing and uses no credits until it is started, and then shows the same link each time', async () => {
		const headers = { 'user-agent': 'Slackbot-LinkExpanding 1.0' };
		await open('?customer=4711', { method: 'POST', headers });
		await open('?customer=4711');
		const { token, html } = await open('?customer=4711');
		expect(textsIn(html, 'button')).toEqual(['Start']);
		expect(await example.links()).toEqual([]);
		expect(await table.rows()).toEqual([]);

		const first = await start(token);
		expect(first).toMatchObject({ status: 303 });
		const { search } = new URL(String(first.location));
		const shown = await open(search);
		expect(shown.link).toContain(`${example.sandbox.url}/h/`);
		expect(addressesIn(shown.html)).toEqual([shown.link]);
		expect(shown.html).toMatch(
			/<img alt="QR code of the verification" src="data:image\/png;base64,/,
		);

		expect(await open(search)).toMatchObject({ link: shown.link });
		expect(await start(token)).toMatchObject({ location: first.location });
		expect(await example.links()).toEqual([{ customData: '4711', billed: 2 }]);
		expect(await table.rows()).toHaveLength(1);
		const other = await open('?customer=4711');
		expect(other).toMatchObject({ link: '', token: expect.not.stringMatching(token) });
		const second = await start(other.token);
		expect(await open(new URL(String(second.location)).search)).not.toMatchObject({
			link: shown.link,
		});
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
		await example.sandbox.fault({ on: 'hosted', kind: 'held' });
		const { token } = await open('?customer=4711');
		const first = start(token);
		const isStarted = async () => (await table.rows())[0]?.state === 'started' || undefined;
		await poll(isStarted, { what: 'the first tap to be noted', ...DEADLINE });
		const { location } = await start(token);
		const { search } = new URL(String(location));
		const waiting = await open(search);
		expect(waiting).toMatchObject({ link: '', token: '' });
		expect(waiting.html).toContain('Your verification is being started.');
		expect(waiting.html).toContain('<meta http-equiv="refresh" content="2">');

		await example.sandbox.release();
		expect(await first).toMatchObject({ status: 303 });
		expect((await open(search)).link).toContain(`${example.sandbox.url}/h/`);
		expect(await example.links()).toHaveLength(1);
	});

	it("finds nothing by another customer's token, and starts nothing without one of its own", async () => {
		const { token } = await open('?customer=4711');
		const { location } = await start(token);
		const { search } = new URL(String(location));
		const others = await start(token, '4712');
		expect(others).toMatchObject({ status: 303 });
		expect(await open(search)).toMatchObject({ link: expect.stringMatching(/./) });
		expect(await open(new URL(String(others.location)).search)).toMatchObject({ link: '' });

		for (const none of ['', 'x']) {
			expect(await start(none)).toMatchObject({
				status: 200,
				link: '',
				token: expect.stringMatching(/./),
			});
		}
		const nobody = await open('');
		expect(nobody.html).toContain('This link is incomplete or incorrect.');
		expect(textsIn(nobody.html, 'button')).toEqual([]);
		expect(await example.links()).toEqual([{ customData: '4711', billed: 2 }]);
	});

	it('lets the next start pay if the first one failed unpaid, but not if it may have been charged', async () => {
		await example.workflow.takeExecutions();
		const { token } = await open('?customer=4711');
		await example.sandbox.fault({ on: 'hosted', kind: 'unauthorized' });
		const failed = await start(token);
		expect(failed).toMatchObject({ status: 500, html: expect.stringContaining('try again later') });
		const execution = (await example.workflow.takeExecutions(2)).at(-1);
		expect(execution?.status).toBe('error');
		const [stop] = execution?.data['Stop without a Link'] ?? [];
		expect(stop?.error?.message).toMatch(/401.*Nothing was charged/);
		expect(await example.links()).toEqual([{ customData: '4711', billed: 0 }]);
		expect(await table.rows()).toEqual([]);

		await example.sandbox.fault({ on: 'hosted', kind: 'broken' });
		expect(await start(token)).toMatchObject({ status: 500 });
		expect(await start(token)).toMatchObject({ status: 303 });
		expect(await open(`?customer=4711&token=${token}`)).toMatchObject({ link: '', token: '' });
		expect(await example.links()).toHaveLength(2);
		await example.workflow.takeExecutions();
	});

	it('creates no link without its table', async () => {
		const { token } = await open('?customer=4711');
		await table.remove();

		expect(await start(token)).toMatchObject({ link: '', location: null });
		expect(await example.links()).toEqual([]);
	});
});
