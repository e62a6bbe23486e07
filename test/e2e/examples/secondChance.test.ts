import type { ParsedMail } from 'mailparser';

import { fixture } from '../../kit/data/fixtures';
import { itemsOf } from '../../../dev/stack/execution';
import { poll } from '../../../dev/stack/poll';
import { DataTable } from './support/dataTable';
import { select } from './support/mailButton';
import { awaitedLinkIn, linkIn } from './support/mailedLink';
import { endPage } from './support/postForm';
import { PROFILE, useExample } from './support/useExample';
import { DEADLINE, untilStatus } from '../../kit/n8n/waitingFlow';

const CUSTOMER = 'Customer-4711';
/** The same customer, in lower case. */
const ENTRY = 'customer-4711';
const ADDRESS = 'alex@example.com';
const COLLEAGUE = 'team@example.com';

const example = useExample('second-chance');
const { api, lastSteps, outside, sandbox, takeSucceeded } = example;
const table = new DataTable(api, 'second-chance');

/** The next mail to somebody. */
async function mailTo(address: string): Promise<ParsedMail> {
	const options = { what: `a mail to ${address}`, ...DEADLINE };
	const mail = await poll(() => Promise.resolve(outside.takeMails()[0]), options);
	expect(mail.to).toMatchObject({ text: address });
	return mail;
}

async function apply(customer = CUSTOMER): Promise<void> {
	expect(await endPage(example.formUrl, customer, ADDRESS)).toContain('Check your inbox');
}

/** The link of the newest mail, when its execution waits for the result. */
async function nextLink(): Promise<string> {
	return await awaitedLinkIn(await mailTo(ADDRESS), example);
}

/** What a colleague is asked, when the execution waits for the answer. */
async function question(): Promise<ParsedMail & { html: string }> {
	const mail = await mailTo(COLLEAGUE);
	const [newest] = await example.workflow.list();
	await untilStatus(api, String(newest?.id), 'waiting');
	expect(mail.html).toContain(`Execution: ${newest?.id}`);
	return { ...mail, html: String(mail.html) };
}

/** Lets the colleague decline. Their row would stay. */
async function decline(mail: ParsedMail): Promise<void> {
	expect(await select(mail, 'Decline')).toMatch(/got it/i);
	expect(Object.keys(lastSteps(await takeSucceeded()))).toEqual(['Decline the Applicant']);
	expect(await customers()).toEqual([ENTRY]);
	await table.create();
}

const customers = async () => (await table.rows()).map(({ key }) => key);

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
	const mail = await mailTo(ADDRESS);
	expect(mail.text).toContain('could not be verified, because your document has expired.');
	expect(mail.text).toContain('here within seven days');
	const second = await awaitedLinkIn(mail, example);
	expect(second).not.toBe(first);
	expect(await customers()).toEqual([ENTRY]);
	await sandbox.finishLink(second, 'accept');

	const steps = await takeSucceeded();
	expect(lastSteps(steps)).toHaveProperty('Close the Verification');
	expect(Object.keys(steps.data)).toContain('Open the Account');
	expect(Object.keys(steps.data)).not.toContain('Ask a Colleague');
	const link = { customData: expect.stringMatching(`^${CUSTOMER}\\.w1\\.`), billed: 2 };
	expect(await example.links()).toEqual([link, link]);
	expect(await customers()).toEqual([]);
});

it('lets a colleague decide after the third reject, and gives the customer no other link', async () => {
	await apply();
	for (let tries = 0; tries < 3; tries++) await sandbox.finishLink(await nextLink(), 'expired');

	const mail = await question();
	expect(mail.subject).toBe(`Please decide on ${CUSTOMER}`);
	expect(mail.html).toMatch(/The service rejected the applicant\.[^]*Warnings: DOCUMENT_EXPIRED/);
	expect(mail.html).toContain(
		'Until you decide, and after Decline, the applicant gets no other link.',
	);

	await select(mail, 'Decline');
	expect(Object.keys(lastSteps(await takeSucceeded()))).toEqual(['Decline the Applicant']);
	await apply();
	expect(Object.keys(lastSteps(await takeSucceeded()))).toEqual(['Withdraw It']);
	expect(await example.links()).toHaveLength(3);
	expect(outside.takeMails()).toEqual([]);
	expect(await customers()).toEqual([ENTRY]);
	await table.create();
});

it('opens the account if a colleague accepts, and a copy of the result decides nothing', async () => {
	await apply();
	const sent = await sandbox.finishLink(await nextLink(), 'lowConfidence');
	const mail = await question();
	await sandbox.resend(sent);
	const options = { what: 'the copy to arrive', ...DEADLINE };
	const areThere = async () =>
		(await example.workflow.list())[1]?.status === 'waiting' || undefined;
	await poll(areThere, options);
	await select(mail, 'Accept');

	const [steps, copy] = await example.workflow.takeExecutions(2);
	expect(steps && itemsOf(steps, 'Open the Account')).toEqual([
		{ customData: CUSTOMER, transactionId: expect.any(String) },
	]);
	expect(copy && Object.keys(lastSteps(copy))).toEqual(['Tell the Team']);
	expect(await customers()).toEqual([]);
});

