import { useTable } from './support/dataTable';
import { LOOK_UP, MORNING, NOT_FOUND, daysAgo, tryIt } from './support/mornings';
import { useExample } from './support/useExample';

/** Accepted long ago, with a document that expires within a month. */
const EXPIRING = { state: 'accepted', since: daysAgo(1000), documentExpires: daysAgo(-27) };

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
