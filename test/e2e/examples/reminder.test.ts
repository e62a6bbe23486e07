import { isFinished, itemsOf } from '../../../dev/stack/execution';
import type { Execution } from '../../../dev/stack/execution';
import { poll } from '../../../dev/stack/poll';
import { daysAgo, useCaseList } from '../../kit/examples/caseList';
import { FOUND_NONE, startCrm } from '../../kit/examples/crm';
import { useExample } from '../../kit/examples/useExample';

const EVERY_MORNING = 'Every Morning';
const TWO_DAYS = {
	state: 'link sent',
	url: 'https://verify.example.com/h/two',
	since: daysAgo(2.1),
};

let crm: Parameters<typeof startCrm> = [];
const example = useExample('reminder-and-expiry', {
	replace: async () => ({ 'https://crm.example.com': await startCrm(...crm) }),
});
const { api, mails } = example;
const caseList = useCaseList(api);

/** Runs the workflow as on one morning. */
async function morning(...settings: Parameters<typeof startCrm>): Promise<Execution> {
	crm = settings;
	return await example.run(EVERY_MORNING);
}

async function states() {
	return (await caseList.rows()).map(({ customData, state }) => [customData, state]);
}

describe('two days after the link', () => {
	it('a reminder goes out with the same link, once', async () => {
		await caseList.add({ customData: 'applicant-1', ...TWO_DAYS });
		expect(await morning()).toMatchObject({ status: 'success' });

		expect(mails()).toEqual([['applicant-1@example.com', expect.stringContaining(TWO_DAYS.url)]]);
		const [row] = await caseList.rows();
		expect(row).toMatchObject({ ...TWO_DAYS, reminded: expect.any(String) });

		expect(await morning()).toMatchObject({ status: 'success' });
		expect(mails()).toEqual([]);
	});

	it.each([
		['is not found', []],
		['is in no entry of the answer', [FOUND_NONE]],
	] as const)(
		'a person whose address %s stops no other reminder, and is tried again',
		async (_, how) => {
			await caseList.add({ customData: 'unknown', ...TWO_DAYS });
			await caseList.add({ customData: 'applicant-4', ...TWO_DAYS });

			const execution = await morning(['unknown'], ...how);
			expect(execution.status).toBe('error');
			const [failed] = execution.data['Say That a Reminder Failed'] ?? [];
			expect(failed?.error?.message).toMatch(/^No reminder was sent to 1 of/);
			expect(mails()).toEqual([['applicant-4@example.com', expect.anything()]]);

			expect(await morning()).toMatchObject({ status: 'success' });
			expect(mails()).toEqual([['unknown@example.com', expect.anything()]]);
		},
	);
});

describe('seven days after the link', () => {
	it('the case is closed as no result, without a reminder', async () => {
		await caseList.add({ customData: 'old', ...TWO_DAYS, since: daysAgo(7.1) });
		await caseList.add({ customData: 'young', ...TWO_DAYS, since: daysAgo(6.9) });
		await caseList.add({ customData: 'done', ...TWO_DAYS, since: daysAgo(8), state: 'accepted' });
		const execution = await morning();

		expect(await states()).toEqual([
			['old', 'no result'],
			['young', 'link sent'],
			['done', 'accepted'],
		]);
		expect(mails()).toEqual([['young@example.com', expect.anything()]]);
		const closed = itemsOf(execution, 'Close What Is Older Than Seven Days');
		expect(closed).toEqual([expect.objectContaining({ customData: 'old', state: 'no result' })]);
	});
});

it('runs by itself when it is published', async () => {
	await caseList.add({ customData: 'applicant-5', ...TWO_DAYS });
	// In place of every morning at eight.
	const everySecond = {
		'"field": "days"': '"field": "seconds"',
		'"daysInterval": 1': '"secondsInterval": 1',
	};
	await example.start(everySecond);

	const sent = () => mails().find(([to]) => to === 'applicant-5@example.com');
	await poll(() => Promise.resolve(sent()), { what: 'the reminder', timeoutMs: 60_000 });
	await api.deactivate(example.workflow.file.id);
	const areDone = async () => (await example.workflow.list()).every(isFinished) || undefined;
	await poll(areDone, { what: 'all executions to end', timeoutMs: 60_000 });
});

it('without the service, the e-mail of an invented case can be tried', async () => {
	const execution = await example.run('Try It without the Service');

	expect(execution.status).toBe('success');
	const [invented = {}] = itemsOf(execution, 'An Invented Open Case');
	expect(mails()).toEqual([
		['invented-1@example.com', expect.stringContaining(String(invented.url))],
	]);
	await caseList.add({ customData: 'applicant-6', ...TWO_DAYS });
	const [real = {}] = itemsOf(await morning(), 'Find Whom to Remind');
	expect(Object.entries(invented)).toEqual(
		Object.keys(invented).map((key) => [key, expect.any(real[key]?.constructor)]),
	);
});
