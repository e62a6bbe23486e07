import type { IDataObject } from 'n8n-workflow';

import { hostedLink } from '../../../dev/stack/link';
import { useTable } from './support/dataTable';
import { cellsIn } from './support/html';
import { useExample } from './support/useExample';
import { fixture } from '../../kit/data/fixtures';
import { tellingValues } from '../../kit/data/personalValues';
import { TRY } from '../support/runInEditor';

const MONDAY = 'Every Monday';
const ALSO_FOUND = 'MISSING_EYE_COLOR (also found)';
const HOUR_MS = 60 * 60 * 1000;

const example = useExample('weekly-report');
const { api, sandbox, takeSucceeded } = example;
const table = useTable(api, 'weekly-report');

/** When something happened, counted back from now. */
function at({ days = 0, hours = 0 }): string {
	return new Date(Date.now() - (24 * days + hours) * HOUR_MS).toISOString();
}

/** Adds a link whose result arrived two days ago, so many hours after the link. */
async function addCase(reference: string, decision: string, hours: number, warningCodes = '') {
	const [linkAt, resultAt] = [at({ days: 2, hours }), at({ days: 2 })];
	await table.add({ reference, linkAt, decision, resultAt, warningCodes });
}

/** Sends the report. Returns its numbers by label, with the length of each bar, and the mail. */
async function report() {
	expect(await example.run(MONDAY)).toMatchObject({ status: 'success' });
	const [mail, ...others] = example.outside.takeMails();
	expect(others).toEqual([]);
	const cells = cellsIn(mail?.html);
	const numbers = cells.map(([about, label, count]) => [`${about}: ${label}`, Number(count)]);
	const lengths = Object.fromEntries(cells.map(([, label, , bar]) => [label, bar?.length]));
	return { mail, numbers, lengths };
}

/** The report's numbers, if nothing is to be counted. */
const NOTHING = [
	['Decision: accepted', 0],
	['Decision: in review', 0],
	['Decision: rejected', 0],
	['Decision: open', 0],
	['Time from link to result: within 10 minutes', 0],
	['Time from link to result: within an hour', 0],
	['Time from link to result: within a day', 0],
	['Time from link to result: more than a day', 0],
];

describe('the table', () => {
	beforeEach(async () => await example.start());

	it.each([
		['accept', 'accept', ''],
		['lowConfidence', 'review', `LOW_TEXT_CONFIDENCE (led to review), ${ALSO_FOUND}`],
		['aml', 'reject', 'AML_SANCTION (led to reject)'],
	])('has a row for a link, with its result: %s', async (scenario, decision, warningCodes) => {
		const start = Date.now();
		const applicantId = 'applicant-1';
		const answer = await example.sendAsBackend('Someone Needs a Link', { applicantId });
		const { reference, url } = hostedLink.parse(JSON.parse(answer.body));
		await takeSucceeded();
		const open = { reference, decision: null, resultAt: null, warningCodes: null };
		expect(await table.rows()).toEqual([{ ...open, linkAt: expect.any(String) }]);
		await sandbox.finishLink(url, scenario);
		await takeSucceeded();

		const [row, ...others] = await table.rows();
		expect(others).toEqual([]);
		expect(row).toMatchObject({ reference, decision, warningCodes });
		const times = [start, row?.linkAt, row?.resultAt, Date.now()].map(
			(time) => new Date(time ?? 0),
		);
		expect(times).toEqual([...times].sort((one, other) => one.getTime() - other.getTime()));
	});

	it('keeps a result as it was when it is sent again, until another decision arrives', async () => {
		const send = async (decision: string) => {
			await example.sendResult(fixture('webhook-accept', { decision, hosted: 'link-1' }));
			await takeSucceeded();
			return await table.rows();
		};
		const reviewed = await send('review');
		expect(reviewed).toEqual([expect.objectContaining({ reference: 'link-1' })]);
		expect(await send('review')).toEqual(reviewed);

		const [rejected, ...others] = await send('reject');
		expect(others).toEqual([]);
		expect(rejected?.decision).toBe('reject');
		const [before, after] = [reviewed[0]?.resultAt, rejected?.resultAt].map(String);
		expect(Date.parse(after ?? '')).toBeGreaterThan(Date.parse(before ?? ''));
	});

	it('holds nothing of the person', async () => {
		const body = fixture('webhook-review', { customData: 'applicant-2' });
		await example.sendResult(body);
		const execution = await takeSucceeded();

		const rows = await table.rows();
		expect(rows).toHaveLength(1);
		expect(JSON.stringify(rows)).not.toContain('applicant-2');
		const kept = JSON.stringify([rows, execution]);
		expect(tellingValues(body).filter((value) => kept.includes(value))).toEqual([]);
	});

	it.each<[string, IDataObject]>([
		['a result not to be trusted', { success: false }],
		['an unknown decision', { decision: 'maybe' }],
	])('notes as in review: %s', async (_, changes) => {
		await example.sendResult(fixture('webhook-accept', changes));
		await takeSucceeded();

		expect(await table.rows()).toEqual([
			expect.objectContaining({ decision: 'review', warningCodes: '' }),
		]);
	});
});