it('lets a colleague decide at once about a match with a sanctions list', async () => {
	await apply();
	await sandbox.finishLink(await nextLink(), 'aml');

	const mail = await question();
	expect(mail.html).toMatch(/The service rejected the applicant\.[^]*Warnings: .*AML_SANCTION/);
	expect(await example.links()).toHaveLength(1);
	await decline(mail);
});

it('lets a colleague decide at once when the service cannot', async () => {
	await apply();
	await sandbox.finishLink(await nextLink(), 'lowConfidence');

	const mail = await question();
	expect(mail.html).toMatch(/The service could not decide\.[^]*Warnings: LOW_TEXT_CONFIDENCE/);
	expect(await example.links()).toHaveLength(1);
	await decline(mail);
});

it('lets a colleague decide at once about a decision that the package does not know', async () => {
	await apply();
	const reference = (await nextLink()).split('/').at(-1);
	const [link] = await sandbox.requests();
	const { customData } = link ?? {};
	const changes = { hosted: reference, customData, profileId: PROFILE, decision: 'escalate' };
	await example.sendResult(fixture('webhook-accept', changes));

	const mail = await question();
	expect(mail.html).toContain('The service could not decide.');
	await decline(mail);
});

it('lets a colleague send the link when it cannot be e-mailed, and waits for its result', async () => {
	outside.refused.add(ADDRESS);
	await apply();

	const mail = await mailTo(COLLEAGUE);
	const { subject, text } = mail;
	expect(subject).toBe('A link could not be e-mailed');
	expect(text).toContain(`\nThe e-mail address: ${ADDRESS}\n`);
	expect(text).toContain('Mailbox unavailable');
	expect(text).toContain('The workflow waits seven days for the result, as usual.');
	await sandbox.finishLink(await awaitedLinkIn(mail, example), 'accept');
	const steps = await takeSucceeded();
	expect(Object.keys(steps.data)).toContain('Open the Account');
	expect(await example.links()).toHaveLength(1);
	expect(await customers()).toEqual([]);
});

it('tells a colleague that a Retry cannot wait for the link', async () => {
	for (const address of [ADDRESS, COLLEAGUE]) outside.refused.add(address);
	await apply();
	const failed = await example.workflow.takeExecution();
	expect(failed.status).toBe('error');
	outside.refused.clear();
	await api.retryExecution(failed.id);

	const { text } = await mailTo(COLLEAGUE);
	expect(text).toContain('This is a retry, which cannot wait for the result');
	await table.create();
	await example.workflow.takeExecution();
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

it('creates one link for a customer who asks twice at the same time', async () => {
	await Promise.all([CUSTOMER, ENTRY, ENTRY].map(async (customer) => await apply(customer)));
	const options = { what: 'two of three executions to end', ...DEADLINE };
	await poll(async () => {
		const newest = (await example.workflow.list()).slice(0, 3);
		const statuses = newest.map(({ status }) => status);
		return statuses.sort().join() === 'success,success,waiting' || undefined;
	}, options);

	expect(await customers()).toEqual([ENTRY]);
	const mail = await mailTo(ADDRESS);
	expect(outside.takeMails()).toEqual([]);
	expect(await example.links()).toHaveLength(1);
	await sandbox.finishLink(linkIn(mail), 'accept');
	await example.workflow.takeExecutions(3);
	expect(await customers()).toEqual([]);
});

it('tells a colleague when no link can be created, and may try that customer again', async () => {
	await sandbox.fault({ on: 'hosted', kind: 'unauthorized' });
	await apply();

	const mail = await mailTo(COLLEAGUE);
	expect(mail.subject).toBe(`No link for customer ${CUSTOMER}`);
	expect(mail.text).toMatch(/No link could be created[^]*\nNothing was charged for it\.\n[^]*401/);
	await takeSucceeded();
	expect(await customers()).toEqual([]);
});

it('tells a colleague that there was a first link when no second one can be created', async () => {
	await apply();
	const link = await nextLink();
	await sandbox.fault({ on: 'hosted', kind: 'unauthorized' });
	await sandbox.finishLink(link, 'expired');

	const { text } = await mailTo(COLLEAGUE);
	expect(text).toMatch(/was not accepted with the last link[^]*Nothing was charged for it\./);
	await takeSucceeded();
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
		const mail = await mailTo(ADDRESS);
		expect(mail.text).toContain('You have not verified your identity in time.');
		const second = await awaitedLinkIn(mail, example);
		expect(second).not.toBe(first);
		await sandbox.finishLink(second, 'accept');

		expect(Object.keys((await takeSucceeded()).data)).toContain('Open the Account');
		expect(await example.links()).toHaveLength(2);
	}, 240_000);
});
