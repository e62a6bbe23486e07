import { isFinished, itemsOf } from '../../../dev/stack/execution';
import { poll } from '../../../dev/stack/poll';
import { useTable } from './support/dataTable';

import { TRY, useExample } from './support/useExample';
import type { Example } from './support/useExample';

const MORNING = 'Every Morning';
const LOOK_UP = 'GET /crm/api/applicants/unknown';
const NOT_FOUND = { status: 404, body: {} };
/** What a CRM answers that searches. */
const FOUND_NONE = { status: 200, body: [] };

const TO_REMIND = {
	state: 'link sent',
	url: 'https://verify.example.com/h/two',
	since: daysAgo(2.1),
};
/** Accepted long ago, with a document that expires within a month. */
const EXPIRING = { state: 'accepted', since: daysAgo(1000), documentExpires: daysAgo(-27) };

/** So many days before now, or after it if the number is negative. */
function daysAgo(days: number): string {
	return new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();
}

/**
 * Tries the e-mail of an invented person, who has to be like the one that a step returns on a
 * morning.
 */
async function tryIt(example: Example, invented: string, step: string, add: () => Promise<void>) {
	const execution = await example.run(TRY);
	expect(execution.status).toBe('success');
	const [person = {}] = itemsOf(execution, invented);
	expect(example.takeMails()).toEqual([
		['invented-1@example.com', expect.stringContaining(String(person.url))],
	]);
	await add();
	const [real = {}] = itemsOf(await example.run(MORNING), step);
	expect(Object.entries(person)).toEqual(
		Object.keys(person).map((key) => [key, expect.any(real[key]?.constructor)]),
	);
	expect(example.takeMails()).toHaveLength(1);
}

describe('Reminder and expiry', () => {
	const example = useExample('reminder-and-expiry');
	const { api, takeMails, outside } = example;
	const caseList = useTable(api, 'case-list');

	it('sends a reminder with the same link after two days, once', async () => {
		await caseList.add({ customData: 'applicant-1', ...TO_REMIND });
		expect(await example.run(MORNING)).toMatchObject({ status: 'success' });

		expect(takeMails()).toEqual([
			['applicant-1@example.com', expect.stringContaining(TO_REMIND.url)],
		]);
		const [row] = await caseList.rows();
		expect(row).toMatchObject({ ...TO_REMIND, reminded: expect.any(String) });

		expect(await example.run(MORNING)).toMatchObject({ status: 'success' });
		expect(takeMails()).toEqual([]);
	});

	it.each([
		['is not found', NOT_FOUND],
		['is in no entry of the answer', FOUND_NONE],
	])('reminds all but a person whose address %s, and tries again', async (_, answer) => {
		await caseList.add({ customData: 'unknown', ...TO_REMIND });
		await caseList.add({ customData: 'applicant-4', ...TO_REMIND });
		outside.answers.set(LOOK_UP, answer);
		const execution = await example.run(MORNING);

		expect(execution.status).toBe('error');
		const [failed] = execution.data['Say That a Reminder Failed'] ?? [];
		expect(failed?.error?.message).toMatch(/^No reminder was sent to 1 of/);
		expect(takeMails()).toEqual([['applicant-4@example.com', expect.anything()]]);

		outside.answers.clear();
		expect(await example.run(MORNING)).toMatchObject({ status: 'success' });
		expect(takeMails()).toEqual([['unknown@example.com', expect.anything()]]);
	});

	it('closes a case after seven days as no result, without a reminder', async () => {
		await caseList.add({ customData: 'old', ...TO_REMIND, since: daysAgo(7.1) });
		await caseList.add({ customData: 'young', ...TO_REMIND, since: daysAgo(6.9) });
		await caseList.add({ customData: 'done', ...TO_REMIND, since: daysAgo(8), state: 'accepted' });
		const execution = await example.run(MORNING);

		expect((await caseList.rows()).map(({ customData, state }) => [customData, state])).toEqual([
			['old', 'no result'],
			['young', 'link sent'],
			['done', 'accepted'],
		]);
		expect(takeMails()).toEqual([['young@example.com', expect.anything()]]);
		const closed = itemsOf(execution, 'Close What Is Older Than Seven Days');
		expect(closed).toEqual([expect.objectContaining({ customData: 'old', state: 'no result' })]);
	});

	it('runs by itself when it is published', async () => {
		await caseList.add({ customData: 'applicant-5', ...TO_REMIND });
		// In place of every morning at eight.
		await example.start({
			'"field": "days"': '"field": "seconds"',
			'"daysInterval": 1': '"secondsInterval": 1',
		});

		const sent = () => takeMails().find(([to]) => to === 'applicant-5@example.com');
		await poll(() => Promise.resolve(sent()), { what: 'the reminder', timeoutMs: 60_000 });
		await api.deactivate(example.workflow.file.id);
		const areDone = async () => (await example.workflow.list()).every(isFinished) || undefined;
		await poll(areDone, { what: 'all executions to end', timeoutMs: 60_000 });
	});

	it('without the service, lets the e-mail of an invented case be tried', async () => {
		const add = async () => await caseList.add({ customData: 'applicant-6', ...TO_REMIND });
		await tryIt(example, 'An Invented Open Case', 'Find Whom to Remind', add);
	});
});

