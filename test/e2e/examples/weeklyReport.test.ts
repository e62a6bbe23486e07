import type { IDataObject } from 'n8n-workflow';

import { hostedLink } from '../../../dev/stack/link';
import { useBrowser } from '../../kit/n8n/browser';
import { useTable } from './support/dataTable';
import { useExample } from './support/useExample';
import { fixture } from '../../kit/data/fixtures';
import { tellingValues } from '../../kit/data/personalValues';
import { savePicture } from '../../kit/n8n/savePicture';
import { TRY } from '../support/runInEditor';

const MONDAY = 'Every Monday';
const HOUR_MS = 60 * 60 * 1000;

const example = useExample('weekly-report');
const { api, sandbox, takeSucceeded } = example;
const table = useTable(api, 'weekly-report');
const browser = useBrowser();

/** When something happened, counted back from now. */
function at({ days = 0, hours = 0 }): string {
	return new Date(Date.now() - (24 * days + hours) * HOUR_MS).toISOString();
}

async function add(event: string, reference: string, when: string, warningCodes = '') {
	await table.add({ event, reference, at: when, warningCodes });
}

/** Adds a link and its result, two days ago. */
async function addCase(reference: string, event: string, hours: number, warningCodes?: string) {
	await add('link created', reference, at({ days: 2, hours }));
	await add(event, reference, at({ days: 2 }), warningCodes);
}

/** Sends the report. Returns its numbers by label, with the length of each bar, and the mail. */
async function report() {
	expect(await example.run(MONDAY)).toMatchObject({ status: 'success' });
	const [mail, ...others] = example.outside.takeMails();
	expect(others).toEqual([]);
	const { page } = browser;
	await page.setContent(String(mail?.html));
	const rows = await page.locator('table[width="600"] > tbody > tr').all();
	const numbers: [string, number][] = [];
	const lengths: Record<string, number> = {};
	for (const row of rows) {
		const [label = '', , count = ''] = await row.locator('> td').allInnerTexts();
		if (!count) continue;
		numbers.push([label, Number(count)]);
		const filled = row.locator('table td:not([bgcolor="#eeeeee"])');
		const box = (await filled.count()) > 0 ? await filled.boundingBox() : null;
		lengths[label] = Math.round(box?.width ?? 0);
	}
	return { mail, numbers, lengths };
}

