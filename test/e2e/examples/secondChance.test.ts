import type { ParsedMail } from 'mailparser';

import { poll } from '../../../dev/stack/poll';
import { useBrowser } from '../../kit/n8n/browser';
import { DataTable } from './support/dataTable';
import { useExample } from './support/useExample';
import { DEADLINE, untilStatus } from '../../kit/n8n/waitingFlow';

const CUSTOMER = 'customer-4711';
const ADDRESS = 'alex@example.com';
const COLLEAGUE = 'team@example.com';

const example = useExample('second-chance');
const { api, lastSteps, outside, sandbox, takeSucceeded } = example;
const table = new DataTable(api, 'second-chance');
const browser = useBrowser();

/** The next mail to somebody. */
async function mailTo(address: string): Promise<ParsedMail> {
	const options = { what: `a mail to ${address}`, ...DEADLINE };
	const mail = await poll(() => Promise.resolve(outside.takeMails()[0]), options);
	expect(mail.to).toMatchObject({ text: address });
	return mail;
}

async function apply(): Promise<void> {
	const { page } = browser;
	await page.goto(example.formUrl);
	await page.getByLabel('Customer Number').fill(CUSTOMER);
	await page.getByLabel('E-mail').fill(ADDRESS);
	await page.getByRole('button', { name: 'Send me the link' }).click();
	await page.getByText('Check your inbox').waitFor();
}

/** The link of the newest mail, when its execution waits for the result. */
async function nextLink(): Promise<string> {
	const { text = '' } = await mailTo(ADDRESS);
	const [newest] = await example.workflow.list();
	await untilStatus(api, String(newest?.id), 'waiting');
	return /http\S+/.exec(text)?.[0] ?? '';
}

const customers = async () => (await table.rows()).map(({ customer }) => customer);

beforeAll(async () => {
	await table.create();
	await example.start();
});

beforeEach(async () => await example.directResults());

it('makes its table when it is set up', async () => {
	await table.remove();
	await api.runWorkflow(example.workflow.file.id, 'Set Up');
	await takeSucceeded();

	expect(await customers()).toEqual([]);
});

it('gives another link after a reject, and opens the account when that is accepted', async () => {
	await apply();
	const first = await nextLink();
	await sandbox.finishLink(first, 'expired');
	const second = await nextLink();
	expect(second).not.toBe(first);
	expect(await customers()).toEqual([CUSTOMER]);
	await sandbox.finishLink(second, 'accept');

	const steps = await takeSucceeded();
	expect(lastSteps(steps)).toHaveProperty('Close the Verification');
	expect(Object.keys(steps.data)).toContain('Open the Account');
	expect(Object.keys(steps.data)).not.toContain('Ask a Colleague');
	const link = { customData: expect.stringMatching(`^${CUSTOMER}\\.w1\\.`), billed: 2 };
	expect(await example.links()).toEqual([link, link]);
	expect(await customers()).toEqual([]);
});

it('lets a colleague decide after the third reject, once', async () => {
	await apply();
	for (let tries = 0; tries < 3; tries++) await sandbox.finishLink(await nextLink(), 'expired');

	const mail = await mailTo(COLLEAGUE);
	expect(mail.subject).toBe(`Please decide about ${CUSTOMER}`);
	expect(mail.text).toContain('Three links ended without an accept, the last one with reject');
	const steps = await takeSucceeded();
	expect(Object.keys(steps.data)).not.toContain('Open the Account');
	expect(await example.links()).toHaveLength(3);
	expect(outside.takeMails()).toEqual([]);
	expect(await customers()).toEqual([]);
});

it('lets a colleague decide at once when the service cannot', async () => {
	await apply();
	await sandbox.finishLink(await nextLink(), 'lowConfidence');

	const { text } = await mailTo(COLLEAGUE);
	expect(text).toMatch(/The service could not decide\.[^]*Warnings: LOW_TEXT_CONFIDENCE/);
	await takeSucceeded();
	expect(await example.links()).toHaveLength(1);
});

it('sends nobody a second link while the first one is open', async () => {
	await apply();
	const link = await nextLink();
	await apply();
	const options = { what: 'the second execution to end', ...DEADLINE };
	await poll(async () => {
		const [newest, older] = await example.workflow.list();
		return (older?.status === 'waiting' && newest?.status === 'success') || undefined;
	}, options);

	expect(outside.takeMails()).toEqual([]);
	expect(await example.links()).toHaveLength(1);
	await sandbox.finishLink(link, 'accept');
	const [first] = await example.workflow.takeExecutions(2);
	expect(Object.keys(first?.data ?? {})).toContain('Open the Account');
});

it('tells a colleague when no link can be created, and may try that customer again', async () => {
	await sandbox.fault({ on: 'hosted', kind: 'unauthorized' });
	await apply();

	const mail = await mailTo(COLLEAGUE);
	expect(mail.subject).toBe(`No link for ${CUSTOMER}`);
	expect(mail.text).toMatch(/No link could be created[^]*\nNothing was charged\.\n[^]*401/);
	await takeSucceeded();
	expect(await customers()).toEqual([]);
});

describe('when nobody finishes it in time', () => {
	beforeAll(async () => {
		await example.start({
			'"waitUpTo": 7': '"waitUpTo": 0.2',
			'"waitUnit": "days"': '"waitUnit": "minutes"',
		});
	});

	it('gives another link', async () => {
		await apply();
		const first = await nextLink();
		const second = await nextLink();
		expect(second).not.toBe(first);
		await sandbox.finishLink(second, 'accept');

		expect(Object.keys((await takeSucceeded()).data)).toContain('Open the Account');
		expect(await example.links()).toHaveLength(2);
	}, 240_000);
});
