import type { ParsedMail } from 'mailparser';

import { poll } from '../../../dev/stack/poll';
import { fixture } from '../../kit/data/fixtures';
import { HOSTILE_TEXT, MARKER } from '../../kit/data/hostileText';
import { tellingValues } from '../../kit/data/personalValues';
import { readExample } from '../../kit/n8n/examples/example';
import { DEADLINE, untilStatus } from '../../kit/n8n/waitingFlow';
import { TRY, runInEditor } from '../support/runInEditor';
import { DataTable } from './support/dataTable';
import { textsIn } from './support/html';
import { select } from './support/mailButton';
import { useExample } from './support/useExample';

const REVIEWER = 'reviewer@example.com';
const INVISIBLE = /[^\P{C}\n]|[\u2028\u2029\u2800\p{DI}]/u;

const example = useExample('manual-review');
const { api, lastSteps, outside, takeSucceeded } = example;
const table = new DataTable(api, 'manual-review');

/** The next mail, when the execution that has sent it waits. */
async function question(): Promise<ParsedMail> {
	const options = { what: 'a mail to the reviewer', ...DEADLINE };
	const mail = await poll(() => Promise.resolve(outside.takeMails()[0]), options);
	const [newest] = await example.workflow.list();
	await untilStatus(api, String(newest?.id), 'waiting');
	return mail;
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

afterAll(async () => await table.remove());

describe('on its good way', () => {
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
			expect.objectContaining({ customData: 'invented-1', answer: 'approved', decided: 'yes' }),
		]);
	});

	it('asks a person, keeps who decided what and when, and nothing of whom it is about', async () => {
		const before = Date.now();
		const ids = { customData: 'applicant-1', transactionId: 'transaction-1' };
		const body = fixture('webhook-review', ids);
		await example.sendResult(body);
		const mail = await question();
		expect(mail.to).toMatchObject({ text: REVIEWER });
		expect(mail.subject).toBe('Please review applicant-1');
		expect(mail.html).toContain('LOW_TEXT_CONFIDENCE (led to review), IP_COUNTRY_MISMATCH');
		expect(mail.html).toContain('transaction-1');
		expect(await select(mail, 'Decline')).toMatch(/got it/i);

		const execution = await takeSucceeded();
		expect(lastSteps(execution)).toEqual({
			'Decline the Applicant': [{ ...ids, decidedBy: REVIEWER }],
		});
		const row = (await table.rows()).at(-1);
		expect(row).toMatchObject({ ...ids, answer: 'declined', answeredBy: REVIEWER });
		expect(row?.warningCodes).toMatch(/^LOW_TEXT_CONFIDENCE \(led to review\), /);
		expect(Date.parse(row?.answeredAt ?? '')).toBeGreaterThanOrEqual(before);
		expect(Date.parse(row?.answeredAt ?? '')).toBeLessThanOrEqual(Date.now());

		const kept = JSON.stringify([mail, execution, await table.rows()]);
		expect(tellingValues(body).length).toBeGreaterThan(10);
		expect(tellingValues(body).filter((value) => kept.includes(value))).toEqual([]);
	});
});

describe('where something breaks in', () => {
	it('asks nobody again about a result that a person has decided', async () => {
		const body = fixture('webhook-review', {
			customData: 'applicant-1',
			transactionId: 'sent twice',
		});
		await example.sendResult(body);
		await select(await question(), 'Approve');
		await takeSucceeded();

		await example.sendResult(body);
		expect(Object.keys((await takeSucceeded()).data).at(-1)).toBe('Is It Undecided?');
		expect(outside.takeMails()).toEqual([]);
	});

	it('carries out the first of two answers about one result, and no other', async () => {
		const ids = { customData: 'applicant-3', transactionId: 'asked twice' };
		const before = (await table.rows()).length;
		await example.sendResult(fixture('webhook-review', ids));
		const first = await question();
		await example.sendResult(fixture('webhook-review', ids));
		const second = await question();
		await select(second, 'Decline');
		const isKept = async () => (await table.rows()).length > before || undefined;
		await poll(isKept, { what: 'the answer in the table', ...DEADLINE });
		await select(first, 'Approve');

		const steps = (await example.workflow.takeExecutions(2)).map(({ data }) =>
			Object.keys(data).at(-1),
		);
		expect(steps).toEqual(['Is It Still Undecided?', 'Decline the Applicant']);
		expect((await table.rows()).slice(before)).toMatchObject([{ ...ids, answer: 'declined' }]);
	});

	// n8n undoes escaping in the text of Send and Wait. All other texts: test/docs/strangersWords.
	it('shows the reviewer the same message, whatever Custom Data is', async () => {
		/** What the mail about a result shows: its links, and the lines of its text. */
		const shownAbout = async (customData: string) => {
			const changes = { customData, transactionId: `T-${customData}` };
			await example.sendResult(fixture('webhook-review', changes));
			const mail = await question();
			await select(mail, 'Decline');
			await takeSucceeded();
			const [text = ''] = textsIn(mail.html, 'p');
			const [links, lines] = [textsIn(mail.html, 'a'), text.split('\n')];
			return { subject: String(mail.subject), links, lines };
		};
		const harmless = await shownAbout(MARKER);
		const hostile = await shownAbout(HOSTILE_TEXT);

		expect(hostile.links).toEqual(harmless.links);
		expect(hostile.lines.map((line) => line.split(MARKER)[0])).toEqual(
			harmless.lines.map((line) => line.split(MARKER)[0]),
		);
		expect(hostile.subject.startsWith(`Please review ${MARKER}`)).toBe(true);
		expect(hostile.subject.length).toBeLessThan(100);
		expect([hostile.subject, ...hostile.lines].join('\n')).not.toMatch(INVISIBLE);
		// The table keeps Custom Data as it is, for the steps that follow.
		expect((await table.rows()).at(-1)).toMatchObject({ customData: expect.stringMatching('<a ') });
	});

	it('tells the team lead of a review that nobody answers in time, and asks again if it is sent again', async () => {
		// In place of the two days.
		await example.start({
			'"resumeAmount": 2': '"resumeAmount": 0.1',
			'"resumeUnit": "days"': '"resumeUnit": "minutes"',
		});
		const ids = { customData: 'applicant-6', transactionId: 'transaction-6' };
		const body = fixture('webhook-review', ids);
		await example.sendResult(body);
		await question();

		expect(Object.keys(lastSteps(await takeSucceeded()))).toEqual([
			'Tell the Team Lead That Nobody Answered',
		]);
		const [mail, ...others] = outside.takeMails();
		expect(others).toEqual([]);
		expect(mail?.to).toMatchObject({ text: 'team-lead@example.com' });
		expect(mail?.subject).toBe('Nobody has reviewed applicant-6');
		expect(mail?.text).toContain(REVIEWER);
		expect(mail?.text).toContain('transaction-6');
		expect((await table.rows()).at(-1)).toMatchObject({
			...ids,
			answer: 'no answer',
			decided: 'no',
			answeredBy: null,
			answeredAt: null,
		});

		await example.start();
		await example.sendResult(body);
		await select(await question(), 'Approve');
		await takeSucceeded();
	});
});