describe('Check again', () => {
	const example = useExample('check-again', {
		// Otherwise, n8n wouldn't list a Retry that succeeds.
		replace: { '"saveDataSuccessExecution": "none"': '"saveDataSuccessExecution": "all"' },
	});
	const { api, takeMails, outside } = example;
	const caseList = useTable(api, 'case-list');
	const links = async () => (await example.links()).map(({ customData }) => customData);

	it('sends a new link a month before a document expires, once, and the case list has it', async () => {
		await caseList.add({ customData: 'applicant-3', ...EXPIRING, reminded: daysAgo(998) });
		expect(await example.run(MORNING)).toMatchObject({ status: 'success' });

		const [row, ...others] = await caseList.rows();
		expect(others).toEqual([]);
		expect(row).toMatchObject({ customData: 'applicant-3', state: 'link sent', reminded: null });
		expect(row?.url).toContain(row?.reference ?? '-');
		expect(Math.abs(Date.parse(row?.since ?? '') - Date.now())).toBeLessThan(60_000);
		expect(takeMails()).toEqual([
			['applicant-3@example.com', expect.stringContaining(row?.url ?? '-')],
		]);
		expect(await links()).toEqual(['applicant-3']);

		expect(await example.run(MORNING)).toMatchObject({ status: 'success' });
		expect(takeMails()).toEqual([]);
		expect(await links()).toEqual(['applicant-3']);
	});

	it('sends none to anybody else', async () => {
		await caseList.add({ customData: 'later', ...EXPIRING, documentExpires: daysAgo(-33) });
		await caseList.add({ customData: 'no-date', ...EXPIRING, documentExpires: null });
		for (const state of ['link sent', 'in review', 'rejected', 'no result']) {
			await caseList.add({ customData: state, ...EXPIRING, state });
		}
		expect(await example.run(MORNING)).toMatchObject({ status: 'success' });

		expect(await links()).toEqual([]);
		expect(takeMails()).toEqual([]);
	});

	it('has the link of a person whose mail fails in the list, and the others follow next morning', async () => {
		await caseList.add({ customData: 'unknown', ...EXPIRING, documentExpires: daysAgo(-5) });
		await caseList.add({ customData: 'applicant-4', ...EXPIRING });
		outside.answers.set(LOOK_UP, NOT_FOUND);

		const failed = await example.run(MORNING);
		expect(failed.status).toBe('error');
		expect(await links()).toEqual(['unknown']);
		expect(await caseList.rows()).toEqual([
			expect.objectContaining({ customData: 'unknown', state: 'link sent' }),
			expect.objectContaining({ customData: 'applicant-4', state: 'accepted' }),
		]);

		expect(await example.run(MORNING)).toMatchObject({ status: 'success' });
		expect(await links()).toEqual(['unknown', 'applicant-4']);
		expect(takeMails()).toEqual([['applicant-4@example.com', expect.anything()]]);

		outside.answers.clear();
		expect(await api.retryExecution(failed.id)).toMatchObject({ status: 'success' });
		expect(takeMails()).toEqual([['unknown@example.com', expect.anything()]]);
		expect(await links()).toEqual(['unknown', 'applicant-4']);
	});

	it('without the service, lets the e-mail of an invented person be tried', async () => {
		const add = async () => await caseList.add({ customData: 'applicant-5', ...EXPIRING });
		await tryIt(example, 'An Invented New Link', 'Write It into the Case List', add);
	});
});