describe('the table', () => {
	beforeEach(async () => await example.start());

	it.each([
		['accept', 'accepted', ''],
		['lowConfidence', 'in review', 'LOW_TEXT_CONFIDENCE, MISSING_EYE_COLOR'],
		['aml', 'rejected', 'AML_SANCTION'],
	])('has a row for a link and one for its result: %s', async (scenario, event, warningCodes) => {
		const start = Date.now();
		const applicantId = 'applicant-1';
		const answer = await example.workflow.send('Someone Needs a Link', { applicantId });
		const { reference, url } = hostedLink.parse(JSON.parse(answer.body));
		await takeSucceeded();
		await sandbox.finishLink(url, scenario);
		await takeSucceeded();

		const rows = await table.rows();
		expect(rows).toEqual([
			{ reference, event: 'link created', at: expect.any(String), warningCodes: null },
			{ reference, event, at: expect.any(String), warningCodes },
		]);
		for (const row of rows) {
			expect(Date.parse(row.at ?? '')).toBeGreaterThanOrEqual(start);
			expect(Date.parse(row.at ?? '')).toBeLessThanOrEqual(Date.now());
		}
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

	it.each<[string, IDataObject, string, string]>([
		['a result not to be trusted', { success: false }, 'in review', ''],
		['an unknown decision', { decision: 'maybe' }, 'in review', ''],
		[
			'warnings that are not readable',
			{ warning: 'no list' },
			'accepted',
			'parts could not be read',
		],
	])('notes as what it is: %s', async (_, changes, event, warningCodes) => {
		await example.sendResult(fixture('webhook-accept', changes));
		await takeSucceeded();

		expect(await table.rows()).toEqual([expect.objectContaining({ event, warningCodes })]);
	});
});

describe('the report', () => {
	it('counts decisions, open links, warnings and durations of the past seven days', async () => {
		await addCase('link-1', 'accepted', 0.1);
		await addCase('link-2', 'accepted', 0.5);
		await addCase('link-3', 'accepted', 3);
		await addCase('link-4', 'in review', 30, 'LOW_TEXT_CONFIDENCE, MISSING_EYE_COLOR');
		await addCase('link-5', 'rejected', 0.1, 'LOW_TEXT_CONFIDENCE, AML_SANCTION');
		for (const open of ['link-6', 'link-7']) await add('link created', open, at({ days: 10 }));
		const { mail, numbers, lengths } = await report();

		expect(mail?.to).toMatchObject({ text: 'compliance@example.com' });
		expect(numbers).toEqual([
			['accepted', 3],
			['in review', 1],
			['rejected', 1],
			['open', 2],
			['LOW_TEXT_CONFIDENCE', 2],
			['MISSING_EYE_COLOR', 1],
			['AML_SANCTION', 1],
			['up to 10 minutes', 2],
			['up to an hour', 1],
			['up to a day', 1],
			['longer', 1],
		]);
		for (const [label, count] of numbers) expect(mail?.text).toContain(`- ${label}: ${count}\n`);
		expect(lengths.accepted).toBeGreaterThan(200);
		expect(lengths.open).toBeCloseTo((2 / 3) * (lengths.accepted ?? 0), -1);
		expect(lengths.rejected).toBeCloseTo((1 / 3) * (lengths.accepted ?? 0), -1);
		const shown = await browser.page.locator('div').first().boundingBox();
		const clip = { x: 0, y: 0, width: 640, height: (shown?.height ?? 0) + 48 };
		await savePicture(browser.page, 'examples/weekly-report/report.png', clip);
	});

	it('counts nobody twice, and nothing of earlier weeks', async () => {
		await addCase('link-1', 'accepted', 0.5, 'MISSING_EYE_COLOR');
		// A copy, and a copy of a result of an earlier week.
		await add('accepted', 'link-1', at({ days: 1 }), 'MISSING_EYE_COLOR');
		await add('rejected', 'link-2', at({ days: 8 }), 'AML_SANCTION');
		await add('rejected', 'link-2', at({ days: 1 }), 'AML_SANCTION');
		// A review that was decided later, and an earlier one of which a copy arrives after that.
		await addCase('link-3', 'in review', 1);
		await add('accepted', 'link-3', at({ days: 1 }));
		await add('in review', 'link-3', at({ hours: 1 }));
		await add('link created', 'link-4', at({ days: 31 }));
		const { numbers } = await report();

		expect(numbers).toEqual([
			['accepted', 2],
			['in review', 0],
			['rejected', 0],
			['open', 0],
			['MISSING_EYE_COLOR', 1],
			['up to 10 minutes', 0],
			['up to an hour', 1],
			['up to a day', 0],
			['longer', 1],
		]);
	});

	it('says how many of many there were, and the eight most frequent warnings only', async () => {
		const codes = Array.from({ length: 10 }, (_, index) => `CODE_${index}`);
		for (const [index] of codes.entries()) {
			await add('rejected', `link-${index}`, at({ days: 1 }), codes.slice(0, index + 1).join(', '));
		}
		const { numbers } = await report();

		expect(numbers).toContainEqual(['rejected', 10]);
		expect(numbers.filter(([label]) => label.startsWith('CODE_'))).toEqual(
			codes.slice(0, 8).map((code, index) => [code, 10 - index]),
		);
	});

	it('is sent in a week without results, too', async () => {
		const { mail, numbers } = await report();

		expect(numbers.filter(([, count]) => count > 0)).toEqual([]);
		expect(numbers.map(([label]) => label)).toContain('accepted');
		expect(mail?.text).toContain('Most frequent warnings\n- none');
	});

	it('is shown by any mail program: no script, no picture, nothing from outside', async () => {
		await addCase('link-1', 'rejected', 1, '<img src="https://example.com/">');
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
		['accepted', 1],
		['in review', 1],
		['rejected', 1],
		['open', 0],
	]);
	expect(await sandbox.requests()).toEqual([]);
});
