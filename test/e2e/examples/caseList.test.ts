import type { IDataObject } from 'n8n-workflow';

import { AS_BACKEND } from '../../../dev/stack/backend';
import { itemsOf } from '../../../dev/stack/execution';
import { fetchN8n } from '../../../dev/stack/fetchN8n';
import { hostedLink } from '../../../dev/stack/link';
import type { HostedLink } from '../../../dev/stack/link';
import { useTable } from './support/dataTable';
import { useExample } from './support/useExample';
import { TRY } from '../support/runInEditor';

const START = 'Someone Needs a Link';
const DAY_MS = 24 * 60 * 60 * 1000;

const example = useExample('case-list');
const { api, sandbox, takeSucceeded } = example;
const caseList = useTable(api, 'case-list');

type Given = Pick<HostedLink, 'reference' | 'url'>;

/** Asks for a link as the shop or the CRM does. */
async function askFor(applicantId: string): Promise<Given> {
	const { body } = await example.sendAsBackend(START, { applicantId });
	const { reference, url } = hostedLink.parse(JSON.parse(body));
	return { reference, url };
}

/** Asks for a link, and waits until its row is there. */
async function linkFor(applicantId: string): Promise<Given> {
	const link = await askFor(applicantId);
	await takeSucceeded();
	return link;
}

/** What a GET answers about an ID. */
async function stateOf(applicantId: string, headers: Record<string, string> = AS_BACKEND) {
	const url = `${example.workflow.url(START)}?${new URLSearchParams({ applicantId })}`;
	const answer = await fetchN8n(url, { headers });
	return answer.ok ? ((await answer.json()) as object) : answer.status;
}

beforeEach(async () => await example.start());

describe('a link', () => {
	it('is in the case list, with no more of the person than your own ID', async () => {
		const link = await linkFor('applicant-1');

		const [row, ...others] = await caseList.rows();
		expect(others).toEqual([]);
		expect(row).toEqual({
			customData: 'applicant-1',
			key: 'applicant-1',
			...link,
			state: 'link sent',
			since: expect.any(String),
			reminded: null,
			documentExpires: null,
		});
		expect(Math.abs(Date.parse(row?.since ?? '') - Date.now())).toBeLessThan(60_000);
		expect(await example.links()).toEqual([{ customData: 'applicant-1', billed: 2 }]);
	});

	it('that is open is given again and not paid again', async () => {
		const link = await linkFor('applicant-2');

		expect(await linkFor('applicant-2')).toEqual(link);
		expect(await sandbox.billed()).toBe(2);
		expect(await caseList.rows()).toHaveLength(1);
	});

	it('reaches its person although the row cannot be written, and Retry adds the row', async () => {
		await example.start({ '"reminded": "={{ null }}"': '"missing": "={{ null }}"' });
		const link = await askFor('applicant-6');
		const { id, status } = await example.workflow.takeExecution();
		expect(status).toBe('error');
		expect(await caseList.rows()).toEqual([]);

		await caseList.addColumn('missing');
		expect(await api.retryExecution(id)).toMatchObject({ status: 'success' });

		expect(await caseList.rows()).toEqual([
			expect.objectContaining({ customData: 'applicant-6', ...link, state: 'link sent' }),
		]);
		expect(await sandbox.billed()).toBe(2);
		await example.workflow.takeExecution();
	});

	it.each([{}, { applicantId: '' }, { applicantId: null }])(
		'is not paid, and no row is added, without an ID: %j',
		async (body) => {
			const answer = await example.sendAsBackend(START, body);
			expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('applicantId') });
			await example.workflow.takeExecution();

			expect(await sandbox.requests()).toEqual([]);
			expect(await caseList.rows()).toEqual([]);
		},
	);

	it('is not paid when the case list is missing', async () => {
		await caseList.remove();

		await example.sendAsBackend(START, { applicantId: 'applicant-7' });

		expect(await example.workflow.takeExecution()).toMatchObject({ status: 'error' });
		expect(await sandbox.requests()).toEqual([]);
	});
});

it.each([
	['accept', 'accepted', true],
	['lowConfidence', 'in review', true],
	['aml', 'rejected', false],
])('a result goes into the row of its person: %s', async (scenario, state, isLast) => {
	const other = await linkFor('applicant-8');
	const link = await linkFor('applicant-9');
	await sandbox.finishLink(link.url, scenario);
	await takeSucceeded();

	expect(await caseList.rows()).toEqual([
		expect.objectContaining({ customData: 'applicant-8', ...other, state: 'link sent' }),
		expect.objectContaining({ customData: 'applicant-9', ...link, state }),
	]);
	// Only who was rejected gets a new link, in the same row.
	const next = await linkFor('applicant-9');
	expect(next.url === link.url).toBe(isLast);
	expect(await example.links()).toHaveLength(isLast ? 2 : 3);
	const [, row, ...others] = await caseList.rows();
	expect(row).toMatchObject({ ...next, state: isLast ? state : 'link sent' });
	expect(others).toEqual([]);
});