describe('the report', () => {
	it('counts decisions, open links, warnings and durations of the past seven days', async () => {
		await addCase('link-1', 'accept', 0.1);
		await addCase('link-2', 'accept', 0.5);
		await addCase('link-3', 'accept', 3);
		await addCase('link-4', 'review', 30, `${ALSO_FOUND}, LOW_TEXT_CONFIDENCE (led to review)`);
		await addCase('link-5', 'reject', 0.1, `${ALSO_FOUND}, AML_SANCTION (led to reject)`);
		for (const reference of ['link-6', 'link-7'])
			await table.add({ reference, linkAt: at({ days: 10 }) });
		const { mail, numbers, lengths } = await report();

		expect(mail?.to).toMatchObject({ text: 'compliance@example.com' });
		expect(numbers).toEqual([
			['Decision: accepted', 3],
			['Decision: in review', 1],
			['Decision: rejected', 1],
			['Decision: open', 2],
			['Time from link to result: within 10 minutes', 2],
			['Time from link to result: within an hour', 3],
			['Time from link to result: within a day', 4],
			['Time from link to result: more than a day', 1],
			[`Warning: ${ALSO_FOUND}`, 2],
			['Warning: LOW_TEXT_CONFIDENCE (led to review)', 1],
			['Warning: AML_SANCTION (led to reject)', 1],
		]);
		for (const [label, count] of numbers) expect(mail?.text).toContain(`    ${count}  ${label}\n`);
		expect(lengths).toMatchObject({ 'within a day': 16, accepted: 12, open: 8, rejected: 4 });
	});

	it('counts no result of earlier weeks and no link of earlier months, and is sent without any, too', async () => {
		const { mail, numbers } = await report();
		expect(numbers).toEqual(NOTHING);
		expect(mail?.text).toContain('    0  Decision: accepted\n');

		const [linkAt, resultAt] = [at({ days: 9 }), at({ days: 8 })];
		const warningCodes = 'AML_SANCTION';
		await table.add({ reference: 'link-1', linkAt, decision: 'reject', resultAt, warningCodes });
		await table.add({ reference: 'link-2', linkAt: at({ days: 31 }) });
		expect((await report()).numbers).toEqual(NOTHING);

		await table.add({ reference: 'scan-1', decision: 'accept', resultAt: at({ days: 1 }) });
		expect((await report()).numbers).toEqual([['Decision: accepted', 1], ...NOTHING.slice(1)]);
	});

	it('is shown by any mail program: no script, no picture, nothing from outside', async () => {
		await addCase('link-1', 'reject', 1, '<img src="https://example.com/">');
		const { mail } = await report();

		expect(mail?.html).not.toMatch(/<(script|img|link|style|svg)|url\(|class=/);
		expect(mail?.attachments).toEqual([]);
	});
});

it('without the service, makes the table and reports a result of each decision', async () => {
	await table.remove();
	expect(await example.run(TRY)).toMatchObject({ status: 'success' });
	const { numbers } = await report();

	expect(numbers.slice(0, 4)).toEqual([
		['Decision: accepted', 1],
		['Decision: in review', 1],
		['Decision: rejected', 1],
		['Decision: open', 0],
	]);
	expect(await sandbox.requests()).toEqual([]);
});
