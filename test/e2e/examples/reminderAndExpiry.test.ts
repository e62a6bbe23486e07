import { isFinished, itemsOf } from '../../../dev/stack/execution';
import { poll } from '../../../dev/stack/poll';
import { TRY } from '../support/runInEditor';
import { useTable } from './support/dataTable';
import { LOOK_UP, MORNING, NOT_FOUND, daysAgo } from './support/mornings';
import { useExample } from './support/useExample';

/** What a CRM answers that searches. */
const FOUND_NONE = { status: 200, body: [] };

const TO_REMIND = {
	state: 'link sent',
	url: 'https://verify.example.com/h/two',
	since: daysAgo(2.1),
};

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
	expect(failed?.error?.message).toMatch(/^Some reminders could not be sent/);
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

it('without the service, lets the e-mail of an invented case be tried, which is like a real one', async () => {
	const execution = await example.run(TRY);
	expect(execution.status).toBe('success');
	const [invented = {}] = itemsOf(execution, 'An Invented Open Case');
	expect(takeMails()).toEqual([
		['invented-4@example.com', expect.stringContaining(String(invented.url))],
	]);

	await caseList.add({ customData: 'applicant-6', ...TO_REMIND });
	const [real = {}] = itemsOf(await example.run(MORNING), 'Find Whom to Remind');
	expect(Object.entries(invented)).toEqual(
		Object.keys(invented).map((key) => [key, expect.any(real[key]?.constructor)]),
	);
	expect(takeMails()).toHaveLength(1);
});