it('an ID in another case or with a blank is stopped by an open case, and not let through by an accepted one', async () => {
	const { url } = await linkFor('C-1');
	for (const applicantId of [' C-1 ', 'C-1']) {
		const { status, body } = await example.sendAsBackend(START, { applicantId });
		expect([status, JSON.parse(body)]).toMatchObject([200, { url, state: 'link sent' }]);
	}
	const refused = await example.sendAsBackend(START, { applicantId: 'c-1' });
	expect(refused).toMatchObject({ status: 409, body: expect.not.stringContaining(url) });
	expect(await stateOf('c-1')).toEqual({ state: 'link sent' });
	expect(await sandbox.billed()).toBe(2);

	await sandbox.finishLink(url, 'accept');
	await example.workflow.takeExecutions(1);
	expect(await Promise.all(['C-1', 'c-1'].map((id) => stateOf(id)))).toEqual([
		{ state: 'accepted' },
		{ state: 'none' },
	]);
	expect((await askFor('c-1')).url).not.toBe(url);
	expect(await sandbox.billed()).toBe(4);
	await example.workflow.takeExecutions();
	expect(await caseList.rows()).toMatchObject([
		{ customData: 'C-1', key: 'c-1', state: 'accepted' },
		{ customData: 'c-1', key: 'c-1', state: 'link sent' },
	]);
});

it("a GET from the backend returns the newest row's state, and costs nothing", async () => {
	const [older, newer] = ['2026-01-01T08:00:00.000Z', '2026-01-02T08:00:00.000Z'];
	await caseList.add(
		{ customData: 'C-1', key: 'c-1', state: 'rejected', since: newer },
		{ customData: 'C-1', key: 'c-1', state: 'accepted', since: older },
	);

	expect(await stateOf('C-1')).toEqual({ state: 'rejected' });
	expect(await stateOf('C-2')).toEqual({ state: 'none' });
	expect(await stateOf('')).toEqual({ state: 'none' });
	expect(await stateOf('C-1', {})).toBe(403);
	expect(await sandbox.requests()).toEqual([]);
	expect(await caseList.rows()).toHaveLength(2);
	await example.workflow.takeExecutions();
});

it.each([
	['a later no', 'rejected', '2026-01-03', 'rejected'],
	['an earlier no', 'rejected', '2026-01-01', 'accepted'],
	['an earlier open case', 'in review', '2026-01-01', 'in review'],
	['an earlier open link', 'link sent', '2026-01-01', 'link sent'],
	['another accept', 'accepted', '2026-01-03', 'accepted'],
])('an accepted ID that differs only in case from that of %s', async (_, state, day, answer) => {
	const at = (date: string) => `${date}T08:00:00.000Z`;
	await caseList.add(
		{ customData: 'C-1', key: 'c-1', state: 'accepted', since: at('2026-01-02') },
		{ customData: 'c-1', key: 'c-1', state, since: at(day) },
	);

	expect(await stateOf('C-1')).toEqual({ state: answer });
	await example.workflow.takeExecutions();
});

