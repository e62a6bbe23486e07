import type { ParsedMail } from 'mailparser';

import { poll } from '../../../dev/stack/poll';
import { useBrowser } from '../../kit/n8n/browser';
import { DataTable } from './support/dataTable';
import { readExample } from '../../kit/n8n/examples/example';
import { TRY, runInEditor } from '../support/runInEditor';
import { useExample } from './support/useExample';
import { fixture } from '../../kit/data/fixtures';
import { DEADLINE, untilStatus } from '../../kit/n8n/waitingFlow';
import { tellingValues } from '../../kit/data/personalValues';

const REVIEWER = 'reviewer@example.com';

const example = useExample('manual-review');
const { api, lastSteps, outside, takeSucceeded, verify } = example;
const table = new DataTable(api, 'manual-review');
const browser = useBrowser();

/** The next mail, when the execution that has sent it waits. */
async function question(): Promise<ParsedMail> {
	const options = { what: 'a mail to the reviewer', ...DEADLINE };
	const mail = await poll(() => Promise.resolve(outside.takeMails()[0]), options);
	const [newest] = await example.workflow.list();
	await untilStatus(api, String(newest?.id), 'waiting');
	return mail;
}

/** Selects a button of a mail, as the reviewer does in a browser. */
async function select({ html }: ParsedMail, label: string): Promise<string> {
	const { page } = browser;
	await page.setContent(String(html));
	const link = page.getByRole('link', { name: label, exact: true });
	await page.goto(String(await link.getAttribute('href')));
	return await page.innerText('body');
}

// A user who has no mail server yet makes the table so: with the lines to the samples removed.
beforeAll(async () => {
	await table.remove();
	const main = [[{ node: 'Make the Table of Reviews', type: 'main', index: 0 }]];
	const file = {
		...(await readExample('manual-review/workflow.json')),
		connections: { [TRY]: { main } },
	};
	await api.saveWorkflow(file);
	expect(await runInEditor(api, file, TRY)).toMatchObject({ status: 'success' });
	await example.start();
});

beforeEach(async () => await example.directResults());

it('makes its table, asks for the review, and tries every branch without the service', async () => {
	await table.remove();
	await api.runWorkflow(example.workflow.file.id, TRY);
	await select(await question(), 'Approve');

	expect(lastSteps(await takeSucceeded())).toEqual({
		'Make the Table of Reviews': [expect.anything()],
		'Open the Account': [
			expect.objectContaining({ customData: 'invented-2', decidedBy: 'the service' }),
			expect.objectContaining({ customData: 'invented-1', decidedBy: REVIEWER }),
		],
		'Decline the Applicant': [
			expect.objectContaining({ customData: 'invented-3', decidedBy: 'the service' }),
		],
	});
	expect(await table.rows()).toEqual([
		expect.objectContaining({ customData: 'invented-1', answer: 'approved' }),
	]);
});

it.each([
	['Approve', 'approved', 'Open the Account'],
	['Decline', 'declined', 'Decline the Applicant'],
])('goes on after %s, and keeps who decided what and when', async (label, answer, step) => {
	const before = Date.now();
	const { transactionId } = await verify('applicant-1', 'lowConfidence');
	const mail = await question();
	expect(mail.to).toMatchObject({ text: REVIEWER });
	expect(mail.subject).toBe('Please review applicant-1');
	expect(mail.html).toContain(
		'LOW_TEXT_CONFIDENCE (led to review), MISSING_EYE_COLOR (also found)',
	);
	expect(mail.html).toContain(transactionId);

	expect(await select(mail, label)).toMatch(/got it/i);

	expect(lastSteps(await takeSucceeded())).toEqual({
		[step]: [{ customData: 'applicant-1', transactionId, decidedBy: REVIEWER }],
	});
	const row = (await table.rows()).at(-1);
	expect(row).toMatchObject({
		customData: 'applicant-1',
		transactionId,
		warningCodes: 'LOW_TEXT_CONFIDENCE (led to review), MISSING_EYE_COLOR (also found)',
		answer,
		answeredBy: REVIEWER,
	});
	expect(Date.parse(row?.answeredAt ?? '')).toBeGreaterThanOrEqual(before);
	expect(Date.parse(row?.answeredAt ?? '')).toBeLessThanOrEqual(Date.now());
	expect(outside.takeMails()).toEqual([]);
});

it('keeps no personal data of a result in mails, in the table, or in n8n', async () => {
	const body = fixture('webhook-review', { transactionId: 'transaction-4' });
	await example.sendResult(body);
	const mail = await question();
	await select(mail, 'Approve');

	const kept = JSON.stringify([mail, await takeSucceeded(), await table.rows()]);
	expect(tellingValues(body).length).toBeGreaterThan(10);
	expect(tellingValues(body).filter((value) => kept.includes(value))).toEqual([]);
});

it.each([
	['accept', 'Open the Account'],
	['aml', 'Decline the Applicant'],
])('asks nobody about: %s', async (scenario, step) => {
	const { transactionId } = await verify('applicant-5', scenario);

	expect(lastSteps(await takeSucceeded())).toEqual({
		[step]: [{ customData: 'applicant-5', transactionId, decidedBy: 'the service' }],
	});
	expect(outside.takeMails()).toEqual([]);
});

it('tells the team lead of a review that nobody answers in time, and the table says so', async () => {
	// In place of the two days.
	await example.start({
		'"resumeAmount": 2': '"resumeAmount": 0.5',
		'"resumeUnit": "days"': '"resumeUnit": "minutes"',
	});
	const { transactionId } = await verify('applicant-6', 'lowConfidence');
	await question();

	expect(Object.keys(lastSteps(await takeSucceeded()))).toEqual([
		'Tell the Team Lead That Nobody Answered',
	]);
	const [mail, ...others] = outside.takeMails();
	expect(others).toEqual([]);
	expect(mail?.to).toMatchObject({ text: 'team-lead@example.com' });
	expect(mail?.subject).toBe('Nobody has reviewed applicant-6');
	expect(mail?.text).toContain(REVIEWER);
	expect(mail?.text).toContain(transactionId);
	expect((await table.rows()).at(-1)).toMatchObject({
		customData: 'applicant-6',
		answer: 'no answer',
		answeredBy: null,
		answeredAt: null,
	});
});
