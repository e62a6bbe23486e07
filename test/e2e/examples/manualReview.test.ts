import type { ParsedMail } from 'mailparser';

import { itemsOf } from '../../../dev/stack/execution';
import type { Execution } from '../../../dev/stack/execution';
import { poll } from '../../../dev/stack/poll';
import { useBrowser } from '../../kit/browser';
import { deleteTable, rowsOf } from '../../kit/examples/dataTable';
import { readExample } from '../../kit/examples/example';
import { fixture } from '../../kit/fixtures';
import { runInEditor } from '../../kit/examples/run';
import { DEADLINE, untilStatus } from '../../kit/n8n/waitingFlow';
import { tellingValues } from '../../kit/personalValues';
import { useExample } from '../../kit/examples/useExample';

const TRY = 'Try It without the Service';
const TABLE = 'Manual reviews';
const STEPS = [
	'Open the Account',
	'Decline the Applicant',
	'Tell the Team Lead That Nobody Answered',
];
const REVIEWER = 'reviewer@example.com';

/** In place of the two days. */
const SECONDS = {
	'"resumeAmount": 2': '"resumeAmount": 0.5',
	'"resumeUnit": "days"': '"resumeUnit": "minutes"',
};

const example = useExample('manual-review');
const { api, mailbox, verify } = example;
const browser = useBrowser();

/** The next mail, when the execution that has sent it waits. */
async function question(): Promise<ParsedMail> {
	const options = { what: 'a mail to the reviewer', ...DEADLINE };
	const mail = await poll(async () => mailbox.take()[0], options);
	const [newest] = await example.workflow.list();
	await untilStatus(api, String(newest?.id), 'waiting');
	return mail;
}

/** Selects a button of a mail, as the reviewer does in a browser. */
async function select(mail: ParsedMail, label: string): Promise<string> {
	const { page } = browser;
	await page.setContent(String(mail.html));
	const url = String(
		await page.getByRole('link', { name: label, exact: true }).getAttribute('href'),
	);
	await page.goto(url);
	return await page.innerText('body');
}

/** The last steps that ran, with their items. */
function stepsOf(execution: Execution): Record<string, unknown[]> {
	const taken = STEPS.filter((name) => name in execution.data);
	return Object.fromEntries(taken.map((name) => [name, itemsOf(execution, name)]));
}

// A user who has no mail server yet makes the table so: with the lines to the samples removed.
beforeAll(async () => {
	await deleteTable(api, TABLE);
	const main = [[{ node: 'Make the Table of Reviews', type: 'main', index: 0 }]];
	const file = {
		...(await readExample('manual-review/workflow.json')),
		connections: { [TRY]: { main } },
	};
	await api.saveWorkflow(file);
	expect(await runInEditor(api, file, TRY)).toMatchObject({ status: 'success' });
	await example.start();
});

beforeEach(async () => await example.listen());

describe('the part to try it without the service', () => {
	it('makes the table, asks for the review, and tries every branch', async () => {
		await deleteTable(api, TABLE);
		const id = await api.runWorkflow(example.workflow.file.id, TRY);
		await select(await question(), 'Approve');

		const execution = await example.workflow.newExecution();
		expect(execution).toMatchObject({ id, status: 'success' });
		expect(stepsOf(execution)).toEqual({
			'Open the Account': [
				expect.objectContaining({ customData: 'invented-1', decidedBy: 'the service' }),
				expect.objectContaining({ customData: 'invented-3', decidedBy: REVIEWER }),
			],
			'Decline the Applicant': [
				expect.objectContaining({ customData: 'invented-2', decidedBy: 'the service' }),
			],
		});
		expect(await rowsOf(api, TABLE)).toEqual([
			expect.objectContaining({ customData: 'invented-3', answer: 'approved' }),
		]);
	});
});

describe('a review', () => {
	it.each([
		['Approve', 'approved', 'Open the Account'],
		['Decline', 'declined', 'Decline the Applicant'],
	])('continues after %s, and keeps who decided what and when', async (label, answer, step) => {
		const before = Date.now();
		const { transactionId } = await verify('applicant-1', 'lowConfidence');
		const mail = await question();
		expect(mail.to).toMatchObject({ text: REVIEWER });
		expect(mail.subject).toBe('Please review applicant-1');
		expect(mail.html).toContain('LOW_TEXT_CONFIDENCE, MISSING_EYE_COLOR');
		expect(mail.html).toContain(transactionId);

		expect(await select(mail, label)).toMatch(/got it/i);

		const execution = await example.workflow.newExecution();
		expect(execution.status).toBe('success');
		expect(stepsOf(execution)).toEqual({
			[step]: [{ customData: 'applicant-1', transactionId, decidedBy: REVIEWER }],
		});
		const row = (await rowsOf(api, TABLE)).at(-1);
		expect(row).toMatchObject({
			customData: 'applicant-1',
			transactionId,
			warningCodes: 'LOW_TEXT_CONFIDENCE, MISSING_EYE_COLOR',
			answer,
			answeredBy: REVIEWER,
		});
		expect(Date.parse(String(row?.answeredAt))).toBeGreaterThanOrEqual(before);
		expect(Date.parse(String(row?.answeredAt))).toBeLessThanOrEqual(Date.now());
		expect(mailbox.take()).toEqual([]);
	});

	it('keeps no personal data of a result in mails, in the table, or in n8n', async () => {
		const body = fixture('webhook-review', { transactionId: 'transaction-4' });
		await example.receive(body);
		const mail = await question();
		await select(mail, 'Approve');

		const execution = await example.workflow.newExecution();
		const kept = JSON.stringify([mail, execution, await rowsOf(api, TABLE)]);
		expect(tellingValues(body).length).toBeGreaterThan(10);
		expect(tellingValues(body).filter((value) => kept.includes(value))).toEqual([]);
	});
});

it.each([
	['accept', 'Open the Account'],
	['aml', 'Decline the Applicant'],
])('%s needs no question', async (scenario, step) => {
	const { transactionId } = await verify('applicant-5', scenario);

	expect(stepsOf(await example.workflow.newExecution())).toEqual({
		[step]: [{ customData: 'applicant-5', transactionId, decidedBy: 'the service' }],
	});
	expect(mailbox.take()).toEqual([]);
});

it('a review that nobody answers in time goes to the team lead, and the table says so', async () => {
	await example.start(SECONDS);
	const { transactionId } = await verify('applicant-6', 'lowConfidence');
	await question();

	const execution = await example.workflow.newExecution();
	expect(execution.status).toBe('success');
	expect(Object.keys(stepsOf(execution))).toEqual(['Tell the Team Lead That Nobody Answered']);
	const [mail, ...others] = mailbox.take();
	expect(others).toEqual([]);
	expect(mail?.to).toMatchObject({ text: 'team-lead@example.com' });
	expect(mail?.subject).toBe('Nobody has reviewed applicant-6');
	expect(mail?.text).toContain(REVIEWER);
	expect(mail?.text).toContain(transactionId);
	expect((await rowsOf(api, TABLE)).at(-1)).toMatchObject({
		customData: 'applicant-6',
		answer: 'no answer',
		answeredBy: null,
		answeredAt: null,
	});
});