describe('a case', () => {
	/** A result of a link that the sandbox doesn't send. */
	async function receive(
		reference: Given['reference'],
		decision: string,
		more: IDataObject = {},
	): Promise<void> {
		const event = 'hosted_conclusive';
		await example.sendResult({
			event,
			decision,
			customData: 'applicant-1',
			hosted: reference,
			...more,
		});
		await takeSucceeded();
	}

	/** What the team is told, of which row and which result it speaks. */
	const toldAbout = (row: string, result: string) => [
		{
			request: 'POST /slack/services/your/incoming/webhook',
			body: { text: expect.stringMatching(`${result}[^]*${row}[^]*Custom Data: \`applicant-1\``) },
		},
	];

	it.each([
		['accept', 'accepted', 'review'],
		['accept', 'accepted', 'reject'],
		['reject', 'rejected', 'accept'],
	])('that %s has closed stays %s after a %s, and the team is told', async (first, state, late) => {
		const { reference } = await linkFor('applicant-1');
		await receive(reference, first);
		const closed = await caseList.rows();
		expect(closed).toEqual([expect.objectContaining({ state })]);

		await receive(reference, late);

		expect(await caseList.rows()).toEqual(closed);
		expect(example.outside.takePosts()).toEqual(
			toldAbout(`\\*${state}\\*, with this link: \`${reference}\``, `\\*${late}\\*`),
		);
	});

	it.each(['accept', 'reject', 'review'])('is not touched by a copy of: %s', async (decision) => {
		const { reference } = await linkFor('applicant-1');
		await receive(reference, decision);
		const before = await caseList.rows();

		await receive(reference, decision);

		expect(await caseList.rows()).toEqual(before);
		expect(example.outside.takePosts()).toEqual([]);
	});

	it.each(['accept', 'reject'])('in review is closed by: %s', async (decision) => {
		const { reference } = await linkFor('applicant-1');
		await receive(reference, 'review');

		await receive(reference, decision);

		expect(await caseList.rows()).toEqual([
			expect.objectContaining({ reference, state: `${decision}ed` }),
		]);
		expect(example.outside.takePosts()).toEqual([]);
	});

	it('with a newer link is not touched by a result for the older one, and the team is told', async () => {
		const older = await linkFor('applicant-1');
		await receive(older.reference, 'reject');
		const newer = await linkFor('applicant-1');
		const open = await caseList.rows();
		expect(open).toEqual([expect.objectContaining({ ...newer, state: 'link sent' })]);

		for (const decision of ['reject', 'accept']) {
			await receive(older.reference, decision);

			expect(await caseList.rows()).toEqual(open);
			expect(example.outside.takePosts()).toEqual(
				toldAbout(
					`link: \`${newer.reference}`,
					`\\*${decision}\\*, for this link: \`${older.reference}`,
				),
			);
		}
	});

	it('that had no result in time takes the one that arrives late', async () => {
		await caseList.add({ customData: 'applicant-1', reference: 'link-1', state: 'no result' });

		await receive('link-1', 'accept');

		expect(await caseList.rows()).toEqual([expect.objectContaining({ state: 'accepted' })]);
	});

	it('of a result that is not to be trusted is in review', async () => {
		await example.start({ '"output": "decisionOnly"': '"output": "raw"' });

		await receive('link-1', 'accept', { success: false });

		expect(await caseList.rows()).toEqual([expect.objectContaining({ state: 'in review' })]);
	});
});

it('without the service, makes its table and a row for an invented person of each decision', async () => {
	await caseList.remove();
	expect(await example.run(TRY)).toMatchObject({ status: 'success' });
	await example.workflow.takeExecution();
	await linkFor('applicant-12');
	expect(await example.run(TRY)).toMatchObject({ status: 'success' });

	const rows = await caseList.rows();
	expect(rows.map(({ customData, state }) => [customData, state])).toEqual([
		['invented-1', 'in review'],
		['invented-2', 'accepted'],
		['invented-3', 'rejected'],
		['applicant-12', 'link sent'],
	]);
	expect(await sandbox.requests()).toHaveLength(1);
	await example.workflow.takeExecutions();
});

describe('with Output set to Simplified, the date on which a document expires', () => {
	beforeEach(
		async () => await example.start({ '"output": "decisionOnly"': '"output": "simplified"' }),
	);

	it('is stored with an accept', async () => {
		await example.verify('applicant-1', 'accept');
		const [item] = itemsOf(await takeSucceeded(), 'Verification Completed');

		const { daysToExpiry } = item?.fields as { daysToExpiry: number };
		const [row] = await caseList.rows();
		expect(row?.state).toBe('accepted');
		const days = (Date.parse(row?.documentExpires ?? '') - Date.now()) / DAY_MS;
		// It's the beginning of a day in n8n's time zone, which may change to summer time until then.
		expect(Math.abs(days - daysToExpiry)).toBeLessThan(25 / 24);
	});

	it('is that of the document when the number of days cannot be read', async () => {
		const data = { daysToExpiry: [{ value: 'many' }], expiry: [{ value: '2099-05-01' }] };
		const event = 'hosted_conclusive';
		await example.sendResult({ event, decision: 'accept', customData: 'applicant-3', data });
		await takeSucceeded();

		const [row] = await caseList.rows();
		expect(Date.parse(row?.documentExpires ?? '') - Date.parse('2099-05-01')).toBeLessThan(DAY_MS);
	});

	it.each([
		['the service could not read it', {}],
		['it is within a month', { daysToExpiry: [{ value: '20' }] }],
		['it has passed', { expiry: [{ value: '2020-05-01' }] }],
		['no date can be read', { expiry: [{ value: 'next May' }] }],
	])('stays empty when %s', async (_, data) => {
		const event = 'hosted_conclusive';
		await example.sendResult({ event, decision: 'accept', customData: 'applicant-2', data });
		await example.workflow.takeExecution();

		expect(await caseList.rows()).toEqual([
			expect.objectContaining({ state: 'accepted', documentExpires: null }),
		]);
	});
});
